"""Sums of matrices whose structures stay."""

from typing import Any

import numpy as np

from . import _core
from ._elementwise import is_number
from ._sparse import SparseArray


class SumPlan:
    """Where each value of the operands goes in their sum, recorded once, for many sums with other factors and values.

        plan = copse.SumPlan(M, K)
        for dt in steps:
            A = plan.add(1, M, dt, K)  # M + dt K
            x, info = copse.linalg.cg(A, b)

    operands: copse arrays in HiSparse, of one shape and dtype. A.T and 2 * A are read as they are stored. Recording
    takes as long as 30 to 300 sums, and about 40 bytes for each entry meanwhile. Raises TypeError for other
    operands and for dtypes that differ, ValueError for shapes that differ and for flat formats, MemoryError.
    """

    def __init__(self, *operands: SparseArray):
        _check("SumPlan", operands, operands[0].dtype if operands and isinstance(operands[0], SparseArray) else None)
        self._core = _core.sums([A._core for A in operands])
        self._shape, self._dtype = operands[0].shape, operands[0].dtype
        self._operands = len(operands)

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of a sum."""
        return self._shape

    @property
    def nnz(self) -> int:
        """The number of entries of a sum: of all places where an operand has one."""
        return self._core.nnz

    @property
    def nbytes(self) -> int:
        """Bytes of what is recorded, and of the sums whose memory the plan keeps for the next ones."""
        return self._core.nbytes

    def add(self, *terms: Any) -> SparseArray:
        """Returns s A + t B + ...; terms: s, A, t, B, ..., a number and a matrix for each operand of the plan, in its
        order.

        The matrices are the plan's operands, or what with_data() or a SumPlan made of them. Terms are added in this
        order; the same terms give the same bits. All sums by one plan have one structure, with a value for each entry,
        so that the plan of products follows from one sum to the next. A sum lies where an earlier one was that nobody
        has any more: a loop that replaces A takes no new memory. Raises TypeError and ValueError, which name the
        operand.
        """
        if len(terms) != 2 * self._operands:
            raise TypeError(
                f"add: give a number and a matrix for each of the {self._operands} operands, as in "
                f"add(1, M, dt, K); there are {len(terms)} arguments"
            )
        factors, operands = terms[::2], terms[1::2]
        for k, factor in enumerate(factors):
            if not is_number(factor) or np.iscomplexobj(factor):
                raise TypeError(f"add: the factor of operand {k} must be a real number, not {type(factor).__name__}")
        _check("add", operands, self._dtype)
        try:
            return SparseArray(self._core.add([float(s) for s in factors], [A._core for A in operands]))
        except ValueError as e:  # in Python's names
            said = str(e).replace("with_values()", "with_data()").replace("sum_plan", "SumPlan")
            raise ValueError(said) from None


def _check(caller: str, operands: tuple[Any, ...], dtype: Any) -> None:
    for k, A in enumerate(operands):
        if not isinstance(A, SparseArray):
            raise TypeError(f"{caller}: operand {k} must be a copse array, not {type(A).__name__}; give copse.array(S)")
        if A.dtype != dtype:
            raise TypeError(f"{caller}: operand {k} has the dtype {A.dtype}, operand 0 {dtype}; give A.astype({dtype})")
