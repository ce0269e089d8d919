"""Least squares: a surface through scattered, noisy heights. Each sample is a mean of the four grid points around it,
so that A has four entries in a row; lsqr reads A once a step.

    python least_squares.py picture.png
"""

import sys

import numpy as np

import copse

GRID, SAMPLES, NOISE = 40, 20_000, 0.1


def height(x, y):
    return np.sin(6 * x) * np.cos(4 * y)


def interpolation(x, y):
    """A[k, i]: the weight of grid point i in sample k, at (x[k], y[k]) of the unit square."""
    column, row = (np.minimum((GRID - 1) * at, GRID - 1.001) for at in (x, y))
    i, j = row.astype(int), column.astype(int)
    s, t = row - i, column - j
    weights = np.stack([(1 - s) * (1 - t), (1 - s) * t, s * (1 - t), s * t])
    points = np.stack([i * GRID + j, i * GRID + j + 1, (i + 1) * GRID + j, (i + 1) * GRID + j + 1])
    samples = np.tile(np.arange(x.size), 4)
    return copse.coo_array((weights.ravel(), (samples, points.ravel())), shape=(x.size, GRID * GRID))


def run():
    rng = np.random.default_rng(0)
    x, y = rng.random((2, SAMPLES))
    A = interpolation(x, y)
    found, info = copse.linalg.lsqr(A, height(x, y) + NOISE * rng.standard_normal(SAMPLES), damp=0.1)
    at = np.linspace(0, 1, GRID)
    error = found.reshape(GRID, GRID) - height(at[None, :], at[:, None])
    return {"A": A, "surface": found.reshape(GRID, GRID), "info": info, "error": float(np.sqrt((error**2).mean()))}


def draw(result):
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    left.imshow(result["surface"], origin="lower", extent=(0, 1, 0, 1))
    left.set_title(f"{result['info'].steps} steps of lsqr, mean error {result['error']:.3f}")
    result["A"][:1600, :].spy(right)
    right.set_title("the first samples' rows of A")
    return figure


if __name__ == "__main__":
    draw(run()).savefig(sys.argv[1] if len(sys.argv) > 1 else "least_squares.png", dpi=120)
