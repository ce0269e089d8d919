"""Matrices and arrays on a GPU: the same tests with CuPy where a GPU is, and with a stand-in elsewhere."""

import importlib
import pickle
import sys
import types

import numpy as np
import pytest
import scipy.sparse as sp
import stand_in
from strategies import same, vector

import copse
from copse import _core, _devices


@pytest.fixture(params=["stand-in", "cupy"])
def gpu(request, monkeypatch):
    """(cupy, cupyx.scipy.sparse, the name of the device)."""
    if request.param == "cupy":
        cupy = pytest.importorskip("cupy")
        if why := _core.why_not("cuda:0"):
            pytest.skip(why)
        return cupy, importlib.import_module("cupyx.scipy.sparse"), "cuda:0"
    for name, module in stand_in.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(_devices.Gpu, "kind", "emulated")
    return sys.modules["cupy"], stand_in, "emulated:0"


@pytest.fixture
def T(rng):
    """140 x 150: more than one node each way; small whole numbers, so that products are exact."""
    S = sp.random_array((140, 150), density=0.01, rng=rng, data_sampler=lambda size: rng.integers(1, 6, size) * 1.0)
    return S.tocsr()


def on_device(gpu, T, **options):
    return copse.array(gpu[1].csr_matrix(sp.csr_matrix(T)), **options)


def test_what_they_are_made_from(gpu, T):
    xp, sparse, device = gpu
    parts = tuple(map(xp.asarray, (T.data, T.indices, T.indptr)))
    other = [types.SimpleNamespace(__cuda_array_interface__=p.__cuda_array_interface__, keeps=p) for p in parts]
    host = sp.csr_matrix(T)
    row, col = (xp.asarray(k) for k in T.tocoo().coords)
    for A in (
        copse.array(sparse.csr_matrix(host)),
        copse.array(sparse.csc_matrix(host)),
        copse.array(sparse.coo_matrix(host.tocoo())),
        copse.array(sparse.csr_matrix(host).tocoo()),
        copse.array(xp.asarray(T.toarray())),
        copse.csr_array(parts, T.shape),
        copse.csr_array(tuple(other), T.shape),
        copse.csc_array(parts, T.shape[::-1]).T,
        copse.coo_array((parts[0], (row, col)), T.shape),
        copse.array(T).to_device(device),
    ):
        assert (A.device, A.dtype, A.shape, A.nnz) == (device, T.dtype, T.shape, T.nnz)
        same(A, T)
    assert copse.array(copse.array(T).to_device(device), dtype=np.float32).device == device
    B = pickle.loads(pickle.dumps(2 * A.T))
    assert B.device == device and B._core.is_transposed and B._core.scale == 2
    same(B, 2 * T.T)
    assert A.to_device(device) is A and A.to_device("cpu").device == "cpu"


