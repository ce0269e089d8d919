"""A stand-in for CuPy on machines without a GPU: arrays over host memory that have CuPy's interfaces and refuse to
become NumPy's, so that what mixes places up fails as on a GPU. The library's emulated executor takes the GPU's part."""

import sys
import types

import numpy as np
import scipy.sparse as sp


def wrapped(value):
    if isinstance(value, np.ndarray):
        return ndarray(value)
    return tuple(map(wrapped, value)) if isinstance(value, tuple) else value


def unwrapped(value):
    if isinstance(value, ndarray):
        return value.host
    return type(value)(map(unwrapped, value)) if type(value) in (tuple, list) else value


def lifted(f):
    """f for arrays of this module: it takes no array of NumPy."""

    def of_device(*args, **options):
        assert not any(isinstance(a, np.ndarray) and a.ndim for a in args), "CuPy's functions take no arrays of NumPy"
        return wrapped(f(*map(unwrapped, args), **{k: unwrapped(v) for k, v in options.items()}))

    return of_device


class ndarray(np.lib.mixins.NDArrayOperatorsMixin):  # noqa: N801
    device = types.SimpleNamespace(id=0)

    def __init__(self, host):
        self.host = host

    @property
    def __cuda_array_interface__(self):
        return self.host.__array_interface__

    def __dlpack__(self, **options):
        return self.host.__dlpack__()

    def __dlpack_device__(self):
        return 2, 0

    def __array__(self, *args, **options):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")

    def __array_ufunc__(self, ufunc, method, *args, **options):
        return lifted(getattr(ufunc, method))(*args, **options)

    def __getattr__(self, name):
        if name in ("__array_interface__", "__array_struct__"):
            raise AttributeError(name)
        value = getattr(self.host, name)
        return lifted(value) if callable(value) else wrapped(value)

    @property
    def flags(self):
        flags = self.host.flags
        return types.SimpleNamespace(c_contiguous=flags.c_contiguous, f_contiguous=flags.f_contiguous)

    def get(self):
        return self.host

    def __getitem__(self, key):
        return wrapped(np.asarray(self.host[unwrapped(key)]))

    def __setitem__(self, key, value):
        assert not isinstance(value, np.ndarray)
        self.host[unwrapped(key)] = unwrapped(value)

    def __len__(self):
        return len(self.host)

    def __float__(self):
        return float(self.host)

    def __bool__(self):
        return bool(self.host)

    real = property(lambda self: wrapped(self.host.real), lambda self, v: setattr(self.host, "real", unwrapped(v)))
    imag = property(lambda self: wrapped(self.host.imag), lambda self, v: setattr(self.host, "imag", unwrapped(v)))


class Interface:
    def __init__(self, interface):
        self.__array_interface__ = interface


def asarray(given, dtype=None):
    if isinstance(given, ndarray):
        return given
    if hasattr(given, "__cuda_array_interface__"):  # another framework's: no copy
        return ndarray(np.asarray(Interface(given.__cuda_array_interface__)))
    return ndarray(np.array(given, dtype))


class Sparse:
    """A sparse matrix of cupyx."""

    def __init__(self, host, parts):
        self.host, self.format, self.shape, self.dtype = host, host.format, host.shape, host.dtype
        for name in parts:
            setattr(self, name, asarray(getattr(host, name)))

    def tocoo(self):
        return coo_matrix(self.host)

    def get(self):
        return self.host


def csr_matrix(S, shape=None):
    return Sparse(sp.csr_matrix(unwrapped(S), shape=shape), ("data", "indices", "indptr"))


def csc_matrix(S, shape=None):
    return Sparse(sp.csc_matrix(unwrapped(S), shape=shape), ("data", "indices", "indptr"))


def coo_matrix(S):
    return Sparse(sp.coo_matrix(S), ("data", "row", "col"))


def modules():
    """What `import cupy` and `import cupyx.scipy.sparse` find."""
    cupy = types.ModuleType("cupy")
    cupy.ndarray, cupy.asarray = ndarray, asarray
    cupy.from_dlpack = lambda given: ndarray(np.from_dlpack(given))
    cupy.linalg = types.SimpleNamespace(qr=lifted(np.linalg.qr), svd=lifted(np.linalg.svd))
    cupy.__getattr__ = lambda name: lifted(getattr(np, name))
    names = ("cupyx", "cupyx.scipy", "cupyx.scipy.sparse")
    return {"cupy": cupy, **{name: types.ModuleType(name) for name in names[:2]}, names[2]: sys.modules[__name__]}
