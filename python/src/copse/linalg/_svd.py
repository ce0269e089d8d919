"""The randomized singular value decomposition (Halko, Martinsson and Tropp, 2011)."""

from typing import Any

import numpy as np

from ._info import Callback, Info, matrix, most_steps


def svd(
    A: Any,
    k: int = 6,
    *,
    oversampling: int = 10,
    tol: float = 1e-6,
    maxiter: int = 50,
    rng: Any = None,
    callback: Callback | None = None,
) -> tuple[Any, Any, Any, Info]:
    """The k largest singular values s, descending, and their vectors: A is near U diag(s) Vt. Returns (U, s, Vt, info).

    A: m x n; U: m x k, Vt: k x n. A block of k + oversampling random vectors is multiplied with A^T A, which reads A
    once a step and vector, and made orthogonal, until no value of s changes by more than tol s[0], or maxiter times.
    rng: what numpy.random.default_rng() takes; None gives the same numbers at every call. callback(s) is called after
    each step. scipy.sparse.linalg.svds(A) takes copse's arrays, too, and finds all digits. Raises ValueError unless
    1 <= k <= min(m, n).
    """
    A = matrix(A)
    xp = A._where.xp
    m, n = A.shape
    if not 1 <= k <= min(m, n):
        raise ValueError(f"k is {k}; for A, {m} x {n}, it must be 1 .. {min(m, n)}")
    size = min(k + max(oversampling, 0), m, n)
    random = np.random.default_rng(0 if rng is None else rng)
    Q = xp.linalg.qr(xp.asarray(random.standard_normal((n, size)).astype(A.dtype)))[0]
    s = xp.zeros(k, A.dtype)
    most = most_steps(maxiter, 50)
    converged, step = False, 0
    while not converged and step < most:
        Z = xp.empty((n, size), A.dtype, order="F")
        for j in range(size):
            Z[:, j] = A.normal(Q[:, j])
        Q, R = xp.linalg.qr(Z)
        before, s = s, xp.sqrt(xp.linalg.svd(R, compute_uv=False)[:k])
        step += 1
        if callback:
            callback(s)
        converged = bool((xp.abs(s - before) <= tol * s[0]).all())
    U, s, Wt = xp.linalg.svd(A @ Q, full_matrices=False)
    return U[:, :k], s[:k], (Wt @ Q.T)[:k], Info(converged, step)