def test_back_to_cupy(gpu, T):
    _, sparse, _ = gpu
    A = on_device(gpu, T)
    for B, S, kind in ((A, T, "csr"), (A.T, T.T, "csc"), (2 * A, 2 * T, "csr"), (-A.T, -T.T, "csc")):
        back = B.to_cupy()
        assert back.format == kind
        same(back.get(), S)
    same(copse.array(T).to_cupy().get(), T)
    assert copse.array(A.T.to_cupy()).shape == T.shape[::-1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products(gpu, T, dtype):
    xp = gpu[0]
    A, T = on_device(gpu, T.astype(dtype)), T.astype(dtype)
    x, w, X = vector(150, dtype), vector(140, dtype), vector(300).reshape(150, 2)
    for y, expected in (
        (A @ xp.asarray(x), T @ x),
        (A.T @ xp.asarray(w), T.T @ w),
        (xp.asarray(w) @ A, w @ T),
        (A @ xp.asarray(X), T @ X),
        (A @ xp.asarray(X).T.copy().T, T @ X),
        (A @ xp.asarray(np.repeat(x, 2))[::2], T @ x),
        (A @ xp.asarray(x + 1j * x), T @ (x + 1j * x)),
        (A.both(xp.asarray(x), xp.asarray(w))[1], T.T @ w),
        (A.normal(xp.asarray(x)), T.T @ (T @ x)),
        (A.normal(xp.asarray(x), xp.asarray(w)), T.T @ (w * (T @ x))),
    ):
        assert isinstance(y, xp.ndarray) and y.dtype == expected.dtype
        same(y.get(), expected)
    out = xp.empty(140, dtype)
    assert A.dot(xp.asarray(x), out=out) is out
    same(out.get(), T @ x)
    assert A.plan().nbytes > 0 and A.tune() is not None


def test_sums_and_other_values(gpu, T):
    xp, _, device = gpu
    S = T[:, :140].tocsr()
    A = on_device(gpu, S, values="each")
    plan = copse.SumPlan(A, A.T)
    x = xp.asarray(vector(140))
    for C, R in (
        (A - 0.5 * A.T, S - 0.5 * S.T),
        (plan.add(1, A, 3, A.T), S + 3 * S.T),
        (A.with_data(xp.asarray(S.data * 2)), 2 * S),
        (A.edited([3], [4], 5.0), S + sp.coo_array(([5.0 - S[3, 4]], ([3], [4])), S.shape)),
        ((A - A).pruned(), 0 * S),
        (A[3:70, 100:], S[3:70, 100:]),
        (abs(-A), S),
        (A.astype(np.float32), S),
    ):
        assert C.device == device
        same(C, R)
        if C.shape == S.shape:
            same((C @ x.astype(C.dtype)).get(), R @ x.get())
    assert A[3, 4] == S[3, 4]


def test_solvers(gpu, rng):
    xp = gpu[0]
    S = sp.random_array((40, 40), density=0.1, rng=rng).tocsr() + 3 * sp.eye_array(40)
    b = rng.standard_normal(40)
    for name in ("cg", "bicg", "cgls", "lsqr", "lsmr"):
        solve, M = getattr(copse.linalg, name), S + S.T if name == "cg" else S
        A, B = on_device(gpu, M), copse.array(M)
        x, info = solve(A, xp.asarray(b), maxiter=8)
        y, of_host = solve(B, b, maxiter=8)
        assert isinstance(x, xp.ndarray) and info.steps == of_host.steps
        np.testing.assert_allclose(x.get(), y, rtol=1e-8, atol=1e-12)
    for name in ("pagerank", "hits"):
        x, y = (getattr(copse.linalg, name)(abs(M), maxiter=4)[0] for M in (A, B))
        np.testing.assert_allclose(x.get(), y, rtol=1e-9)
    s, t = (copse.linalg.svd(M, k=2, oversampling=2, maxiter=3)[1] for M in (A, B))
    np.testing.assert_allclose(s.get(), t, rtol=1e-9)


def test_places_are_not_mixed(gpu, T):
    xp, _, device = gpu
    A, B, x = on_device(gpu, T), copse.array(T), vector(150)
    for f, says in (
        (lambda: A @ x, f"x is in host memory, and the matrix on {device}"),
        (lambda: A @ np.ones((150, 2)), "x is in host memory"),
        (lambda: B @ xp.asarray(x), "x is in the memory of a GPU"),
        (lambda: A.dot(xp.asarray(x), out=np.empty(140)), f"out must be an array of float64 on {device}"),
        (lambda: A.with_data(T.data), "data is in host memory"),
        (lambda: A.edited(xp.asarray([1]), [1], 1.0), "rows is in the memory of a GPU"),
        (
            lambda: copse.csr_array((xp.asarray(T.data), T.indices, T.indptr), T.shape),
            "indices is in host memory|indptr",
        ),
        (lambda: copse.linalg.lsqr(A, np.ones(140)), "b is in host memory"),
    ):
        with pytest.raises(TypeError, match=says):
            f()
    for f, says in (
        (lambda: A + B, "on one device"),
        (lambda: copse.SumPlan(A, B), "on one device"),
        (lambda: A * A, r"to_device\('cpu'\)"),
        (lambda: A.map_leaves(print), r"to_device\('cpu'\)"),
        (lambda: A.asformat("csr5"), r"to_device\('cpu'\)"),
        (lambda: A.to_device("tpu"), "device: 'tpu' is none of"),
    ):
        with pytest.raises(ValueError, match=says):
            f()


class OnGpu:
    __cuda_array_interface__ = {"shape": (3,), "typestr": "<f8", "data": (0, True), "version": 3}


def test_what_lacks_for_a_gpu_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(TypeError, match="pip install cupy-cuda13x"):
        copse.csr_array((OnGpu(), [0, 1, 2], [0, 1, 2, 3]), shape=(3, 3))
    if why := _core.why_not("cuda:0"):
        monkeypatch.setitem(sys.modules, "cupy", stand_in.modules()["cupy"])
        monkeypatch.setattr(_devices, "_gpus", {})
        with pytest.raises(TypeError, match="cannot be on a GPU: .*(install|CUDA)"):
            copse.array(stand_in.asarray(np.eye(3)))
        with pytest.raises(TypeError, match="cannot be on a GPU"):
            copse.array(np.eye(3)).to_cupy()
        assert "\n" not in why
