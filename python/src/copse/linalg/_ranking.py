"""pagerank (Brin and Page, 1998) and hits (Kleinberg, 1999) of graphs."""

from typing import Any

from ._info import Callback, Info, most_steps, square


def pagerank(
    A: Any,
    damping: float = 0.85,
    *,
    tol: float = 1e-8,
    maxiter: int = 100,
    personalization: Any = None,
    callback: Callback | None = None,
) -> tuple[Any, Info]:
    """x = damping (A^T D^-1 x + what stands in rows without entries, by p) + (1 - damping) p, with sum(x) = 1, by the
    power method. Returns (x, info).

    A: n x n; A[i, j] >= 0 is the weight of the link from i to j, D the diagonal matrix of A's row sums. p:
    personalization, n weights, 1 / n each unless given. Stops when the sum of |x - the x before| is at most tol, or
    after maxiter steps. callback(x) is called after each step. Raises ValueError where A is not square, damping is not
    0 .. 1, or p has no positive sum.
    """
    A = square(A)
    n, xp = A.shape[0], A._where.xp
    if not 0 <= damping <= 1:
        raise ValueError(f"damping is {damping}; it must be 0 .. 1")
    p = xp.ones(n, A.dtype) if personalization is None else A._vector("personalization", personalization, n)
    if n and not (float(p.sum()) > 0 and float(p.min()) >= 0):
        raise ValueError("personalization must have weights of 0 and more, and one above 0")
    p = p / p.sum() if n else p
    sums = A @ xp.ones(n, A.dtype)
    ends = sums == 0
    inverse = xp.where(ends, 0, damping / xp.where(ends, 1, sums)).astype(A.dtype)
    transposed = A._core.transposed()
    x, y = p.copy(), xp.empty_like(p)
    change = 0.0
    for step in range(1, most_steps(maxiter, 100) + 1):
        transposed.multiply(1.0, x * inverse, 0.0, y)
        y += (damping * float(x[ends].sum()) + 1 - damping) * p
        change = float(xp.abs(y - x).sum())
        x, y = y, x
        if callback:
            callback(x)
        if change <= tol:
            return x, Info(True, step, change)
    return x, Info(n == 0, maxiter, change)


def hits(A: Any, *, tol: float = 1e-8, maxiter: int = 1000, callback: Callback | None = None) -> tuple[Any, Any, Info]:
    """The largest singular vectors of A, with sums of 1: hubs h = A a, authorities a = A^T h, by the power method on
    A^T A, which reads A once a step. Returns (hubs, authorities, info).

    A: n x n; A[i, j] >= 0 is the weight of the link from i to j. Stops when the sum of |a - the a before| is at most
    tol, or after maxiter steps. callback(a) is called after each step. Raises ValueError where A is not square.
    """
    A = square(A)
    n, xp = A.shape[0], A._where.xp
    a = xp.full(n, 1 / max(n, 1), A.dtype)
    most = most_steps(maxiter, 1000)
    change, step, converged = 0.0, 0, n == 0 or A.nnz == 0
    while not converged and step < most:
        z = A.normal(a)
        total = float(z.sum())
        if total == 0:
            break
        z /= total
        change = float(xp.abs(z - a).sum())
        a, z = z, a
        step += 1
        if callback:
            callback(a)
        converged = change <= tol
    hubs = A @ a
    total = float(hubs.sum())
    return (hubs / total if total else hubs), a, Info(converged, step, change)
