"""Where arrays and matrices are: in host memory, as NumPy has them, or on a GPU, as CuPy has them. A place has what the
package needs to know of an array module; all else is the same code for both."""

import importlib
from typing import Any

import numpy as np

from . import _core


class Host:
    """NumPy."""

    name = "cpu"
    xp: Any = np

    def array(self, name: str, given: Any) -> np.ndarray:
        """An array of NumPy over the memory of `given`: NumPy's own, DLPack's, or a copy of a list. Raises TypeError
        for memory of a GPU."""
        if type(given) is np.ndarray:
            return given
        if on_gpu(given):
            raise TypeError(
                f"{name} is in the memory of a GPU, and the matrix is not: give {name}.get(), or a matrix there"
            )
        if hasattr(given, "__dlpack__") and not hasattr(given, "__array__"):
            return np.from_dlpack(given)
        return np.asarray(given)

    def ready(self, array: np.ndarray, dtype: Any = None) -> np.ndarray:
        """`array` itself if it is contiguous, aligned and of that type, else a copy that is."""
        return np.require(array, dtype=dtype, requirements=["C", "A"])

    def is_ready(self, array: np.ndarray) -> bool:
        return array.flags.c_contiguous and array.flags.aligned

    def dot(self, x: np.ndarray, y: np.ndarray) -> float:
        """x^T y."""
        return _core.dot(x, y)

    def update(self, alpha: float, x: np.ndarray, beta: float, y: np.ndarray) -> float:
        """y <- alpha x + beta y; returns y^T y. x may be y."""
        return _core.update(alpha, x, beta, y)

    def bidiagonal_step(self, core: Any, v: np.ndarray, alpha: float, u: np.ndarray, z: np.ndarray) -> float:
        """u <- A v + alpha u, z <- A^T u; returns u^T u."""
        return core.bidiagonal_step(v, alpha, u, z)


class Gpu:
    """CuPy, on one GPU. Calls of copse are done when they return; what CuPy's current stream is doing to the arguments
    is done before they begin (DLPack's protocol)."""

    kind = "cuda"  # tests take "emulated", and a stand-in for CuPy

    @classmethod
    def of_name(cls, name: str) -> "Gpu":
        """Raises ValueError for a name that is not like "cuda:0", TypeError for what is none, and where the GPU cannot
        be used."""
        if not isinstance(name, str):
            raise TypeError(f"device: a name such as 'cpu' is wanted, not {name!r}")
        kind, _, number = name.partition(":")
        if kind != cls.kind or not number.isdecimal():
            raise ValueError(f"device: {name!r} is none of 'cpu' and '{cls.kind}:0', '{cls.kind}:1' ...")
        found = _gpus.get(name)
        if found is None:
            found = _gpus[name] = cls(int(number))
        return found

    def __init__(self, number: int):
        self.name = f"{self.kind}:{number}"
        why = _core.why_not(self.name)
        if why:
            raise TypeError(f"a matrix cannot be on a GPU: {why}")
        self.number = number
        self.xp: Any = cupy()

    def array(self, name: str, given: Any) -> Any:
        """An array of CuPy over the memory of `given`, or a copy of a list. Raises TypeError for NumPy's, and for
        another GPU's."""
        if isinstance(given, np.ndarray):
            raise TypeError(f"{name} is in host memory, and the matrix on {self.name}: give cupy.asarray({name})")
        array = cupy_array(given) if on_gpu(given) else self.xp.asarray(given)
        if array.device.id != self.number:
            raise TypeError(f"{name} is on {self.kind}:{array.device.id}, and the matrix on {self.name}")
        return array

    def ready(self, array: Any, dtype: Any = None) -> Any:
        return self.xp.ascontiguousarray(array, dtype)

    def is_ready(self, array: Any) -> bool:
        return array.flags.c_contiguous

    def dot(self, x: Any, y: Any) -> float:
        return float(self.xp.dot(x, y))

    def update(self, alpha: float, x: Any, beta: float, y: Any) -> float:
        y[:] = alpha * x + beta * y if beta else alpha * x
        return self.dot(y, y)

    def bidiagonal_step(self, core: Any, v: Any, alpha: float, u: Any, z: Any) -> float:
        core.multiply(1.0, v, alpha, u)
        core.transposed().multiply(1.0, u, 0.0, z)
        return self.dot(u, u)


HOST = Host()
_gpus: dict[str, Gpu] = {}


def place(name: str) -> Host | Gpu:
    """By the name that `A.device` has."""
    return HOST if name == "cpu" else Gpu.of_name(name)


def place_of(*given: Any) -> Host | Gpu:
    """Where the arrays are. If one is on a GPU, the others must be there, which place.array() sees to."""
    for x in given:
        if on_gpu(x):
            return Gpu.of_name(f"{Gpu.kind}:{cupy_array(x).device.id}")
    return HOST


def on_gpu(given: Any) -> bool:
    """Whether it is an array in the memory of a GPU."""
    if isinstance(given, np.ndarray):
        return False
    if hasattr(given, "__cuda_array_interface__"):
        return True
    device = getattr(given, "__dlpack_device__", None)
    return device is not None and device()[0] in (2, 13)  # kDLCUDA, kDLCUDAManaged


def cupy() -> Any:
    try:
        return importlib.import_module("cupy")
    except ImportError as e:
        raise TypeError("arrays of a GPU are read by CuPy, which is not installed: pip install cupy-cuda13x") from e


def cupy_array(given: Any) -> Any:
    """An array of CuPy over the memory of one that is on a GPU."""
    xp = cupy()
    return xp.asarray(given) if hasattr(given, "__cuda_array_interface__") else xp.from_dlpack(given)
