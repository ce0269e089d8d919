"""The class of all of copse's matrices."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _core
from ._arrays import FLOAT32, FLOAT64, indices
from ._conversions import Conversions
from ._devices import HOST, place
from ._elementwise import Elementwise
from ._products import product, vector

_DTYPES = {"float32": FLOAT32, "float64": FLOAT64}


class SparseArray(Elementwise, Conversions):
    """A sparse matrix that never changes. Made by copse.array(), csr_array(), csc_array(), coo_array(), read(); the
    operators are those of SciPy's sparse arrays. A.T and numbers times A share the memory of A.

    A @ x goes through a plan, which is made at the first product and shared by A, A.T and s * A. The same call gives
    the same bits every time, on the same number of threads.
    """

    __slots__ = ("_core", "_dtype", "_shape", "_where", "__weakref__")
    __array_ufunc__ = None  # so that NumPy's arrays and numbers leave x @ A, x * A, x + A to this class
    __hash__ = None  # type: ignore[assignment]
    ndim = 2

    def __init__(self, core: Any):
        if not isinstance(core, _core.matrix):
            raise TypeError("copse.array(S) makes a SparseArray; the class itself takes nothing of yours")
        self._core = core
        self._shape = core.shape
        self._dtype = _DTYPES[core.dtype]
        self._where = place(core.device)

    # What it is.

    @property
    def shape(self) -> tuple[int, int]:
        """(m, n)"""
        return self._shape

    @property
    def dtype(self) -> np.dtype:
        """The type of the values: float32 or float64."""
        return self._dtype

    @property
    def nnz(self) -> int:
        """The number of entries; explicit zeros are entries."""
        return self._core.nnz

    size = nnz

    @property
    def nbytes(self) -> int:
        """Bytes of the matrix, without those of plans (Plan.nbytes)."""
        return self._core.nbytes

    @property
    def format(self) -> str:
        """ "hisparse", "csr", "csr5", "sellp" or "cmrs"."""
        return self._core.format

    @property
    def device(self) -> str:
        """Where A is: "cpu", or "cuda:0"."""
        return self._where.name

    @property
    def T(self) -> "SparseArray":
        """The transpose, which shares everything. O(1)."""
        return SparseArray(self._core.transposed())

    def __repr__(self) -> str:
        m, n = self._shape
        return f"<{m}x{n} copse array in {self.format} of dtype {self._dtype} with {self.nnz} entries>"

    def __str__(self) -> str:
        state = " of the transpose" if self._core.is_transposed else ""
        scale = f", times {self._core.scale:g}" if self._core.scale != 1 else ""
        per = f" ({self.nbytes / self.nnz:.2f} for an entry)" if self.nnz else ""
        return f"{self!r}\n  {self.nbytes} bytes{state}{per}{scale}"

    def __len__(self) -> int:
        raise TypeError("the length of a sparse array is ambiguous; use A.nnz or A.shape[0]")

    def __bool__(self) -> bool:
        if self._shape == (1, 1):
            return self.nnz != 0
        raise ValueError("the truth value of a sparse array with more than one element is ambiguous; use A.nnz")

    def __iter__(self) -> Any:
        raise TypeError("a copse array is not iterated over; A.to_scipy() is, row by row")

    # Products.

    def __matmul__(self, other: Any) -> Any:
        if self._where is HOST and type(other) is np.ndarray and other.ndim == 1 and other.dtype is self._dtype:
            flags = other.flags
            if flags.c_contiguous and flags.aligned:
                y = np.empty(self._shape[0], self._dtype)
                self._core.multiply(1.0, other, 0.0, y)
                return y
        return self._product(self._dense("A @ B", other))

    def __rmatmul__(self, other: Any) -> Any:
        other = self._where.array("x", self._dense("B @ A", other))
        if other.ndim in (1, 2) and other.shape[-1] != self._shape[0]:
            has = "elements" if other.ndim == 1 else "columns"
            raise ValueError(f"x @ A: A is {self._shape[0]} x {self._shape[1]}; x has {other.shape[-1]} {has}")
        return self.T._product(other.T).T

    def dot(self, other: Any, out: Any = None) -> Any:
        """Returns A @ other. other: n elements, or n rows, where A is. out: an array of the result's shape and type,
        which other does not overlap; it is returned. Raises ValueError for shapes that do not fit, TypeError for
        types."""
        if np.isscalar(other) and out is None:
            return self * other
        return self._product(self._dense("A.dot(B)", other), out)

    def matvec(self, x: Any) -> Any:
        """Returns A @ x, for solvers that want a linear operator. Raises as dot() does."""
        return self._product(x)

    def rmatvec(self, x: Any) -> Any:
        """Returns A.T @ x. Raises as dot() does."""
        return self.T._product(x)

    matmat, rmatmat = matvec, rmatvec

    def both(self, x: Any, w: Any) -> tuple[Any, Any]:
        """Returns (A @ x, A.T @ w); A is read once, where that moves fewer bytes. x: n elements, w: m, of A's type.
        Raises ValueError for other sizes, TypeError for types that would lose bits."""
        m, n = self._shape
        x, w = self._vector("x", x, n), self._vector("w", w, m)
        y, z = self._where.xp.empty(m, self._dtype), self._where.xp.empty(n, self._dtype)
        if self.format == "hisparse":
            self._core.both(x, y, w, z)
        else:
            self._core.multiply(1.0, x, 0.0, y)
            self._core.transposed().multiply(1.0, w, 0.0, z)
        return y, z

    def normal(self, x: Any, d: Any = None) -> Any:
        """Returns A.T @ (d * (A @ x)), without d A.T @ (A @ x); on a CPU A is read once. x: n elements, d: m, of A's
        type. Raises ValueError for other sizes, TypeError for types that would lose bits."""
        m, n = self._shape
        x, d = self._vector("x", x, n), None if d is None else self._vector("d", d, m)
        if self.format != "hisparse" or self._where is not HOST:
            y = self @ x
            return self.T @ (y if d is None else d * y)
        z = np.empty(n, self._dtype)
        self._core.normal(x, d, z)
        return z

    def plan(self) -> "Plan":
        """Makes the plan of products now, for this thread's number of threads, unless there is one, and returns it.
        Raises MemoryError."""
        return Plan(self)

    def tune(self, products: int = 1000) -> "SparseArray":
        """Returns A in the format that is fastest for so many products with A and with A.T, with its plan made. A trial
        finds it, which takes at most a tenth of their time, or two tenths. For fewer than 20 products A stays as it is:
        converting it takes as long. On a GPU A stays a tree. Raises TypeError for a number that is not whole,
        ValueError for one below 0, MemoryError."""
        if operator.index(products) < 0:
            raise ValueError(f"products: {products} is less than 0")
        if products < 20:
            return self
        result = self.asformat(self._core.tuned_format(products)) if self._where is HOST else self
        result._core.make_plan()
        return result

    # Other values, other entries, parts.

    def with_data(self, data: Any) -> "SparseArray":
        """Returns A with other values. data: one for each entry, row by row, columns ascending, as to_scipy().data has
        them, where A is. The result shares A's structure; its plan, if A has one, follows from A's. Raises ValueError
        for another number of values, TypeError for what is no real number."""
        data = self._where.array("data", data)
        if data.dtype.kind not in "buif" or data.dtype.itemsize > 8:
            raise TypeError(f"data: values of {self._dtype} are wanted, not of {data.dtype}")
        if data.ndim != 1:
            raise ValueError(f"data must have one dimension; it has {data.ndim}")
        return SparseArray(self._tree()._core.with_data(self._where.ready(data, self._dtype)))

    def edited(self, rows: Any, cols: Any, vals: Any = None, *, how: str = "set") -> "SparseArray":
        """Returns A with A[rows[k], cols[k]] = vals[k] (how="set"), += vals[k] ("add"), or without these entries
        ("erase", no vals), in this order. Entries are created where there are none. Nodes without an edit are shared
        with A. Negative indices count from the end. The arrays are in host memory. Raises IndexError for positions
        outside of A, ValueError for arrays of different sizes and another `how`, TypeError for indices that are not
        integers."""
        if how not in ("set", "add", "erase") or (vals is None) != (how == "erase"):
            raise ValueError(f"how: {how!r} is none of 'set' and 'add', with vals, and 'erase', without")
        m, n = self._shape
        rows, cols = _counted("rows", rows, m), _counted("cols", cols, n)
        vals = np.zeros(rows.size, self._dtype) if vals is None else np.atleast_1d(HOST.array("vals", vals))
        if vals.dtype.kind not in "buif":
            raise TypeError(f"vals: numbers are wanted, not {vals.dtype}")
        if vals.size == 1 and vals.size != rows.size:
            vals = np.full(rows.size, vals[0])
        return SparseArray(self._tree()._core.edited(rows, cols, HOST.ready(vals, self._dtype), how))

    def pruned(self) -> "SparseArray":
        """Returns A without its entries of value 0."""
        return SparseArray(self._tree()._core.pruned())

    def __getitem__(self, key: Any) -> Any:
        """A[i, j]: a number. A[i0:i1, j0:j1]: a copse array, whose whole nodes are shared with A."""
        if not (isinstance(key, tuple) and len(key) == 2):
            raise IndexError("copse arrays take A[i, j] and A[i0:i1, j0:j1]; for others A.to_scipy()[...]")
        (row, rows), (column, columns) = (_range(k, size) for k, size in zip(key, self._shape, strict=True))
        if (rows is None) != (columns is None):
            raise IndexError("copse arrays have two dimensions: give A[i:i+1, j0:j1] for a row")
        part = self._tree()._core.part(row, 1 if rows is None else rows, column, 1 if columns is None else columns)
        if rows is not None:
            return SparseArray(part)
        return SparseArray(part).to_scipy().sum(dtype=self._dtype)

    def map_leaves(self, f: Callable[[np.ndarray, np.ndarray, np.ndarray], Any]) -> list[Any]:
        """Returns [f(rows, columns, values) for each leaf of the tree], in the order of the leaves' first rows and
        columns. The arrays hold the leaf's entries with their places in A, and are read-only. They are copies, not
        views: a leaf stores a coordinate as one byte, relative to the leaf, a diagonal as one run, and a value that
        repeats once, and A.T and 2 * A have the leaves of A. All entries are listed, by all threads, before the first
        call, which takes 24 bytes for each. Raises what f raises, which ends the calls; ValueError for a matrix on a
        GPU."""
        if not callable(f):
            raise TypeError(f"f: a function is wanted, not {type(f).__name__}")
        return self._tree()._core.map_leaves(f)

    def __reduce__(self) -> tuple[Any, ...]:
        stored = SparseArray(self._core.stored()).to_scipy()
        arrays = stored.data, stored.indices, stored.indptr
        state = self._core.is_transposed, self._core.scale
        return _restored, (self.format, stored.shape, arrays, *state, self.device)

    def spy(self, ax: Any = None, most_cells: int = 480) -> Any:
        """Draws where the entries are, and the boxes of the tree's nodes, into ax, a matplotlib Axes, which is
        returned; None: the current one. most_cells: rows and columns of the picture's grid at most. Raises ImportError
        without matplotlib."""
        from ._spy import draw

        return draw(self._tree()._core, self._shape, ax, operator.index(most_cells))

    # Within.

    def _product(self, x: Any, out: Any = None) -> Any:
        return product(self._where, self._core, self._dtype, x, out)

    def _vector(self, name: str, given: Any, size: int) -> Any:
        return vector(self._where, name, given, size, self._dtype)

    def _dense(self, operation: str, other: Any) -> Any:
        if isinstance(other, SparseArray) or sp.issparse(other):
            raise TypeError(f"{operation}: copse multiplies with dense arrays only; use A.to_scipy() @ B.to_scipy()")
        return other

    def _tree(self) -> "SparseArray":
        return self.asformat("hisparse")


class Plan:
    """The plan of A's products, which A.plan() gives: `P @ x` is `A @ x`. It keeps A. Raises MemoryError, TypeError."""

    __array_ufunc__ = None

    def __init__(self, A: SparseArray):
        if not isinstance(A, SparseArray):
            raise TypeError(f"A must be a copse array, not {type(A).__name__}")
        A._core.make_plan()
        self.matrix = A

    @property
    def nbytes(self) -> int:
        """Bytes of the plans of A, for all numbers of threads, beside A.nbytes."""
        return self.matrix._core.plan_bytes

    @property
    def device(self) -> str:
        """Where A is: "cpu", or "cuda:0"."""
        return self._where.name

    @property
    def T(self) -> "Plan":
        """The plan of A.T, which is the same."""
        return Plan(self.matrix.T)

    @property
    def shape(self) -> tuple[int, int]:
        """(m, n)"""
        return self.matrix.shape

    def __matmul__(self, x: Any) -> Any:
        return self.matrix @ x

    def __rmatmul__(self, x: Any) -> Any:
        return x @ self.matrix


