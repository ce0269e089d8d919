"""Arguments that are none: one exception of Python each, which names the argument."""

from unittest.mock import Mock

import numpy as np
import pytest

import copse
from copse import _core, linalg

ONE = ([1.0], [0], [0, 1])  # a 1 x 1 matrix by rows


@pytest.mark.parametrize(
    "error, f, says",
    [
        (TypeError, lambda A: copse.array("text"), "S must be .* it is str"),
        (TypeError, lambda A: copse.array(None), "S must be .* it is NoneType"),
        (TypeError, lambda A: copse.array(np.array(3.0)), "S must be .* it is ndarray"),
        (ValueError, lambda A: copse.array(np.ones((2, 2, 2))), "two dimensions; it has 3"),
        (TypeError, lambda A: copse.array(np.array([["a"]])), "<U1"),
        (TypeError, lambda A: copse.array(np.array([[1, None]], object)), "object"),
        (ValueError, lambda A: copse.csr_array(([1.0], [-1], [0, 1]), (1, 3)), r"indices\[0\] is -1"),
        (ValueError, lambda A: copse.csr_array(([1.0], [2**40], [0, 1]), (1, 3)), r"indices\[0\] is 1099511627776"),
        (ValueError, lambda A: copse.csr_array(([1.0], [2**40], [0, 1])), "from 0 to 2\\^31"),
        (TypeError, lambda A: copse.csr_array(([1.0], [np.nan], [0, 1]), (1, 3)), "indices are integers, not float64"),
        (TypeError, lambda A: copse.csr_array(([1.0], ["0"], [0, 1]), (1, 3)), "indices are integers, not <U1"),
        (ValueError, lambda A: copse.csr_array(([1.0, 2.0], [0, 1], [0, 2, 1]), (2, 3)), "offsets go from 0 to 1"),
        (ValueError, lambda A: copse.csr_array(([1.0, 2.0], [0], [0, 1, 1]), (2, 3)), "numbers must be equal"),
        (ValueError, lambda A: copse.csr_array(([1.0], [0], []), (1, 1)), "offsets"),
        (ValueError, lambda A: copse.csr_array(([], [], [])), "indptr is empty"),
        (ValueError, lambda A: copse.coo_array(([], ([], []))), "shape is needed"),
        (TypeError, lambda A: copse.csr_array((1,)), r"give \(data, indices, indptr\)"),
        (TypeError, lambda A: copse.csr_array(([1.0], [0])), r"give \(data, indices, indptr\)"),
        (TypeError, lambda A: copse.coo_array(([1.0], ([0], [0], [0]))), r"give \(data, indices, indptr\)"),
        (TypeError, lambda A: copse.csr_array((2.5, 3)), r"shape: two whole numbers are wanted, not \(2.5, 3\)"),
        (TypeError, lambda A: copse.csr_array(ONE, shape=3), "shape: two whole numbers"),
        (TypeError, lambda A: copse.csr_array(ONE, shape=(1, 2, 3)), "shape: two whole numbers"),
        (ValueError, lambda A: copse.csr_array((2**70, 3)), "dimensions must be from 0 to 2\\^31"),
        (TypeError, lambda A: copse.csr_array(ONE, format=None), "format: a name is wanted, not None"),
        (TypeError, lambda A: A.asformat(3), "format: a name is wanted, not 3"),
        (ValueError, lambda A: copse.array([[1.0]], values=[1]), r"values: \[1\] is none of None, 'once', 'each'"),
        (TypeError, lambda A: copse.array([[1.0]], share_transposed="yes"), "share_transposed: True or False"),
        (TypeError, lambda A: copse.read(None), "NoneType"),
        (IsADirectoryError, lambda A: copse.read("/"), "/"),
        (TypeError, lambda A: A @ "text", "x: copse multiplies numbers, not <U4"),
        (TypeError, lambda A: A @ None, "x: copse multiplies numbers, not object"),
        (
            TypeError,
            lambda A: A.dot(np.ones(200), out=[0.0] * 300),
            "out must be an array of float64 on cpu; it is list",
        ),
        (TypeError, lambda A: A.both(None, None), "x: a vector of float64 is wanted, not of object"),
        (TypeError, lambda A: A.edited([np.nan], [0], [1.0]), "rows: indices are integers"),
        (TypeError, lambda A: A.edited([0], [0], ["1"]), "vals: numbers are wanted"),
        (IndexError, lambda A: A.edited([-301], [0], [1.0]), "rows: -301 is outside of a dimension of size 300"),
        (IndexError, lambda A: A.edited([2**62], [0], [1.0]), "outside of A"),
        (TypeError, lambda A: A ** "2", "p must be a number, not str"),
        (ValueError, lambda A: A**0, "p must be above 0"),
        (TypeError, lambda A: A.map_leaves(None), "f: a function is wanted, not NoneType"),
        (TypeError, lambda A: A.spy(most_cells="9"), "str"),
        (TypeError, lambda A: A.to_device(None), "device: a name"),
        (ValueError, lambda A: A.to_device("cuda:x"), "device: 'cuda:x' is none of"),
        (TypeError, lambda A: copse.SparseArray(None), r"copse.array\(S\)"),
        (TypeError, lambda A: copse.Plan(None), "A must be a copse array, not NoneType"),
        (TypeError, lambda A: copse.threads("4"), "str"),
        (ValueError, lambda A: copse.threads(2**40).__enter__(), "threads: 1099511627776 is none of 0"),
        (ValueError, lambda A: linalg.lsqr(A, np.full(300, np.nan)), "not finite"),
        (ValueError, lambda A: linalg.cg(np.eye(3), np.full(3, 1e300)), "not finite"),
        (ValueError, lambda A: linalg.cg(np.eye(3), np.ones(3), maxiter=-1), "maxiter is -1; it must be 0 or more"),
        (ValueError, lambda A: np.ones(2) @ A, "x has 2 elements"),
        (ValueError, lambda A: linalg.cg(np.eye(3), np.ones(3), rtol=np.nan), "rtol is nan; it must be 0 or more"),
        (ValueError, lambda A: linalg.cgls(np.eye(3), np.ones(3), atol=-1), "atol is -1; it must be 0 or more"),
        (ValueError, lambda A: linalg.lsqr(np.eye(3), np.ones(3), btol=-1), "btol is -1; it must be 0 or more"),
        (ValueError, lambda A: linalg.svd(A, maxiter=-1), "maxiter is -1"),
        (TypeError, lambda A: linalg.lsqr(A, np.ones(300) * 1j), "b: a vector of float64 is wanted, not of complex128"),
    ],
)
def test_bad_inputs(S, error, f, says):
    with pytest.raises(error, match=says) as raised:
        f(copse.array(S))
    assert type(raised.value) is error and "incompatible function arguments" not in str(raised.value)


def test_threads_that_do_not_start_change_nothing(monkeypatch):
    before = copse.get_threads()
    with monkeypatch.context() as patched, pytest.raises(ValueError, match="the system starts only"):
        patched.setattr(_core, "thread_count", Mock(side_effect=ValueError("the system starts only 3")))
        copse.threads(before + 3).__enter__()
    assert copse.get_threads() == before


def test_what_only_looks_bad(S):
    assert copse.array(np.empty((3, 0))).shape == (3, 0)
    assert copse.csr_array((2**31, 2**31)).nnz == 0
    with pytest.warns(PendingDeprecationWarning):
        assert copse.array(np.matrix([[1.0, 2.0]])).nnz == 2
