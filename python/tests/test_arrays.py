"""Arrays in and out: addresses, copies, orders, what is refused and how."""

import gc
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from strategies import DTYPES, same, vector

import copse
from copse import _core
from copse._arrays import indices
from copse._devices import HOST


def bytes_taken(f):
    """The most bytes of NumPy's arrays that f() held at a time, beyond those before."""
    gc.collect()
    tracemalloc.start()
    try:
        f()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dtype", [*DTYPES, np.int32, np.int64])
def test_arrays_are_read_where_they_lie(dtype):
    a = np.arange(1000).astype(dtype)
    assert HOST.ready(HOST.array("a", a)) is a
    assert np.dtype(dtype).kind == "f" or indices("a", a) is a
    assert _core.address_of(a) == a.ctypes.data
    assert _core.address_of(a[100:]) == a.ctypes.data + 100 * a.itemsize
    a.flags.writeable = False
    assert _core.address_of(HOST.ready(a)) == a.ctypes.data


@pytest.mark.parametrize("make", [copse.csr_array, copse.csc_array])
def test_conversions_make_no_copies(make):
    n = 200_000
    data, index, indptr = np.ones(n), np.arange(n, dtype=np.int32), np.arange(n + 1, dtype=np.int64)
    assert bytes_taken(lambda: make((data, index, indptr), shape=(n, n))) < 20_000
    S = sp.coo_array((data, (index, index)), shape=(n, n))
    assert bytes_taken(lambda: copse.array(S)) < 20_000
    assert bytes_taken(lambda: copse.array(S.tocsr())) < 20_000 + bytes_taken(lambda: S.tocsr())


def test_products_take_their_result_only():
    n = 200_000
    A = copse.array(sp.eye_array(n).tocsr())
    x, y = np.ones(n), np.empty(n)
    A @ x
    assert bytes_taken(lambda: A @ x) < 1.1 * x.nbytes
    assert bytes_taken(lambda: A.T @ x) < 1.1 * x.nbytes
    assert bytes_taken(lambda: A.dot(x, out=y)) < 20_000


