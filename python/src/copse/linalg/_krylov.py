"""cg, bicg, cgls: conjugate gradients (Hestenes and Stiefel, 1952), for two systems at once (Fletcher, 1976), and for
least squares (Björck, Numerical Methods for Least Squares Problems, 7.4)."""

from typing import Any

from ._info import Callback, Info, check_tolerances, matrix, most_steps, norm, square, start


def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callback | None = None,
) -> tuple[Any, Info]:
    """Solves A x = b for symmetric positive definite A. Returns (x, info).

    A: n x n, a copse array, or what copse.array() takes; b, x0: n elements of A's type. M: an approximation of A's
    inverse, anything with M @ r. Stops when |b - A x| <= max(rtol |b|, atol), or after maxiter steps, 10 n unless
    given. callback(x) is called after each step. Raises ValueError, TypeError.
    """
    A = square(A)
    where = A._where
    x, r = start(A, b, x0)
    check_tolerances(rtol=rtol, atol=atol)
    limit = max(rtol * norm(where, A._vector("b", b, x.size)), atol)
    most = most_steps(maxiter, 10 * x.size)
    residual = norm(where, r)
    p = where.xp.zeros_like(x)
    q = where.xp.empty_like(x)
    before = 0.0
    for step in range(most):
        if residual <= limit:
            return x, Info(True, step, residual)
        z = r if M is None else A._vector("M @ r", M @ r, x.size)
        rho = where.dot(r, z)
        where.update(1.0, z, rho / before if step else 0.0, p)
        before = rho
        A._core.multiply(1.0, p, 0.0, q)
        curvature = where.dot(p, q)
        if curvature == 0:
            return x, Info(False, step, residual)
        alpha = rho / curvature
        where.update(alpha, p, 1.0, x)
        residual = where.update(-alpha, q, 1.0, r) ** 0.5
        if callback:
            callback(x)
    return x, Info(residual <= limit, most, residual)


def bicg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Callback | None = None,
) -> tuple[Any, Info]:
    """Solves A x = b for square A. Each step multiplies with A and with A^T, and reads A once for both. M: an
    approximation of A's inverse, anything with M @ r and M.T @ r. b, x0, rtol, atol, maxiter, callback, results and
    errors: as in cg()."""
    A = square(A)
    where = A._where
    x, r = start(A, b, x0)
    check_tolerances(rtol=rtol, atol=atol)
    limit = max(rtol * norm(where, A._vector("b", b, x.size)), atol)
    most = most_steps(maxiter, 10 * x.size)
    residual = norm(where, r)
    s = r.copy()  # the residual of the system with A^T
    p, t = where.xp.zeros_like(x), where.xp.zeros_like(x)
    q, u = where.xp.empty_like(x), where.xp.empty_like(x)
    before = 0.0
    for step in range(most):
        if residual <= limit:
            return x, Info(True, step, residual)
        z = r if M is None else A._vector("M @ r", M @ r, x.size)
        w = s if M is None else A._vector("M.T @ s", M.T @ s, x.size)
        rho = where.dot(s, z)
        beta = rho / before if step else 0.0
        before = rho
        where.update(1.0, z, beta, p)
        where.update(1.0, w, beta, t)
        A._core.both(p, q, t, u)
        curvature = where.dot(t, q)
        if rho == 0 or curvature == 0:  # it has broken down
            return x, Info(False, step, residual)
        alpha = rho / curvature
        where.update(alpha, p, 1.0, x)
        residual = where.update(-alpha, q, 1.0, r) ** 0.5
        where.update(-alpha, u, 1.0, s)
        if callback:
            callback(x)
    return x, Info(residual <= limit, most, residual)


def cgls(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    damp: float = 0.0,
    rtol: float = 1e-6,
    atol: float = 0.0,
    maxiter: int | None = None,
    callback: Callback | None = None,
) -> tuple[Any, Info]:
    """min |A x - b|^2 + damp^2 |x|^2 by conjugate gradients. Returns (x, info).

    A: m x n. Stops when |A^T (b - A x) - damp^2 x| <= max(rtol |A^T b|, atol), or after maxiter steps, 2 n unless
    given. Each step reads A once, for A p and A^T A p. The gradient is updated by A^T A p, and computed anew every 50
    steps. lsqr() is as fast, and gets further for matrices of high condition. b: m elements, x0: n, of A's type.
    callback(x) is called after each step. Raises ValueError, TypeError."""
    A = matrix(A)
    where = A._where
    core, transposed = A._core, A._core.transposed()
    x, r = start(A, b, x0)
    shift = damp * damp
    s, q, t = where.xp.empty_like(x), where.xp.empty_like(r), where.xp.empty_like(x)
    transposed.multiply(1.0, A._vector("b", b, r.size), 0.0, s)
    check_tolerances(rtol=rtol, atol=atol)
    limit = max(rtol * norm(where, s), atol)
    most = most_steps(maxiter, 2 * x.size)

    def gradient() -> float:
        transposed.multiply(1.0, r, 0.0, s)
        return where.update(-shift, x, 1.0, s)

    gamma = gradient()
    p = s.copy()
    for step in range(most):
        if gamma**0.5 <= limit:
            return x, Info(True, step, norm(where, r), gamma**0.5)
        curvature = where.bidiagonal_step(core, p, 0.0, q, t) + shift * where.dot(p, p)
        if curvature == 0:
            break
        alpha = gamma / curvature
        where.update(alpha, p, 1.0, x)
        where.update(-alpha, q, 1.0, r)
        before = gamma
        if step % 50 == 49:
            gamma = gradient()
        else:
            if shift:
                where.update(-alpha * shift, p, 1.0, s)
            gamma = where.update(-alpha, t, 1.0, s)
        where.update(1.0, s, gamma / before, p)
        if callback:
            callback(x)
    return x, Info(gamma**0.5 <= limit, most, norm(where, r), gamma**0.5)
