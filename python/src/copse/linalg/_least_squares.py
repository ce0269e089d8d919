"""lsqr (Paige and Saunders, 1982) and lsmr (Fong and Saunders, 2011), on Golub and Kahan's bidiagonalization, whose
steps read A once: u <- A v - (alpha / beta) u and A^T u are one pass."""

import math
from typing import Any

from ._info import Callback, Info, check_tolerances, matrix, most_steps, norm, start


class Bidiagonalization:
    """beta u = A v - alpha u, alpha v = A^T u - beta v. `u` is stored as beta times the vector of norm 1."""

    def __init__(self, A: Any, r: Any):
        self.core, self.where = A._core, A._where
        self.u = r
        self.beta = norm(self.where, r)
        self.v, self.z = self.where.xp.zeros(A.shape[1], A.dtype), self.where.xp.empty(A.shape[1], A.dtype)
        self.alpha = 0.0
        if self.beta > 0:
            self.core.transposed().multiply(1.0, r, 0.0, self.z)
            self._orthogonalize(0.0)

    def step(self) -> None:
        factor = -self.alpha / self.beta
        self.beta = math.sqrt(self.where.bidiagonal_step(self.core, self.v, factor, self.u, self.z))
        if self.beta > 0:
            self._orthogonalize(-self.beta)
        else:
            self.alpha = 0.0

    def _orthogonalize(self, beta: float) -> None:
        self.alpha = math.sqrt(self.where.update(1 / self.beta, self.z, beta, self.v))
        if self.alpha > 0:
            self.where.update(0.0, self.v, 1 / self.alpha, self.v)


def lsqr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    maxiter: int | None = None,
    *,
    x0: Any = None,
    callback: Callback | None = None,
) -> tuple[Any, Info]:
    """min |A x - b|^2 + damp^2 |x - x0|^2. Returns (x, info); r is b - A x, of the damped system where damp > 0.

    A: m x n, a copse array, or what copse.array() takes; b: m elements, x0: n, of A's type. Stops when
    |r| <= btol |b| + atol |A| |x|, when |A^T r| <= atol |A| |r|, when the estimate of A's condition exceeds conlim
    (0: never), or after maxiter steps, 2 n unless given; info is 0 in the first two cases. Here |A| is an estimate of
    the Frobenius norm. callback(x) is called after each step. Raises ValueError, TypeError.
    """
    check_tolerances(atol=atol, btol=btol)
    A = matrix(A)
    where = A._where
    x, r = start(A, b, x0)
    origin = None if x0 is None else x.copy()
    b_norm = norm(where, r)
    g = Bidiagonalization(A, r)
    w = g.v.copy()
    w_square = 1.0
    rho_bar, phi_bar = g.alpha, g.beta
    a_square, d_square, psi_square = g.alpha**2, 0.0, 0.0
    residual, gradient = g.beta, g.alpha * g.beta
    if gradient == 0:
        return x, Info(True, 0, residual, 0.0)
    most = most_steps(maxiter, 2 * x.size)
    for step in range(1, most + 1):
        g.step()
        a_square += g.beta**2 + damp**2
        shifted = math.hypot(rho_bar, damp)  # the damping is rotated away first
        psi_square += (damp / shifted * phi_bar) ** 2
        phi_bar *= rho_bar / shifted
        rho = math.hypot(shifted, g.beta)
        c, s = shifted / rho, g.beta / rho
        phi = c * phi_bar
        phi_bar *= s
        rho_bar = -c * g.alpha
        d_square += w_square / rho**2
        x_square = where.update(phi / rho, w, 1.0, x)
        w_square = where.update(1.0, g.v, -s * g.alpha / rho, w)
        if callback:
            callback(x)

        residual = math.sqrt(phi_bar**2 + psi_square)
        gradient = abs(phi_bar * g.alpha * c)
        a_norm = math.sqrt(a_square)
        a_square += g.alpha**2
        moved = math.sqrt(x_square) if origin is None else norm(where, x - origin)
        if residual <= btol * b_norm + atol * a_norm * moved or gradient <= atol * a_norm * residual:
            return x, Info(True, step, residual, gradient)
        if g.alpha == 0 or conlim and a_norm * math.sqrt(d_square) > conlim:
            return x, Info(g.alpha == 0, step, residual, gradient)
    return x, Info(False, most, residual, gradient)