class HasDlpack:
    """An array of another framework: DLPack's interface, and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack(S):
    parts = [HasDlpack(a) for a in (S.data, S.indices, S.indptr)]
    assert HOST.array("data", parts[0]).ctypes.data == S.data.ctypes.data
    same(copse.csr_array(tuple(parts), shape=S.shape), S)


def test_arrays_may_go_before_the_matrix(S):
    A = copse.csr_array((S.data.copy(), S.indices.copy(), S.indptr.copy()), shape=S.shape)
    gc.collect()
    same(A, S)
    back = A.to_scipy()
    del A
    gc.collect()
    same(back, S)


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.bool_])
def test_integers_and_bool_are_converted_and_said(dtype):
    T = sp.csr_array(np.eye(4, dtype=dtype))
    with pytest.warns(copse.ConversionWarning, match=f"{np.dtype(dtype)} are converted to float64") as said:
        assert copse.array(T).dtype == np.float64
    assert said[0].filename == __file__
    assert copse.array(T, dtype=np.float32).dtype == np.float32  # and no warning
    with pytest.warns(copse.ConversionWarning) as said:
        copse.csr_array((T.data, T.indices, T.indptr))
    assert said[0].filename == __file__


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_matrices_are_refused(dtype):
    T = sp.csr_array(np.eye(4, dtype=dtype))
    for f in (lambda: copse.array(T), lambda: copse.array(T, dtype=np.float64)):
        with pytest.raises(TypeError, match="complex"):
            f()


def test_other_types_are_refused(S):
    with pytest.raises(TypeError, match="longdouble|float128"):
        copse.array(S.astype(np.longdouble))
    with pytest.raises(TypeError, match="int32"):
        copse.array(S, dtype=np.int32)
    A = copse.array(S)
    with pytest.raises(TypeError, match="float128"):
        A @ np.ones(200, np.longdouble)
    with pytest.raises(TypeError, match="object"):
        A @ np.ones(200, object)
    with pytest.raises(TypeError, match="indices are integers"):
        copse.csr_array((S.data, S.indices.astype(float), S.indptr), shape=S.shape)


def test_out(S):
    A = copse.array(S)
    x, y = vector(200), np.empty(300)
    assert A.dot(x, out=y) is y
    same(y, S @ x)
    wide = np.empty((300, 2))
    assert np.shares_memory(A.dot(x, out=wide[:, 1]), wide)
    same(wide[:, 1], S @ x)
    X = vector(600).reshape(200, 3)
    for Y in (np.empty((300, 3)), np.empty((300, 3), order="F"), np.empty((600, 3))[::2]):
        assert A.dot(X, out=Y) is Y
        same(Y, S @ X)
    with pytest.raises(ValueError, match="shape"):
        A.dot(x, out=np.empty(299))
    with pytest.raises(TypeError, match="out must be an array of float64"):
        A.dot(x, out=np.empty(300, np.float32))
    y.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        A.dot(x, out=y)
    square = copse.array(sp.eye_array(8).tocsr())
    x = np.ones(8)
    with pytest.raises(ValueError, match="overlap"):
        square.dot(x, out=x)


def test_several_columns(S):
    X = vector(200 * 9).reshape(200, 9)
    for dtype, given in [(np.float64, X), (np.float32, X), (np.float32, X.astype(np.float32))]:
        A = copse.array(S.astype(dtype))
        for part in (given, given[:, ::2], given[:, :1], np.asfortranarray(given), given[:, :0]):
            Y = A @ part
            assert Y.dtype == given.dtype and Y.flags.c_contiguous
            same(Y, S @ part)
            same(A.T @ Y, S.T @ Y)
        np.testing.assert_array_equal(A @ given, A @ given)
    square = copse.array(sp.eye_array(200).tocsr() * 2)
    both = np.concatenate([X, np.full((200, 9), np.nan)], axis=1)
    square.dot(both[:, :9], out=both[:, 9:])
    same(both[:, 9:], 2 * X)
    square.dot(X, out=X)
    same(X, both[:, 9:])


def test_unaligned_and_swapped_bytes(S):
    A, x = copse.array(S), vector(200)
    raw = np.empty(200 * 8 + 1, np.uint8)
    unaligned = raw[1:].view(np.float64)
    unaligned[:] = x
    same(A @ unaligned, S @ x)
    assert not unaligned.flags.aligned and HOST.ready(unaligned).flags.aligned
    same(A @ x.astype(">f8"), S @ x)
    same(copse.csr_array((S.data.astype(">f8"), S.indices.astype(">i4"), S.indptr.astype(">i8")), S.shape), S)


def test_shapes_that_do_not_fit(S):
    A = copse.array(S)
    for f, says in [
        (lambda: A @ np.ones(199), "300 x 200"),
        (lambda: A @ np.ones((199, 2)), "300 x 200"),
        (lambda: A @ np.ones((199, 0)), "300 x 200"),
        (lambda: np.ones(200) @ A, "A is 300 x 200; x has 200 elements"),
        (lambda: np.ones((2, 200)) @ A, "300 x 200"),
        (lambda: A @ 3.0, "by \\*"),
        (lambda: A @ np.ones((200, 1, 1)), "dimensions"),
        (lambda: A + A.T, "same shape"),
        (lambda: A.both(np.ones(200), np.ones(299)), "w"),
        (lambda: A.normal(np.ones(200), np.ones(299)), "d"),
        (lambda: A.with_data(np.ones(3)), "values"),
        (lambda: copse.csr_array((S.data, S.indices, S.indptr), shape=(300, 3)), "column"),
        (lambda: copse.csr_array((S.data[:-1], S.indices, S.indptr), shape=S.shape), "values|entries|elements"),
        (lambda: copse.coo_array(([1.0], ([-1], [0])), shape=(3, 3)), "-1"),
        (lambda: copse.csr_array((-1, 3)), "shape"),
        (lambda: copse.array(np.ones(3)), "two dimensions"),
        (lambda: A.asformat("lil"), "hisparse, csr"),
        (lambda: copse.array(S, values="twice"), "once"),
        (lambda: copse.threads(-1).__enter__(), "threads"),
    ]:
        with pytest.raises(ValueError, match=says):
            f()


def test_positions_outside_are_index_errors(S):
    A = copse.array(S)
    for f in (
        lambda: A[300, 0],
        lambda: A[0, -201],
        lambda: A[0],
        lambda: A[0, 1:3],
        lambda: A[0:9:2, 0:1],
        lambda: A[[1, 2], [3, 4]],
        lambda: A.edited([300], [0], [1.0]),
        lambda: A.edited([0], [-201], [1.0]),
    ):
        with pytest.raises(IndexError):
            f()


OUT_OF_MEMORY = """
import resource
import numpy as np
import copse
n = 3_000_000
data, index, indptr = np.random.default_rng(0).random(n), np.arange(n), np.arange(n + 1)
copse.csr_array((data[:9], index[:9], indptr[:10]), shape=(9, 9)) @ data[:9]
with open("/proc/self/statm") as f:
    used = int(f.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 8_000_000, -1))
try:
    copse.csr_array((data, index, indptr), shape=(n, n))
except MemoryError as e:
    print("MemoryError", e)
"""


def test_too_little_memory_is_a_memory_error():
    ran = subprocess.run([sys.executable, "-c", OUT_OF_MEMORY], capture_output=True, text=True, timeout=100)
    assert ran.stdout.startswith("MemoryError"), ran.stderr
