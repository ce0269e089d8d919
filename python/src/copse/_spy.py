"""The picture of a matrix by matplotlib, from what `copse spy` draws."""

from typing import Any

COLOURS = {"sparse": "tab:blue", "dense": "tab:red", "diagonal": "tab:green", "wide": "tab:orange"}


def draw(core: Any, shape: tuple[int, int], ax: Any, most_cells: int) -> Any:
    try:
        import matplotlib.pyplot as plt
        from matplotlib.colors import LogNorm
        from matplotlib.patches import Patch, Rectangle
    except ImportError as e:
        raise ImportError("A.spy() draws with matplotlib: pip install matplotlib") from e
    import numpy as np

    picture = core.picture(most_cells=most_cells)
    ax = ax if ax is not None else plt.gca()
    m, n = shape
    cells = picture["entries"]
    if cells.size and cells.any():
        side = picture["cell"]
        extent = (-0.5, cells.shape[1] * side - 0.5, cells.shape[0] * side - 0.5, -0.5)
        shown = np.ma.masked_equal(cells, 0)
        ax.imshow(shown, cmap="Greys", norm=LogNorm(0.5, max(2, cells.max())), extent=extent, interpolation="nearest")
    for row, column, rows, columns, level, kind, _ in picture["boxes"]:
        box = Rectangle((column - 0.5, row - 0.5), columns, rows, fill=False, lw=0.4 + 0.4 * level, ec=COLOURS[kind])
        ax.add_patch(box)
    labels = {kind: f"{kind}: {size:,} bytes" for kind, size in picture["bytes"].items()}
    keys = [Patch(fill=False, ec=COLOURS[kind], label=label) for kind, label in labels.items()]
    ax.legend(handles=keys, fontsize="small")
    ax.set_xlim(-0.5, n - 0.5)
    ax.set_ylim(m - 0.5, -0.5)
    return ax
