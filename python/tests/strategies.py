"""Matrices for hypothesis. Values are small whole numbers: products and sums of them are exact, so that results of
copse and SciPy are compared bit by bit."""

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

DTYPES = [np.float32, np.float64]
FORMATS = ["hisparse", "csr", "csr5", "sellp", "cmrs"]
sizes = st.one_of(st.integers(0, 9), st.sampled_from([63, 64, 65, 127, 128, 129, 300]))


@st.composite
def matrices(draw, m=sizes, n=sizes, dtype=None):
    """A sparse array of SciPy: csr, csc or coo, indices of 32 or 64 bits, in any order; coo may repeat entries."""
    m, n = draw(m), draw(n)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    entries = 0 if m * n == 0 else int(rng.integers(0, draw(st.sampled_from([1, 4, m * n // 8 + 1, m * n])) + 1))
    row, col = rng.integers(0, max(m, 1), entries), rng.integers(0, max(n, 1), entries)
    data = rng.integers(-4, 5, entries).astype(draw(st.sampled_from(DTYPES)) if dtype is None else dtype)
    S = sp.coo_array((data, (row, col)), shape=(m, n))
    kind = draw(st.sampled_from(["csr", "csc", "coo"]))
    if kind != "coo":
        S = S.asformat(kind)
        if draw(st.booleans()):
            S = _shuffled(S, rng)
        if draw(st.booleans()):
            S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    return S


def _shuffled(S, rng):
    """The same with the indices of each row, or column, in another order."""
    S = S.copy()
    for first, last in zip(S.indptr, S.indptr[1:], strict=False):
        order = first + rng.permutation(last - first)
        S.indices[first:last], S.data[first:last] = S.indices[order], S.data[order]
    S.has_sorted_indices = False
    return S


def vector(size, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).integers(-4, 5, size).astype(dtype)


def same(A, S):
    """Asserts that a copse array and a sparse array of SciPy, or two dense ones, are equal."""
    left = A.toarray() if hasattr(A, "toarray") else A
    right = S.toarray() if hasattr(S, "toarray") else S
    assert left.shape == right.shape
    np.testing.assert_array_equal(left, right)
