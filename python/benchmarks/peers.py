"""One class for each library: A x, A^T x, A + B, A + B^T, LSQR. An operation that a library lacks is absent."""

import glob
import importlib
import os
import sys
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sla


class SciPy:
    name = "SciPy"

    def __init__(self, S: sp.csr_array, B: sp.csr_array, threads: int):
        self.S, self.B = S, B

    def product(self, x: np.ndarray) -> Any:
        return self.S @ x

    def transposed(self, x: np.ndarray) -> Any:
        return self.S.T @ x

    def sum(self) -> Any:
        return self.S + self.B

    def transposed_sum(self) -> Any:
        return self.S + self.B.T

    def lsqr(self, b: np.ndarray, steps: int) -> Any:
        return sla.lsqr(self.S, b, atol=0, btol=0, conlim=0, iter_lim=steps)[0]


class Copse:
    name = "copse"

    def __init__(self, S: sp.csr_array, B: sp.csr_array, threads: int):
        import copse

        self.copse = copse
        self.A, self.B = copse.array(S), copse.array(B)

    def product(self, x: np.ndarray) -> Any:
        return self.A @ x

    def transposed(self, x: np.ndarray) -> Any:
        return self.A.T @ x

    def sum(self) -> Any:
        return self.A + self.B

    def transposed_sum(self) -> Any:
        return self.A + self.B.T

    def lsqr(self, b: np.ndarray, steps: int) -> Any:
        return self.copse.linalg.lsqr(self.A, b, atol=0, btol=0, conlim=0, maxiter=steps)[0]


class Mkl:
    """A^T x is a product with the csc of A^T's arrays, as sparse_dot_mkl takes it."""

    name = "sparse-dot-mkl"

    def __init__(self, S: sp.csr_array, B: sp.csr_array, threads: int):
        for library in glob.glob(os.path.join(sys.prefix, "lib", "libmkl_rt.so*")):  # of pip's package mkl
            os.environ.setdefault("MKL_RT", library)
        mkl = importlib.import_module("sparse_dot_mkl")
        mkl.mkl_set_num_threads(threads)
        self.dot = mkl.dot_product_mkl
        self.S, self.T = sp.csr_matrix(S), sp.csc_matrix(S.T)

    def product(self, x: np.ndarray) -> Any:
        return self.dot(self.S, x)

    def transposed(self, x: np.ndarray) -> Any:
        return self.dot(self.T, x)

    def lsqr(self, b: np.ndarray, steps: int) -> Any:
        m, n = self.S.shape
        A = sla.LinearOperator((m, n), matvec=self.product, rmatvec=self.transposed, dtype=b.dtype)
        return sla.lsqr(A, b, atol=0, btol=0, conlim=0, iter_lim=steps)[0]


class GraphBlas:
    name = "python-graphblas"

    def __init__(self, S: sp.csr_array, B: sp.csr_array, threads: int):
        self.gb = importlib.import_module("graphblas")
        self.gb.ss.config["nthreads"] = threads
        self.A, self.B = self.gb.io.from_scipy_sparse(S), self.gb.io.from_scipy_sparse(B)

    def _dense(self, v: Any) -> np.ndarray:
        return v.new().to_dense(fill_value=0.0)

    def product(self, x: np.ndarray) -> Any:
        return self._dense(self.A.mxv(self.gb.Vector.from_dense(x)))

    def transposed(self, x: np.ndarray) -> Any:
        return self._dense(self.A.T.mxv(self.gb.Vector.from_dense(x)))

    def _sum(self, B: Any) -> Any:
        C = self.A.ewise_add(B, self.gb.monoid.plus).new()
        C.wait()
        return C

    def sum(self) -> Any:
        return self._sum(self.B)

    def transposed_sum(self) -> Any:
        return self._sum(self.B.T)


PEERS = [SciPy, Copse, Mkl, GraphBlas]


def dense_of(result: Any, x: np.ndarray) -> np.ndarray:
    """What a result is compared by: itself, or the product of a matrix with x."""
    if isinstance(result, np.ndarray):
        return result
    if type(result).__module__.startswith("graphblas"):
        gb = importlib.import_module("graphblas")
        return gb.io.to_scipy_sparse(result) @ x
    return result @ x
