"""What solvers take and return alike."""

import math
import operator
from collections.abc import Callable
from typing import Any

from .._devices import Gpu, Host
from .._sparse import SparseArray

Callback = Callable[[Any], Any]


class Info(int):
    """0 if the method converged, else the number of its steps, as in SciPy. Besides:

    steps: how many were done. residual: |b - A x|, as the method knows it. normal_residual: |A^T (b - A x)|; None of
    methods that do not know it.
    """

    steps: int
    residual: float | None
    normal_residual: float | None

    def __new__(
        cls, converged: bool, steps: int, residual: float | None = None, normal_residual: float | None = None
    ) -> "Info":
        self = super().__new__(cls, 0 if converged else max(steps, 1))
        self.steps, self.residual, self.normal_residual = steps, residual, normal_residual
        return self

    def __repr__(self) -> str:
        return (
            f"Info({int(self)}, steps={self.steps}, residual={self.residual}, normal_residual={self.normal_residual})"
        )


def matrix(A: Any) -> SparseArray:
    """A as a copse array in HiSparse; sparse arrays of SciPy are converted."""
    from .._construct import array

    return (A if isinstance(A, SparseArray) else array(A))._tree()


def square(A: Any) -> SparseArray:
    A = matrix(A)
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"A must be square; it is {A.shape[0]} x {A.shape[1]}")
    return A


def start(A: SparseArray, b: Any, x0: Any) -> tuple[Any, Any]:
    """(x, r): copies of x0, or zeros, and b - A x, where A is."""
    m, n = A.shape
    r = A._vector("b", b, m).copy()
    if x0 is None:
        x = A._where.xp.zeros(n, A.dtype)
    else:
        x = A._vector("x0", x0, n).copy()
        A._core.multiply(-1.0, x, 1.0, r)
    if not math.isfinite(norm(A._where, r)):
        raise ValueError("b, or b - A x0, has values that are not finite, or too large to be squared")
    return x, r


def most_steps(maxiter: int | None, default: int) -> int:
    """maxiter, or the default. Raises ValueError below 0, TypeError for what is no whole number."""
    most = default if maxiter is None else operator.index(maxiter)
    if most < 0:
        raise ValueError(f"maxiter is {most}; it must be 0 or more")
    return most


def check_tolerances(**tolerances: float) -> None:
    """Raises ValueError, which names the one that is negative or no number."""
    for name, value in tolerances.items():
        if not value >= 0:
            raise ValueError(f"{name} is {value}; it must be 0 or more")


def norm(where: Host | Gpu, v: Any) -> float:
    return where.dot(v, v) ** 0.5