def lsmr(
    A: Any,
    b: Any,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    maxiter: int | None = None,
    *,
    x0: Any = None,
    callback: Callback | None = None,
) -> tuple[Any, Info]:
    """min |A x - b|^2 + damp^2 |x - x0|^2, as lsqr() does. |A^T r| falls at each step, so that it may be stopped
    earlier. A, b, damp, atol, btol, conlim, x0, callback, results and errors: as in lsqr(). maxiter: min(m, n) unless
    given."""
    check_tolerances(atol=atol, btol=btol)
    A = matrix(A)
    where = A._where
    x, r = start(A, b, x0)
    origin = None if x0 is None else x.copy()
    b_norm = norm(where, r)
    g = Bidiagonalization(A, r)
    h, h_bar = g.v.copy(), where.xp.zeros_like(x)
    alpha_bar, zeta_bar, zeta = g.alpha, g.alpha * g.beta, 0.0
    rho, rho_bar, c_bar, s_bar = 1.0, 1.0, 1.0, 0.0
    known = _Residual(g.beta)
    a_square = g.alpha**2
    largest, least = 0.0, math.inf
    residual, gradient = g.beta, abs(zeta_bar)
    if gradient == 0:
        return x, Info(True, 0, residual, 0.0)
    most = most_steps(maxiter, min(A.shape))
    for step in range(1, most + 1):
        g.step()
        alpha_hat = math.hypot(alpha_bar, damp)
        c_hat, s_hat = alpha_bar / alpha_hat, damp / alpha_hat
        rho_before, rho = rho, math.hypot(alpha_hat, g.beta)
        c, s = alpha_hat / rho, g.beta / rho
        theta = s * g.alpha
        alpha_bar = c * g.alpha
        rho_bar_before, zeta_before = rho_bar, zeta
        theta_bar, turned = s_bar * rho, c_bar * rho
        rho_bar = math.hypot(turned, theta)
        c_bar, s_bar = turned / rho_bar, theta / rho_bar
        zeta, zeta_bar = c_bar * zeta_bar, -s_bar * zeta_bar

        where.update(1.0, h, -theta_bar * rho / (rho_before * rho_bar_before), h_bar)
        x_square = where.update(zeta / (rho * rho_bar), h_bar, 1.0, x)
        where.update(1.0, g.v, -theta / rho, h)
        if callback:
            callback(x)

        residual = known.after(c_hat, s_hat, c, s, theta_bar, rho_bar, zeta_before, zeta)
        gradient = abs(zeta_bar)
        a_square += g.beta**2 + damp**2
        a_norm = math.sqrt(a_square)
        a_square += g.alpha**2
        if step > 1:
            largest, least = max(largest, rho_bar_before), min(least, rho_bar_before)
        condition = max(largest, turned) / min(least, turned) if turned else math.inf
        moved = math.sqrt(x_square) if origin is None else norm(where, x - origin)
        if residual <= btol * b_norm + atol * a_norm * moved or gradient <= atol * a_norm * residual:
            return x, Info(True, step, residual, gradient)
        if g.alpha == 0 or conlim and condition > conlim:
            return x, Info(g.alpha == 0, step, residual, gradient)
    return x, Info(False, most, residual, gradient)


class _Residual:
    """|r| of lsmr() from its rotations (Fong and Saunders, 5.1)."""

    def __init__(self, beta: float):
        self.beta_dd, self.beta_d, self.rho_d = beta, 0.0, 1.0
        self.tau, self.theta, self.square = 0.0, 0.0, 0.0

    def after(
        self,
        c_hat: float,
        s_hat: float,
        c: float,
        s: float,
        theta_bar: float,
        rho_bar: float,
        zeta_before: float,
        zeta: float,
    ) -> float:
        beta_acute = c_hat * self.beta_dd
        self.square += (s_hat * self.beta_dd) ** 2
        beta_hat = c * beta_acute
        self.beta_dd = -s * beta_acute
        rho_tilde = math.hypot(self.rho_d, theta_bar)
        c_tilde, s_tilde = self.rho_d / rho_tilde, theta_bar / rho_tilde
        theta_before = self.theta
        self.theta = s_tilde * rho_bar
        self.rho_d = c_tilde * rho_bar
        self.beta_d = -s_tilde * self.beta_d + c_tilde * beta_hat
        self.tau = (zeta_before - theta_before * self.tau) / rho_tilde
        tau_d = (zeta - self.theta * self.tau) / self.rho_d
        return math.sqrt(self.square + (self.beta_d - tau_d) ** 2 + self.beta_dd**2)
