"""The matrices that are measured: sparse arrays of SciPy, the same ones at every call."""

import numpy as np
import scipy.sparse as sp


def poisson3d(n: int) -> sp.csr_array:
    """The 7-point stencil on n^3 points: constant coefficients."""
    line = sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    one = sp.eye_array(n)
    return sum(sp.kron(a, sp.kron(b, c)) for a, b, c in [(line, one, one), (one, line, one), (one, one, line)]).tocsr()


def varying3d(n: int) -> sp.csr_array:
    """The 27-point pattern on n^3 points with a value of its own for each entry."""
    line = sp.diags_array([np.ones(n - abs(k)) for k in (-1, 0, 1)], offsets=[-1, 0, 1])
    S = sp.kron(line, sp.kron(line, line)).tocsr()
    S.data = np.random.default_rng(1).standard_normal(S.nnz)
    return S


def graph(n: int, links: int) -> sp.csr_array:
    """n pages with `links` links each on average; few pages have most of them."""
    rng = np.random.default_rng(2)
    at = (n * rng.random((2, n * links)) ** 3).astype(np.int64)
    S = sp.coo_array((np.ones(n * links), (at[0], at[1])), shape=(n, n)).tocsr()
    S.sum_duplicates()
    return S


def projections(size: int, angles: int) -> sp.csr_array:
    """Tomography-like: a picture of size^2 pixels, and for each angle `size` parallel rays, which meet each pixel that
    they pass with a weight by its distance."""
    y, x = (k.ravel() - size / 2 + 0.5 for k in np.mgrid[0:size, 0:size])
    rows, values = [], []
    for k in range(angles):
        angle = np.pi * k / angles
        place = np.cos(angle) * x + np.sin(angle) * y + size / 2
        first = np.floor(place).astype(np.int64)
        for ray, weight in ((first, 1 - (place - first)), (first + 1, place - first)):
            rows.append(np.where((ray >= 0) & (ray < size), k * size + ray, -1))
            values.append(weight)
    row, value = np.concatenate(rows), np.concatenate(values)
    column = np.tile(np.arange(size * size), 2 * angles)
    inside = row >= 0
    return sp.coo_array((value[inside], (row[inside], column[inside])), shape=(angles * size, size * size)).tocsr()


MATRICES = {
    "poisson3d": lambda scale: poisson3d(int(90 * scale)),
    "varying3d": lambda scale: varying3d(int(60 * scale)),
    "graph": lambda scale: graph(int(400_000 * scale**3), 12),
    "projections": lambda scale: projections(int(256 * scale), int(120 * scale)),
}
