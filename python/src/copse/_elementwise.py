"""Sums, element-wise operations and comparisons of sparse arrays, by SciPy's rules."""

import operator
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.sparse as sp


def is_number(value: Any) -> bool:
    if isinstance(value, (str, bytes)):
        return False
    return np.isscalar(value) or (isinstance(value, np.ndarray) and value.ndim == 0)


class Elementwise:
    """What SparseArray has of operators that are not products."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Any) -> Any:
        return self._sum(other, 1.0, 1.0)

    def __radd__(self, other: Any) -> Any:
        return self._sum(other, 1.0, 1.0)

    def __sub__(self, other: Any) -> Any:
        return self._sum(other, 1.0, -1.0)

    def __rsub__(self, other: Any) -> Any:
        return self._sum(other, -1.0, 1.0)

    def __neg__(self) -> Self:
        return type(self)(self._core.scaled(-1.0))

    def __pos__(self) -> Self:
        return self

    def __abs__(self) -> Self:
        return self._by_scipy(abs)

    def __mul__(self, other: Any) -> Any:
        """Returns A * other, element by element, as in SciPy's sparse arrays. other: a number, which is kept beside A
        in O(1), or a sparse or dense array. Raises ValueError for shapes that do not fit, TypeError for complex
        numbers."""
        if is_number(other):
            return self._scaled(other)
        if _is_sparse(other):
            if other.shape == self._shape:
                a, b = self._alike(other)
                return type(self)(a._core.element_product(b._core))
            other = other if sp.issparse(other) else other.to_scipy()
        elif not isinstance(other, (np.ndarray, list)):
            return NotImplemented
        return self._by_scipy(lambda S: S.multiply(other))

    __rmul__ = multiply = __mul__

    def __truediv__(self, other: Any) -> Any:
        if is_number(other):
            return self._scaled(np.true_divide(1, other, dtype=np.result_type(self._dtype, other)))
        if _is_sparse(other):
            raise TypeError("A / B: copse divides by numbers and dense arrays only")
        if not isinstance(other, (np.ndarray, list)):
            return NotImplemented
        return self._by_scipy(lambda S: S / np.asarray(other))

    def __pow__(self, power: Any) -> Self:
        if not is_number(power) or np.iscomplexobj(power):
            raise TypeError(f"A ** p: p must be a number, not {type(power).__name__}")
        if not power > 0:
            raise ValueError("A ** p: p must be above 0; zeros that are not stored would not stay 0")
        return self._by_scipy(lambda S: S.power(power))

    def power(self, n: Any) -> Self:
        """Returns A with each value to the power of n. Raises ValueError for n of 0 and below, TypeError for
        what is no number."""
        return self**n

    def __eq__(self, other: Any) -> Any:
        return self._compared(operator.eq, other)

    def __ne__(self, other: Any) -> Any:
        return self._compared(operator.ne, other)

    def __lt__(self, other: Any) -> Any:
        return self._compared(operator.lt, other)

    def __gt__(self, other: Any) -> Any:
        return self._compared(operator.gt, other)

    def __le__(self, other: Any) -> Any:
        return self._compared(operator.le, other)

    def __ge__(self, other: Any) -> Any:
        return self._compared(operator.ge, other)

    def _by_scipy(self, f: Callable[[sp.csr_array], Any]) -> Self:
        from ._construct import array

        return array(f(self.to_scipy())).to_device(self.device)

    def _alike(self, other: Any) -> tuple[Self, Self]:
        """Both in HiSparse and of one type."""
        from ._construct import array

        other = other if isinstance(other, Elementwise) else array(other)
        to = np.result_type(self._dtype, other.dtype)
        return self._tree().astype(to), other._tree().astype(to)

    def _scaled(self, factor: Any) -> Self:
        to = np.result_type(self._dtype, factor)
        if to.kind == "c":
            raise TypeError("copse has no complex matrices; a complex factor fits vectors only")
        core = self.astype(to)._core
        with np.errstate(over="ignore", under="ignore"):
            scale = to.type(core.scale) * to.type(factor)
        if np.isfinite(scale) and abs(scale) >= np.finfo(to).tiny:
            return type(self)(core.scaled(float(factor)))
        return type(self)(core)._by_scipy(lambda S: S * factor)  # so that it meets the entries alone, and one by one

    def _sum(self, other: Any, alpha: float, beta: float) -> Any:
        if _is_sparse(other):
            a, b = self._alike(other)
            return type(self)(a._core.sum(alpha, b._core, beta))
        if is_number(other):
            if other == 0:
                return self if alpha == 1 else -self
            raise NotImplementedError("A + s: a number other than 0 would fill the matrix; use A.toarray() + s")
        if not isinstance(other, np.ndarray):
            return NotImplemented
        return alpha * self.toarray() + beta * other

    def _compared(self, how: Callable[[Any, Any], Any], other: Any) -> Any:
        """By SciPy, as a sparse array of bool."""
        if not (is_number(other) or isinstance(other, np.ndarray) or _is_sparse(other)):
            return NotImplemented
        return how(self.to_scipy(), other.to_scipy() if isinstance(other, Elementwise) else other)


def _is_sparse(other: Any) -> bool:
    return isinstance(other, Elementwise) or sp.issparse(other)
