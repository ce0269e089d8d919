"""What SparseArray has of other formats, types and places, copies, and what SciPy computes."""

import importlib
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from ._arrays import FLOAT32, matrix_dtype
from ._devices import HOST, Gpu


class Conversions:
    """Methods of SparseArray that give the same entries in another form."""

    __slots__ = ()

    def to_scipy(self) -> sp.csr_array:
        """Returns a csr_array of SciPy with sorted indices; the only copy is the one that it holds. Raises
        MemoryError."""
        m, _ = self._shape
        indptr, column, data = np.empty(m + 1, np.int64), np.empty(self.nnz, np.int32), np.empty(self.nnz, self._dtype)
        self._core.to_arrays(indptr, column, data)
        if self.nnz < 2**31:
            indptr = indptr.astype(np.int32)
        result = sp.csr_array((data, column, indptr), shape=self._shape)
        result.has_sorted_indices = True
        result.has_canonical_format = True
        return result

    tocsr = to_scipy

    def tocsc(self) -> sp.csc_array:
        """Returns a csc_array of SciPy with sorted indices."""
        return self.T.to_scipy().T

    def tocoo(self) -> sp.coo_array:
        """Returns a coo_array of SciPy, row by row, columns ascending."""
        return self.to_scipy().tocoo()

    def toarray(self) -> np.ndarray:
        """Returns a dense array of NumPy. Raises MemoryError."""
        return self.to_scipy().toarray()

    todense = toarray

    def to_cupy(self) -> Any:
        """Returns a csr_matrix of CuPy on A's device; of a transpose, a csc_matrix. A on the CPU goes to "cuda:0".
        Raises TypeError where CuPy or the GPU cannot be used."""
        if self._where is HOST:
            return self.to_device(f"{Gpu.kind}:0").to_cupy()
        core, sparse = self._core, importlib.import_module("cupyx.scipy.sparse")
        indptr, column, data = (self._where.xp.from_dlpack(part) for part in core.stored_rows())
        kind = sparse.csc_matrix if core.is_transposed else sparse.csr_matrix
        return kind((data if core.scale == 1 else core.scale * data, column, indptr), shape=self._shape)

    def to_device(self, device: str) -> Self:
        """Returns A on that device, "cpu" or "cuda:0"; A itself if it is there. The entries go through host memory, and
        are converted anew. Raises ValueError for other names, TypeError where the GPU cannot be used."""
        if device == self.device:
            return self
        if device != "cpu":
            Gpu.of_name(device)
        return type(self)(self._core.converted(self._dtype == FLOAT32, self.format, device=device))

    def asformat(self, format: str) -> Self:
        """Returns A in that format: "hisparse", "csr", "csr5", "sellp" or "cmrs". Sums and edits take HiSparse, and
        convert what is not. Raises ValueError for other names, and for flat formats on a GPU, TypeError."""
        if format == self.format:
            return self
        if not isinstance(format, str):
            raise TypeError(f"format: a name is wanted, not {format!r}")
        return type(self)(self._core.converted(self._dtype == FLOAT32, format))

    def astype(self, dtype: Any) -> Self:
        """Returns A with values of dtype, np.float32 or np.float64; A itself if it has them. Raises TypeError for
        others."""
        to = matrix_dtype(self._dtype, dtype)
        return self if to == self._dtype else type(self)(self._core.converted(to == FLOAT32, self.format))

    def copy(self) -> Self:
        """Returns a copy that shares everything: nothing of it can change."""
        return type(self)(self._core)

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Self:
        return self.copy()

    # As in SciPy, and by SciPy where the result is no copse array.

    def transpose(self, axes: tuple[int, int] | None = None) -> Self:
        """Returns A.T. Raises ValueError for axes other than None and (1, 0)."""
        if axes not in (None, (1, 0)):
            raise ValueError(f"transpose: axes must be (1, 0), not {axes}")
        return self.T

    def conj(self) -> Self:
        """Returns A: its values are real."""
        return self

    conjugate = conj

    def sum(self, axis: int | None = None) -> Any:
        """Returns the sum of all values, or an array of NumPy with those along an axis, as SciPy forms them. Raises
        ValueError for other axes than None, 0, 1, -1 and -2."""
        return self.to_scipy().sum(axis)

    def mean(self, axis: int | None = None) -> Any:
        """Returns sum(axis) divided by the number of places. Raises as sum() does."""
        return self.to_scipy().mean(axis)

    def diagonal(self, k: int = 0) -> np.ndarray:
        """Returns A[i, i + k] for each row i that has this place, as an array of NumPy, as SciPy does; for a k
        outside of A an empty one."""
        return self.to_scipy().diagonal(k)

    def trace(self, offset: int = 0) -> Any:
        """Returns the sum of diagonal(offset), as SciPy does."""
        return self.to_scipy().trace(offset)
