"""Sparse matrices as trees of small nodes (HiSparse): products with A and with A.T take the same time, sums read their
operands as they are stored, and results have the same bits at every call.

    import copse
    A = copse.array(S)                  # any sparse array of SciPy
    y = A @ x; z = A.T @ y; C = A - 0.5 * B.T
    x, info = copse.linalg.cg(A, b)

Names and operators are those of scipy.sparse's arrays. https://docs.scipy.org/doc/scipy/reference/sparse.html says what
they do; docs/python.md says what differs.
"""

from . import linalg
from ._arrays import ConversionWarning
from ._construct import array, coo_array, csc_array, csr_array, read
from ._sparse import Plan, SparseArray
from ._sums import SumPlan
from ._threads import get_threads, threads

__version__ = "0.2.0"

__all__ = [
    "ConversionWarning",
    "Plan",
    "SparseArray",
    "SumPlan",
    "array",
    "coo_array",
    "csc_array",
    "csr_array",
    "get_threads",
    "linalg",
    "read",
    "threads",
]
