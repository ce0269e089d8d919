"""A linear program by primal-dual hybrid gradients (Chambolle and Pock, 2011): min c^T x with A x = b, x >= 0. The
program is a transport: supplies of 12 places go to 18 places at least cost. Each step multiplies with A and with A.T.

    python linear_program.py picture.png
"""

import sys

import numpy as np

import copse

SUPPLIES, DEMANDS = 12, 18


def transport(rng):
    """(A, b, c, the places). x[i, j]: what goes from supply i to demand j, along a straight way."""
    places = rng.random((SUPPLIES + DEMANDS, 2))
    cost = np.linalg.norm(places[:SUPPLIES, None] - places[None, SUPPLIES:], axis=2)
    i, j = np.mgrid[:SUPPLIES, :DEMANDS].reshape(2, -1)
    variable = np.arange(i.size)
    entries = np.ones(2 * i.size), (np.concatenate([i, SUPPLIES + j]), np.tile(variable, 2))
    A = copse.coo_array(entries, shape=(SUPPLIES + DEMANDS, i.size))
    b = np.concatenate([np.full(SUPPLIES, DEMANDS / SUPPLIES), np.ones(DEMANDS)])
    return A, b, cost.ravel(), places


def run(steps=40_000):
    A, b, c, places = transport(np.random.default_rng(1))
    m, n = A.shape
    size = 0.9 / copse.linalg.svd(A, k=1)[1][0]  # below 1 / |A|
    x, y = np.zeros(n), np.zeros(m)
    done, gap = 0, np.inf
    while gap > 1e-6 and done < steps:
        before = x
        x = np.maximum(0, x - size * (c - A.T @ y))
        y = y + size * (b - A @ (2 * x - before))
        gap = abs(c @ x - b @ y) / (1 + abs(c @ x)) + np.linalg.norm(A @ x - b)
        done += 1
    return {"x": x.reshape(SUPPLIES, DEMANDS), "cost": float(c @ x), "gap": float(gap), "steps": done, "places": places,
            "problem": (A, b, c)}  # fmt: skip


def draw(result):
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(5, 5), layout="constrained")
    places = result["places"]
    for i, j in zip(*np.nonzero(result["x"] > 1e-3), strict=True):
        ends = places[[i, SUPPLIES + j]]
        ax.plot(ends[:, 0], ends[:, 1], lw=3 * result["x"][i, j], color="tab:gray")
    ax.plot(*places[:SUPPLIES].T, "s", label="supplies")
    ax.plot(*places[SUPPLIES:].T, "o", label="demands")
    ax.legend()
    ax.set_title(f"cost {result['cost']:.4f} after {result['steps']} steps")
    return figure


if __name__ == "__main__":
    draw(run()).savefig(sys.argv[1] if len(sys.argv) > 1 else "linear_program.png", dpi=120)
