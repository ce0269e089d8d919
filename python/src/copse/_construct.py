"""copse.array() and its kin: from sparse arrays of SciPy, compressed rows and columns, lists of entries, files."""

import operator
import os
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _core
from ._arrays import FLOAT32, flat, indices, matrix_dtype
from ._devices import Gpu, Host, on_gpu, place_of
from ._sparse import SparseArray

_VALUES = {None: None, "once": True, "each": False}


def array(
    S: Any,
    shape: tuple[int, int] | None = None,
    dtype: Any = None,
    *,
    format: str = "hisparse",
    values: str | None = None,
    share_transposed: bool = False,
) -> SparseArray:
    """Converts S to a copse array. S stays as it is, and its arrays are read where they lie.

    S: a sparse array or matrix of SciPy or CuPy (csr, csc and coo as they are; others through coo), a copse array, a
        dense array, or what csr_array() takes. The result is where S is: on the CPU, or on the GPU.
    shape: (m, n), where S does not say it.
    dtype: np.float32 or np.float64. Not given: S's own; integers and bool become float64, with a ConversionWarning.
    format: "hisparse" (a tree), or a flat format: "csr", "csr5", "sellp", "cmrs".
    values: "once" stores values that repeat within a leaf once, "each" stores a value for each entry. Not given:
        "once". HiSparse only, as is
    share_transposed: stores blocks that are each other's transpose, or its negative, once.

    Raises ValueError for indices outside the matrix and arrays that do not fit together, TypeError for complex values,
    MemoryError.
    """
    make = _made({"format": format, "values": values, "share_transposed": share_transposed})
    if isinstance(S, SparseArray):
        to = matrix_dtype(S.dtype, dtype)
        return SparseArray(S._core.converted(single=to == FLOAT32, **make))
    if sp.issparse(S) or _is_of_cupyx(S):
        return _of_sparse(S, dtype, make)
    if isinstance(S, tuple):
        return _of_tuple(S, shape, dtype, make, columns=False)
    where = place_of(S)
    dense = where.array("S", S)
    if dense.ndim == 0:
        raise TypeError(f"S must be a sparse or dense array, or a list of rows; it is {type(S).__name__}")
    if dense.ndim != 2:
        raise ValueError(f"S must have two dimensions; it has {dense.ndim}")
    row, col = where.xp.nonzero(dense)
    return _of_entries(dense[row, col], row, col, dense.shape, dtype, make)


def csr_array(arg: Any, shape: tuple[int, int] | None = None, dtype: Any = None, **options: Any) -> SparseArray:
    """Converts arg, compressed rows: (data, indices, indptr), m + 1 offsets and int32 or int64 indices in any order,
    which are read where they lie. Also from (data, (row, col)), (m, n) for a matrix without entries, and what array()
    takes, with its options. Arrays are NumPy's or CuPy's, or have DLPack's interface or __cuda_array_interface__; lists
    are copied. shape: (m, n); not given: by the largest index. dtype, options and errors (what it raises): as in
    array()."""
    if not isinstance(arg, tuple):
        return array(arg, shape, dtype, **options)
    return _of_tuple(arg, shape, dtype, options, columns=False)


def csc_array(arg: Any, shape: tuple[int, int] | None = None, dtype: Any = None, **options: Any) -> SparseArray:
    """Converts arg, compressed columns: (data, indices, indptr), n + 1 offsets and row indices. shape, dtype, options
    and errors (what it raises): as in csr_array()."""
    if not isinstance(arg, tuple):
        return array(arg, shape, dtype, **options)
    return _of_tuple(arg, shape, dtype, options, columns=True)


def coo_array(arg: Any, shape: tuple[int, int] | None = None, dtype: Any = None, **options: Any) -> SparseArray:
    """Converts arg, a list of entries: (data, (row, col)); entries at one place are summed in the order given. shape,
    dtype, options and errors (what it raises): as in csr_array()."""
    return csr_array(arg, shape, dtype, **options)


def read(path: str | os.PathLike[str], dtype: Any = None, **options: Any) -> SparseArray:
    """Reads path, a Matrix Market file (.mtx, .mtx.gz). dtype: float64 unless given; options: those of array(). Raises
    OSError where the file cannot be opened, ValueError with the file and line where it breaks the format."""
    name = os.fspath(path)
    with open(name, "rb"):
        pass
    to = matrix_dtype(np.dtype(np.float64), dtype)
    return SparseArray(_core.read(os.fsdecode(name), to == FLOAT32, **_made(options)))


