"""Time stepping: heat in a rod, M u' = -K u, by implicit steps (M + dt K) u_next = M u of changing length. Where M and
K go in the sum is recorded once; each step forms its matrix by a copse.SumPlan, and its products' plan follows.

    python time_stepping.py picture.png
"""

import sys

import numpy as np
import scipy.sparse as sp

import copse

POINTS, END = 400, 0.1


def elements():
    """Mass and stiffness of linear elements, with u = 0 at both ends of a rod of length 1."""
    h = 1 / (POINTS + 1)
    mass = sp.diags_array([h / 6, 2 * h / 3, h / 6], offsets=(-1, 0, 1), shape=(POINTS, POINTS))
    stiffness = sp.diags_array([-1 / h, 2 / h, -1 / h], offsets=(-1, 0, 1), shape=(POINTS, POINTS))
    return copse.array(mass), copse.array(stiffness)


def run():
    M, K = elements()
    plan = copse.SumPlan(M, K)
    x = np.linspace(0, 1, POINTS + 2)[1:-1]
    u = np.sin(np.pi * x) + 0.5 * np.sin(5 * np.pi * x)
    t, dt, history, steps = 0.0, 1e-5, [(0.0, u)], 0
    while t < END:
        dt = min(1.1 * dt, END - t, 1e-3)  # what changes fast has died away: longer steps
        A = plan.add(1, M, dt, K)
        u, info = copse.linalg.cg(A, M @ u, u, rtol=1e-10)
        if info:
            raise RuntimeError(f"no convergence at t = {t}: {info}")
        t, steps = t + dt, steps + 1
        history.append((t, u))
    exact = np.exp(-(np.pi**2) * END) * np.sin(np.pi * x)
    return {"x": x, "history": history, "steps": steps, "error": float(abs(u - exact).max() / exact.max())}


def draw(result):
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    for t, u in result["history"][:: max(1, len(result["history"]) // 8)]:
        ax.plot(result["x"], u, label=f"t = {t:.4f}")
    ax.legend(fontsize="small")
    ax.set_title(f"{result['steps']} steps, relative error {result['error']:.1e}")
    return figure


if __name__ == "__main__":
    draw(run()).savefig(sys.argv[1] if len(sys.argv) > 1 else "time_stepping.png", dpi=120)
