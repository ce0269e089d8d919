"""Products of a matrix of _core with arrays of its place: types, shapes, orders and complex vectors by NumPy's
rules."""

from typing import Any

import numpy as np

from ._arrays import FLOAT32, FLOAT64, product_dtype
from ._devices import Gpu, Host


def product(where: Host | Gpu, core: Any, dtype: np.dtype, x: Any, out: Any = None) -> Any:
    """A @ x for x of one or two dimensions. out: where the result goes, of its shape and type. Raises ValueError for
    shapes that do not fit, TypeError for types and for arrays that are not where A is."""
    x = where.array("x", x)
    empty = where.xp.empty
    m, n = core.shape
    wanted = product_dtype(dtype, x.dtype)
    if x.ndim not in (1, 2):
        advice = "; multiply with a number by *" if x.ndim == 0 else ""
        raise ValueError(f"A @ x: x must have one or two dimensions; it has {x.ndim}{advice}")
    if x.shape[0] != n:
        raise ValueError(f"A @ x: A is {m} x {n}, so x must have {n} rows; it has {x.shape[0]}")
    shape = (m, *x.shape[1:])
    if out is not None:
        check_out(where, out, shape, wanted)
    if wanted.kind == "c":
        y = empty(shape, wanted) if out is None else out
        real = np.float32 if wanted.itemsize == 8 else np.float64
        y.real, y.imag = (product(where, core, dtype, part.astype(real, copy=False)) for part in (x.real, x.imag))
        return y
    if dtype == FLOAT32 and wanted == FLOAT64 and core.format != "hisparse":
        raise TypeError(
            f"A @ x: A is float32 in the format {core.format}, which multiplies vectors of float32; x is {x.dtype}. "
            "Convert x, or A by asformat('hisparse')"
        )
    if x.ndim == 2 and core.format == "hisparse":
        y = empty(shape, wanted) if out is None else out
        _block(where, core, x, wanted, y)
    else:
        y = empty(shape, wanted, order="F") if out is None else out
        _columns(where, core, x, wanted, y)
    return y


def _block(where: Host | Gpu, core: Any, x: Any, wanted: np.dtype, y: Any) -> None:
    """y <- A x for all columns at once. x and y have two dimensions, any types and strides that NumPy has."""
    to = y if where.is_ready(y) and not where.xp.may_share_memory(x, y) else where.xp.empty(y.shape, wanted)
    core.multiply_columns(1.0, where.ready(x, wanted), 0.0, to)
    if to is not y:
        y[:] = to


def _columns(where: Host | Gpu, core: Any, x: Any, wanted: np.dtype, y: Any) -> None:
    """y <- A x, column by column. x and y have one or two dimensions, any types and strides that NumPy has."""
    if x.ndim == 1:
        to = y if where.is_ready(y) else where.xp.empty(y.shape, wanted)
        core.multiply(1.0, where.ready(x, wanted), 0.0, to)
        if to is not y:
            y[:] = to
        return
    columns = where.xp.asfortranarray(x, wanted)
    for k in range(x.shape[1]):
        _columns(where, core, columns[:, k], wanted, y[:, k])


def check_out(where: Host | Gpu, out: Any, shape: tuple[int, ...], dtype: np.dtype) -> None:
    if not isinstance(out, where.xp.ndarray) or out.dtype != dtype:
        kind = f"{type(out).__name__} of {out.dtype}" if hasattr(out, "dtype") else type(out).__name__
        raise TypeError(f"out must be an array of {dtype} on {where.name}; it is {kind}")
    if out.shape != shape:
        raise ValueError(f"out must have the shape {shape}; it has {out.shape}")
    if not getattr(out.flags, "writeable", True):  # CuPy has no such flag
        raise ValueError("out is read-only")


def vector(where: Host | Gpu, name: str, given: Any, size: int, dtype: np.dtype) -> Any:
    """A vector of the matrix's own type for C++. Raises TypeError where that would lose bits, ValueError."""
    v = where.array(name, given)
    if v.dtype.kind not in "buif" or v.dtype.itemsize > 8:
        raise TypeError(f"{name}: a vector of {dtype} is wanted, not of {v.dtype}")
    if dtype == FLOAT32 and product_dtype(dtype, v.dtype) == FLOAT64:
        raise TypeError(f"{name}: A is float32, and this product takes vectors of float32; {name} is {v.dtype}")
    if v.shape != (size,):
        raise ValueError(f"{name} must have the shape ({size},); it has {v.shape}")
    return where.ready(v, dtype)