def _is_of_cupyx(S: Any) -> bool:
    return hasattr(S, "tocoo") and on_gpu(getattr(S, "data", None))


def _of_sparse(S: Any, dtype: Any, make: dict[str, Any]) -> SparseArray:
    if len(S.shape) != 2:
        raise ValueError(f"S must have two dimensions; it has {len(S.shape)}")
    if S.format in ("csr", "csc"):
        return _of_compressed(S.data, S.indices, S.indptr, S.shape, dtype, make, S.format == "csc")
    S = S.tocoo()
    return _of_entries(S.data, S.row, S.col, S.shape, dtype, make)


def _of_tuple(arg: tuple[Any, ...], shape: Any, dtype: Any, options: dict[str, Any], columns: bool) -> SparseArray:
    make = _made(options)
    if len(arg) == 2 and all(np.isscalar(n) for n in arg):
        empty = np.empty(0, np.int32)
        return _of_entries(np.empty(0, dtype or np.float64), empty, empty, arg, dtype, make)
    if len(arg) == 2 and isinstance(arg[1], tuple | list) and len(arg[1]) == 2:
        data, (row, col) = arg
        return _of_entries(data, row, col, shape, dtype, make)
    if len(arg) != 3:
        raise TypeError("give (data, indices, indptr), (data, (row, col)) or (m, n)")
    data, index, indptr = arg
    if shape is None:
        where = place_of(data, index, indptr)
        index, indptr = indices("indices", index, where), indices("indptr", indptr, where)
        if not indptr.size:
            raise ValueError("indptr is empty: it has one offset more than there are rows (csc: columns)")
        far = int(index.max()) + 1 if index.size else 0
        shape = (far, indptr.size - 1) if columns else (indptr.size - 1, far)
    return _of_compressed(data, index, indptr, shape, dtype, make, columns)


def _of_compressed(
    data: Any, index: Any, indptr: Any, shape: Any, dtype: Any, make: dict[str, Any], columns: bool
) -> SparseArray:
    m, n = _shape(shape)
    where = place_of(data, index, indptr)
    values = _values(where, data, dtype)
    offsets, places = indices("indptr", indptr, where), indices("indices", index, where)
    return SparseArray(_core.from_compressed(m, n, offsets, places, values, columns, **make, device=where.name))


def _of_entries(data: Any, row: Any, col: Any, shape: Any, dtype: Any, make: dict[str, Any]) -> SparseArray:
    where = place_of(data, row, col)
    rows, cols = indices("row", row, where), indices("col", col, where)
    if shape is None:
        if not rows.size:
            raise ValueError("shape is needed for a matrix without entries")
        shape = int(rows.max()) + 1, int(cols.max()) + 1
    m, n = _shape(shape)
    values = _values(where, data, dtype)
    return SparseArray(_core.from_coordinates(m, n, rows, cols, values, **make, device=where.name))


def _values(where: Host | Gpu, given: Any, dtype: Any) -> Any:
    values = flat("data", where.array("data", given))
    return where.ready(values, matrix_dtype(values.dtype, dtype, stacklevel=6))


def _shape(shape: Any) -> tuple[int, int]:
    try:
        m, n = map(operator.index, shape)
    except (TypeError, ValueError):
        raise TypeError(f"shape: two whole numbers are wanted, not {shape!r}") from None
    if not (0 <= m <= 2**31 and 0 <= n <= 2**31):
        raise ValueError(f"shape: {m} x {n}; dimensions must be from 0 to 2^31")
    return m, n


def _made(options: dict[str, Any]) -> dict[str, Any]:
    """The options of array() as those of _core. Raises TypeError, ValueError."""
    if "values_once" in options:  # they are
        return options
    known = {"format": "hisparse", "values": None, "share_transposed": False}
    for name in options:
        if name not in known:
            raise TypeError(f"unknown option {name!r}; there are format, values and share_transposed")
    known |= options
    format, values, share_transposed = known.values()
    if not isinstance(format, str):
        raise TypeError(f"format: a name is wanted, not {format!r}")
    if values not in list(_VALUES):
        raise ValueError(f"values: {values!r} is none of {', '.join(map(repr, _VALUES))}")
    if not isinstance(share_transposed, bool):
        raise TypeError(f"share_transposed: True or False is wanted, not {share_transposed!r}")
    return {"format": format, "values_once": _VALUES[values], "share_transposed": share_transposed}
