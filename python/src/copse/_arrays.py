"""What is made of arguments before C++ sees them: arrays that are contiguous and of a type that copse takes. An array
that is both already is passed on as it is, without a copy. `where` is the matrix's place (_devices.py)."""

import warnings
from typing import Any

import numpy as np

from ._devices import HOST, Gpu, Host

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


class ConversionWarning(UserWarning):
    """The values of a matrix were converted to float32 or float64. Give `dtype` to say so yourself."""


def matrix_dtype(given: np.dtype, asked: Any = None, stacklevel: int = 3) -> np.dtype:
    """Returns float32 or float64: `asked`, or what values of type `given` become. Raises TypeError for complex values
    and for those that float64 does not hold."""
    if asked is not None:
        dtype = np.dtype(asked)
        if dtype not in (FLOAT32, FLOAT64):
            raise TypeError(f"dtype: copse has matrices of float32 and float64, not of {dtype}")
        if given.kind == "c":
            raise TypeError(f"copse has no complex matrices (dtype {given}): convert S.real and S.imag one by one")
        return dtype
    if given.newbyteorder("=") in (FLOAT32, FLOAT64):
        return given.newbyteorder("=")
    if given.kind == "c":
        raise TypeError(f"copse has no complex matrices (dtype {given}): convert S.real and S.imag one by one")
    if given.kind not in "buif" or given.itemsize > 8:
        raise TypeError(f"copse has matrices of float32 and float64, and converts integers and bool; not {given}")
    dtype = FLOAT32 if given == np.float16 else FLOAT64
    warnings.warn(
        f"values of {given} are converted to {dtype}; give dtype=np.{dtype} to say so",
        ConversionWarning,
        stacklevel=stacklevel,
    )
    return dtype


def product_dtype(a: np.dtype, x: np.dtype) -> np.dtype:
    """Returns the type of A @ x by NumPy's rule: float32, float64, complex64 or complex128. Raises TypeError."""
    if x.kind not in "buifc":
        raise TypeError(f"x: copse multiplies numbers, not {x}")
    dtype = np.result_type(a, x)
    if dtype.itemsize > (16 if dtype.kind == "c" else 8):
        raise TypeError(f"x: copse multiplies with float32, float64 and complex vectors of these, not with {x}")
    return dtype


def indices(name: str, given: Any, where: Host | Gpu = HOST) -> Any:
    """An array of int32 or int64 for C++, in that place. Raises TypeError for anything but integers, ValueError for
    several dimensions."""
    array = where.array(name, given)
    if array.size == 0 and array.dtype.kind == "f":  # an empty list
        array = array.astype(np.int32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}: indices are integers, not {array.dtype}")
    small = not array.dtype.isnative or array.dtype.itemsize < 4
    return where.ready(flat(name, array), np.dtype(np.int64) if small else None)


def flat(name: str, array: Any) -> Any:
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension; it has {array.ndim}")
    return array
