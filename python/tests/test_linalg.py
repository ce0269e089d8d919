"""copse.linalg against SciPy, NumPy, and the equations themselves."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import copse
from copse import linalg


def norm(v):
    return np.linalg.norm(v)


def test_cg(spd, rng):
    b, x0 = rng.standard_normal(150), rng.standard_normal(150)
    seen = []
    x, info = linalg.cg(copse.array(spd), b, rtol=1e-8, callback=lambda x: seen.append(norm(b - spd @ x)))
    assert info == 0 and info.steps == len(seen) and seen[-1] <= 1e-8 * norm(b) < seen[-2]
    assert info.residual == pytest.approx(seen[-1], rel=1e-3)
    steps = []
    sla.cg(spd, b, rtol=1e-8, callback=steps.append)
    assert abs(info.steps - len(steps)) <= 1
    x, info = linalg.cg(spd, b, x0, atol=1e-6, rtol=0)
    assert norm(b - spd @ x) <= 1.01e-6
    jacobi = sp.diags_array(1 / spd.diagonal())
    assert linalg.cg(spd, b, M=jacobi, rtol=1e-8)[1] == 0
    x, info = linalg.cg(spd, b, maxiter=2)
    assert info == 2 and info.steps == 2


def test_bicg(spd, rng):
    S = spd + sp.random_array(spd.shape, density=0.01, rng=rng)
    b = rng.standard_normal(150)
    steps = []
    x, info = linalg.bicg(S, b, rtol=1e-9, callback=steps.append)
    assert info == 0 and norm(b - S @ x) <= 1e-8 * norm(b)
    theirs = []
    sla.bicg(S, b, rtol=1e-9, callback=theirs.append)
    assert abs(len(steps) - len(theirs)) <= 1
    M = copse.array(sp.diags_array(1 / S.diagonal()))
    x, info = linalg.bicg(S, b, M=M, rtol=1e-9)
    assert info == 0 and norm(b - S @ x) <= 1e-8 * norm(b)


@pytest.mark.parametrize("method", [linalg.lsqr, linalg.lsmr])
@pytest.mark.parametrize("damp", [0.0, 0.5])
@pytest.mark.parametrize("solvable", [False, True])
def test_least_squares(S, rng, method, damp, solvable):
    A = copse.array(S)
    b = S @ rng.standard_normal(200) if solvable else rng.standard_normal(300)
    seen = []
    x, info = method(A, b, damp, 1e-11, 1e-11, callback=lambda x: seen.append(norm(x)))
    theirs = getattr(sla, method.__name__)(S, b, damp, 1e-11, 1e-11)
    assert info == 0 and len(seen) == info.steps and abs(info.steps - theirs[2]) <= 2
    np.testing.assert_allclose(x, theirs[0], atol=1e-7)
    assert info.residual == pytest.approx(np.hypot(norm(b - S @ x), damp * norm(x)), rel=1e-5, abs=1e-10)
    assert info.normal_residual == pytest.approx(norm(S.T @ (b - S @ x) - damp**2 * x), rel=1e-2, abs=1e-9)
    again, info = method(A, b, 0.0, 1e-11, 1e-11, x0=x)
    assert norm(S.T @ (b - S @ again)) <= 1e-7
    assert method(A, b, conlim=1.01, atol=0, btol=0)[1].steps <= 3
    assert method(A, 0 * b)[1].steps == 0


@pytest.mark.parametrize("damp", [0.0, 0.5])
def test_cgls(S, rng, damp):
    b = rng.standard_normal(300)
    x, info = linalg.cgls(copse.array(S), b, damp=damp, rtol=1e-10)
    assert info == 0 and info.steps > 50  # the gradient was computed anew
    assert norm(S.T @ (b - S @ x) - damp**2 * x) <= 1e-9 * norm(S.T @ b)
    assert info.residual == pytest.approx(norm(b - S @ x))
    x, info = linalg.cgls(copse.array(S), b, x0=x, damp=damp, rtol=1e-8)
    assert info.steps <= 1


def test_cgls_of_values_that_vanish():
    """A p underflows although p does not: the method ends, and says that it did not converge."""
    A = copse.array(sp.eye_array(4).tocsr() * 1e-27, dtype=np.float32)
    x, info = linalg.cgls(A, np.full(4, 1e6, np.float32), rtol=0.0)
    assert info != 0 and np.isfinite(x).all()


def test_pagerank(rng):
    S = sp.random_array((60, 60), density=0.05, rng=rng, format="csr")
    assert (S.sum(1) == 0).any()
    sums = S.sum(1)
    links = np.divide(S.toarray(), sums[:, None], out=np.full((60, 60), 1 / 60), where=sums[:, None] > 0)
    G = 0.85 * links + 0.15 / 60
    x, info = linalg.pagerank(copse.array(S), tol=1e-12, maxiter=300)
    assert info == 0 and x.sum() == pytest.approx(1)
    np.testing.assert_allclose(G.T @ x, x, atol=1e-11)
    p = np.zeros(60)
    p[3] = 2
    x, info = linalg.pagerank(S, 0.5, personalization=p, tol=1e-12)
    assert x.argmax() == 3 and info == 0
    assert linalg.pagerank(S, maxiter=2)[1] == 2


def test_hits(rng):
    S = abs(sp.random_array((60, 60), density=0.2, rng=rng))
    hubs, authorities, info = linalg.hits(copse.array(S), tol=1e-13)
    u, _, vt = np.linalg.svd(S.toarray())
    assert info == 0
    np.testing.assert_allclose(hubs, u[:, 0] / u[:, 0].sum(), atol=1e-9)
    np.testing.assert_allclose(authorities, vt[0] / vt[0].sum(), atol=1e-9)


def test_svd(S):
    U, s, Vt, info = linalg.svd(copse.array(S), k=4, tol=1e-10, maxiter=500)
    assert info == 0
    np.testing.assert_allclose(s, np.linalg.svd(S.toarray(), compute_uv=False)[:4], rtol=1e-7)
    np.testing.assert_allclose(U.T @ U, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(S @ Vt.T, U * s, atol=1e-3)
    assert np.array_equal(linalg.svd(S, k=4)[1], linalg.svd(S, k=4)[1])


@pytest.mark.parametrize("name", ["cg", "bicg", "cgls", "lsqr", "lsmr", "pagerank"])
def test_float32(spd, name):
    A = copse.array(spd, dtype=np.float32)
    if name == "pagerank":
        x, info = linalg.pagerank(abs(A), tol=1e-5)
    else:
        x, info = getattr(linalg, name)(A, np.ones(150, np.float32))
        assert norm(spd @ x - 1) < 1e-2
    assert info == 0 and x.dtype == np.float32


def test_what_is_refused(S, spd):
    for f, says in [
        (lambda: linalg.cg(S, np.ones(300)), "square"),
        (lambda: linalg.bicg(S, np.ones(300)), "square"),
        (lambda: linalg.pagerank(S), "square"),
        (lambda: linalg.hits(S), "square"),
        (lambda: linalg.lsqr(S, np.ones(200)), "b must"),
        (lambda: linalg.lsmr(S, np.ones(300), x0=np.ones(3)), "x0 must"),
        (lambda: linalg.svd(S, k=201), "1 .. 200"),
        (lambda: linalg.pagerank(spd, 1.5), "damping"),
        (lambda: linalg.pagerank(spd, personalization=np.zeros(150)), "personalization"),
    ]:
        with pytest.raises(ValueError, match=says):
            f()


def test_matrices_without_entries():
    A = copse.csr_array((5, 5))
    assert linalg.cg(A, np.zeros(5))[1] == 0
    assert linalg.cg(A, np.ones(5))[1] != 0
    assert linalg.lsqr(A, np.ones(5))[1] == 0  # 0 is a least-squares solution
    assert linalg.cgls(A, np.ones(5))[1] == 0
    np.testing.assert_allclose(linalg.pagerank(A)[0], 0.2)
    assert linalg.pagerank(copse.csr_array((0, 0)))[0].size == 0
