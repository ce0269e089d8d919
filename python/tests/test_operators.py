"""Operators of copse's arrays against SciPy's, on matrices of all shapes, types and orders."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import DTYPES, FORMATS, matrices, same, vector

import copse


@given(matrices(), st.sampled_from(FORMATS))
def test_conversion_there_and_back(S, format):
    A = copse.array(S, format=format)
    assert (A.shape, A.dtype, A.format, A.ndim) == (S.shape, S.dtype, format, 2)
    T = S.tocsr().sorted_indices()
    T.sum_duplicates()
    assert A.nnz == T.nnz
    back = A.to_scipy()
    same(back, S)
    assert back.has_canonical_format and back.dtype == S.dtype and back.indptr.dtype == back.indices.dtype == np.int32
    for turned, kind in ((A.tocsc(), sp.csc_array), (A.tocoo(), sp.coo_array), (A.T.T, copse.SparseArray)):
        same(turned, S)
        assert isinstance(turned, kind)


@given(matrices(), st.sampled_from(FORMATS), st.sampled_from(["1", "2F", "2C", "strided"]), st.booleans())
def test_products(S, format, order, transposed):
    A, S = copse.array(S, format=format), S.tocsr()
    if transposed:
        A, S = A.T, S.T
    n = S.shape[1]
    x = {
        "1": vector(n, S.dtype),
        "2F": np.asfortranarray(vector(3 * n, S.dtype).reshape(n, 3)),
        "2C": vector(3 * n, S.dtype).reshape(n, 3),
        "strided": vector(2 * n, S.dtype)[::2],
    }[order]
    y = A @ x
    same(y, S @ x)
    assert y.dtype == (S @ x).dtype
    same(x.T @ A.T, x.T @ S.T)
    same(A.dot(x), S @ x)
    same(A.plan() @ x, S @ x)


@given(
    matrices(), st.sampled_from([np.int8, np.bool_, np.float16, np.float32, np.float64, np.complex64, np.complex128])
)
def test_types_of_vectors(S, dtype):
    A = copse.array(S)
    x = (vector(S.shape[1]) + (2j * vector(S.shape[1], seed=1) if np.dtype(dtype).kind == "c" else 0)).astype(dtype)
    y = A @ x
    assert y.dtype == np.result_type(S.dtype, dtype)
    same(y, S.astype(np.float64) @ x.astype(np.complex128 if y.dtype.kind == "c" else np.float64))


@given(st.data(), st.sampled_from(DTYPES), st.sampled_from(DTYPES), st.booleans(), st.booleans())
def test_sums(data, left, right, turn_a, turn_b):
    R = data.draw(matrices(dtype=left))
    m, n = R.shape if turn_a == turn_b else R.shape[::-1]
    S = data.draw(matrices(st.just(m), st.just(n), right))
    A, B = copse.array(R), copse.array(S)
    if turn_a:
        A, R = A.T, R.T
    if turn_b:
        B, S = B.T, S.T
    for result, wanted in [
        (A + B, R + S),
        (A - 0.5 * B, R - 0.5 * S),
        (A + S, R + S),
        (R - B, R - S),
        (A * B, R * S),
        (A - A, R - R),
        (-A, -R),
        (abs(A), abs(R)),
        (sum([A, B]), R + S),
    ]:
        assert isinstance(result, copse.SparseArray)
        same(result, wanted)
        assert result.dtype == wanted.dtype


@given(matrices(m=st.integers(0, 70)))
def test_operators_with_dense(S):
    A = copse.array(S)
    D = vector(S.shape[0] * S.shape[1], S.dtype).reshape(S.shape) + S.dtype.type(5)
    for result, wanted in [(A + D, S + D), (D + A, D + S), (A - D, S - D), (D - A, D - S)]:
        assert isinstance(result, np.ndarray)
        same(result, wanted)
    if S.shape[0] and S.shape[1]:
        for result, wanted in [(A * D, S * D), (D * A, S * D), (A / (D * 0 + 4), S / (D * 0 + 4))]:
            assert isinstance(result, copse.SparseArray)
            same(result, wanted)
        same(A * D[0], S * D[0])
        same(A.multiply(D[:, :1]), S.multiply(D[:, :1]))


@pytest.mark.parametrize("factor", [2, 0.5, np.float32(2), np.float64(2), np.int64(3), np.array(2.0), True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers(S, dtype, factor):
    S = S.astype(dtype)
    A = copse.array(S)
    for result in (A * factor, factor * A, A.dot(factor) if np.isscalar(factor) else A * factor):
        same(result, S * factor)
        assert result.dtype == np.result_type(S.dtype, factor)
    np.testing.assert_allclose((A / factor).toarray(), (S / factor).toarray(), rtol=1e-6)


@pytest.mark.parametrize("factor", [0, np.inf, np.nan, 1e300])
def test_factors_that_are_no_factor_of_a_product(S, factor):
    """Inf * 0 stays away from rows without entries; 1e300 twice meets the entries one by one."""
    A = copse.array(S)
    with np.errstate(all="ignore"):
        R, B = S * factor * factor, A * factor * factor
        same(B, R)
        x = np.abs(vector(200)) + 1.0
        np.testing.assert_array_equal((B @ x)[17], 0)
        np.testing.assert_allclose(B @ x, R @ x)


def test_factors_whose_product_is_too_small(S):
    large = S * 1e300
    np.testing.assert_allclose((copse.array(large) * 1e-200 * 1e-200).toarray(), (large * 1e-200 * 1e-200).toarray())


def test_sums_with_numbers(S):
    A = copse.array(S)
    same(A + 0, S)
    same(0 - A, -S)
    with pytest.raises(NotImplementedError, match="toarray"):
        A + 1
    with pytest.raises(TypeError):
        A + "text"
    with pytest.raises(TypeError, match="complex"):
        A * 1j


@given(matrices(), st.sampled_from(["__eq__", "__ne__", "__lt__", "__gt__", "__le__", "__ge__"]))
def test_comparisons(S, how):
    R = S.tocsr()
    A = copse.array(R)
    B = R.copy()
    B.data = B.data + (np.arange(B.nnz) % 2).astype(B.dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SparseEfficiencyWarning)
        same(getattr(A, how)(copse.array(B)), getattr(R, how)(B))
        same(getattr(A, how)(1), getattr(R, how)(1))


@given(matrices(), st.data())
def test_parts(S, data):
    A, R = copse.array(S), S.tocsr()
    m, n = R.shape
    i0, i1 = sorted([data.draw(st.integers(-m, m)), data.draw(st.integers(-m, m))])
    j0, j1 = sorted([data.draw(st.integers(-n, n)), data.draw(st.integers(-n, n))])
    same(A[i0:i1, j0:j1], R[i0:i1, j0:j1])
    same(A.T[j0:, :i1], R.T.tocsr()[j0:, :i1])
    if m and n:
        i, j = data.draw(st.integers(-m, m - 1)), data.draw(st.integers(-n, n - 1))
        assert A[i, j] == R[i, j] and type(A[i, j]) is type(R[i, j])


@given(matrices(), st.data())
def test_power_and_sums_of_entries(S, data):
    A, R = copse.array(S), S.tocsr()
    R.sum_duplicates()
    same(A**2, R**2)
    same(A.power(3), R.power(3))
    for axis in (None, 0, 1):
        np.testing.assert_array_equal(A.sum(axis), R.sum(axis))
    np.testing.assert_array_equal(A.diagonal(), R.diagonal())


def test_what_two_sparse_matrices_do_not_do(S):
    A = copse.array(S)
    for f in (lambda: A @ A.T, lambda: A @ S.T, lambda: S.T @ A, lambda: A.dot(S.T)):
        with pytest.raises(TypeError, match="to_scipy"):
            f()
    with pytest.raises(TypeError, match="divides"):
        A / A
