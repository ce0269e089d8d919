"""Sums by plans."""

import gc

import numpy as np
import pytest
import scipy.sparse as sp
from strategies import DTYPES, same, vector

import copse


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_by_a_plan_are_sums(S, dtype, rng):
    R = sp.random_array(S.shape[::-1], density=0.05, rng=rng, data_sampler=lambda size: rng.integers(1, 6, size) * 1.0)
    S, R = S.astype(dtype), R.tocsr().astype(dtype)
    A, B = copse.array(S, values="each"), copse.array(R, values="each")
    plan = copse.SumPlan(A, 2 * B.T, A)
    assert plan.shape == S.shape and plan.nnz == (A + B.T).nnz and plan.nbytes > 0
    C = plan.add(1, A, -0.5, 2 * B.T, np.float64(3), A)
    assert C.dtype == dtype and C.nnz == plan.nnz
    same(C, 4 * S - R.T)
    same(plan.add(0, A, 1, B.T, 0, A), R.T)
    other = A.with_data(S.data + 1)
    same(plan.add(1, other, 1, (3 * B).T, 1, A), 2 * S + (S != 0) + 3 * R.T)
    same(C.T @ vector(300, dtype), (4 * S - R.T).T @ vector(300, dtype))
    same(C, 4 * S - R.T)  # later sums lie elsewhere
    outer = copse.SumPlan(C, A)
    same(outer.add(1, plan.add(1, A, 1, B.T, 1, A), 1, A), 3 * S + R.T)


def test_a_loop_takes_no_new_memory_and_its_plan_follows(S):
    A, x = copse.array(S, values="each"), vector(200)
    plan = copse.SumPlan(A, A)
    C = plan.add(1, A, 1, A)
    C @ x
    made = C._core.plan_bytes
    assert made > 0
    sizes = []
    for k in range(6):
        C = plan.add(1, A, k, A)
        assert C._core.plan_bytes == made  # before a product
        same(C @ x, (1 + k) * (S @ x))
        gc.collect()
        sizes.append(plan.nbytes)
    assert len(set(sizes)) == 1
    kept = [plan.add(1, A, k, A) for k in range(4)]
    for k, D in enumerate(kept):
        same(D, (1 + k) * S)


def test_what_plans_of_sums_refuse(S):
    A = copse.array(S)
    plan = copse.SumPlan(A, A)
    for error, f, says in [
        (ValueError, lambda: copse.SumPlan(), "no operand"),
        (TypeError, lambda: copse.SumPlan(S, A), "operand 0 must be a copse array, not csr_array"),
        (
            TypeError,
            lambda: copse.SumPlan(A, A.astype(np.float32)),
            r"operand 1 has the dtype float32.*astype\(float64\)",
        ),
        (ValueError, lambda: copse.SumPlan(A, A.T), "300 x 200"),
        (ValueError, lambda: copse.SumPlan(A, A.asformat("csr")), "hisparse"),
        (ValueError, lambda: copse.SumPlan(A.asformat("csr"), A), "hisparse"),
        (TypeError, lambda: plan.add(A, A), "a number and a matrix for each of the 2 operands.*there are 2"),
        (TypeError, lambda: plan.add(1, A, 1j, A), "factor of operand 1 must be a real number, not complex"),
        (TypeError, lambda: plan.add(1, A, np.complex64(1), A), "factor of operand 1"),
        (TypeError, lambda: plan.add("1", A, 1, A), "factor of operand 0"),
        (TypeError, lambda: plan.add(A, 1, A, 1), "factor of operand 0"),
        (TypeError, lambda: plan.add(1, A, 1, S), "operand 1 must be a copse array"),
        (TypeError, lambda: plan.add(1, A, 1, A.astype(np.float32)), "operand 1 has the dtype float32"),
        (ValueError, lambda: plan.add(1, A, 1, copse.array(2 * S)), r"structure of B.*with_data\(\).*new SumPlan"),
        (ValueError, lambda: plan.add(1, A.T, 1, A), "the plan was made for A"),
    ]:
        with pytest.raises(error, match=says):
            f()
