"""scipy.sparse.linalg takes copse's arrays as they are."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import copse


@pytest.mark.parametrize("method", ["cg", "gmres", "bicg", "bicgstab", "qmr", "cgs", "minres", "lgmres"])
def test_linear_systems(spd, rng, method):
    S = spd if method in ("cg", "minres") else spd + sp.random_array(spd.shape, density=0.01, rng=rng)
    b = rng.standard_normal(150)
    x, info = getattr(sla, method)(copse.array(S), b, rtol=1e-10)
    assert info == 0
    assert np.linalg.norm(b - S @ x) <= 1e-8 * np.linalg.norm(b)


@pytest.mark.parametrize("method", ["lsqr", "lsmr"])
def test_least_squares(S, rng, method):
    b = rng.standard_normal(300)
    solve = getattr(sla, method)
    x = solve(copse.array(S), b, atol=1e-12, btol=1e-12)[0]
    np.testing.assert_allclose(x, solve(S, b, atol=1e-12, btol=1e-12)[0], atol=1e-8)


@pytest.mark.parametrize("solver", ["arpack", "lobpcg"])
def test_svds(S, solver):
    wanted = np.linalg.svd(S.toarray(), compute_uv=False)[:3]
    u, s, vt = sla.svds(copse.array(S), k=3, solver=solver, maxiter=300, rng=np.random.default_rng(0))
    np.testing.assert_allclose(np.sort(s)[::-1], wanted, rtol=1e-5)


def test_eigsh(spd):
    wanted = np.linalg.eigvalsh(spd.toarray())[-3:]
    np.testing.assert_allclose(sla.eigsh(copse.array(spd), k=3, return_eigenvectors=False), wanted)


def test_lobpcg(spd, rng):
    wanted = np.linalg.eigvalsh(spd.toarray())[::-1][:2]
    values, _ = sla.lobpcg(copse.array(spd), rng.standard_normal((150, 2)), tol=1e-6, maxiter=200)
    np.testing.assert_allclose(values, wanted, rtol=1e-6)


def test_onenormest(S, spd):
    assert sla.onenormest(copse.array(spd)) == pytest.approx(abs(spd).sum(0).max())


def test_linear_operator(S, rng):
    A = sla.aslinearoperator(copse.array(S))
    x, X, w = rng.standard_normal(200), rng.standard_normal((200, 3)), rng.standard_normal(300)
    np.testing.assert_allclose(A.matvec(x), S @ x, atol=1e-13)
    np.testing.assert_allclose(A.rmatvec(w), S.T @ w, atol=1e-13)
    np.testing.assert_allclose(A.matmat(X), S @ X, atol=1e-13)
    np.testing.assert_allclose((2 * A.H) @ w, 2 * (S.T @ w), atol=1e-13)
    B = copse.array(S)
    # Products with several columns add up in an order of their own.
    np.testing.assert_allclose(B.matvec(x[:, None]), (B @ x)[:, None], atol=1e-13)
    np.testing.assert_allclose(B.rmatmat(np.stack([w, w], 1))[:, 1], B.T @ w, atol=1e-13)
