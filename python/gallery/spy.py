"""Spy plots: where the entries are, and how the tree divides them. Each box is a node, its colour the kind of leaf.

python spy.py picture.png
"""

import sys

import numpy as np
import scipy.sparse as sp

import copse


def matrices():
    rng = np.random.default_rng(0)
    n = 60
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=(-1, 0, 1), shape=(n, n))
    grid = sp.kron(line, sp.eye_array(n)) + sp.kron(sp.eye_array(n), line)
    blocks = sp.block_diag([sp.coo_array(rng.random((k, k))) for k in (20, 150, 60, 260, 90)])
    arrow = sp.random_array((2000, 2000), density=0.0005, rng=rng) + sp.eye_array(2000)
    arrow = arrow.tolil()
    arrow[0], arrow[:, 0] = 1, 1
    return {"grid of 60 x 60 points": grid, "dense blocks": blocks, "arrow": arrow}


def run():
    return {name: copse.array(S) for name, S in matrices().items()}


def draw(result):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(13, 4.5), layout="constrained")
    for ax, (name, A) in zip(axes, result.items(), strict=True):
        A.spy(ax)
        ax.set_title(f"{name}: {A.nbytes / A.nnz:.1f} bytes an entry")
    return figure


if __name__ == "__main__":
    draw(run()).savefig(sys.argv[1] if len(sys.argv) > 1 else "spy.png", dpi=120)