def _counted(name: str, given: Any, size: int) -> np.ndarray:
    """Indices; negative ones count from the end, as in NumPy."""
    index = indices(name, np.atleast_1d(given) if not hasattr(given, "__dlpack__") else given)
    if not index.size or index.min() >= 0:
        return index
    if index.min() < -size:
        raise IndexError(f"{name}: {index.min()} is outside of a dimension of size {size}")
    return np.where(index < 0, index + size, index)


def _range(key: Any, size: int) -> tuple[int, int | None]:
    """(first, count), count None for a single index. Raises IndexError."""
    if isinstance(key, slice):
        first, last, step = key.indices(size)
        if step != 1:
            raise IndexError(f"copse arrays take slices of step 1, not {step}; for others A.to_scipy()[...]")
        return first, max(0, last - first)
    try:
        k = operator.index(key)
    except TypeError:
        raise IndexError("copse arrays take whole numbers and slices; for others A.to_scipy()[...]") from None
    if not -size <= k < size:
        raise IndexError(f"index {k} is outside of a dimension of size {size}")
    return k % size, None


def _restored(
    format: str, shape: tuple[int, int], arrays: tuple[np.ndarray, ...], transposed: bool, scale: float, device: str
) -> SparseArray:
    data, column, indptr = arrays
    stored = SparseArray(_core.from_compressed(*shape, indptr, column, data, False, format))
    core = stored.to_device(device)._core.scaled(scale)
    return SparseArray(core.transposed() if transposed else core)
