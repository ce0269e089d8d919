"""Pictures of products and sums on a GPU in double: speeds beside the best of cuSPARSE, matrix by matrix."""

from os import makedirs, path

from colours import CEILING, COLOURS
from gpu_records import grouped
from pictures import pyplot, ticker
from units import clean

# Rows of dots within a matrix, from the top: the legend's text, the colour, whether the dot is filled, who it is. Of
# several variants the fastest is drawn.
PRODUCTS = [
    ("HiSparse, plan", "hisparse", True, lambda r: r.name == "copse hisparse plan"),
    ("HiSparse, one-shot, best controller", "hisparse", False,
     lambda r: r.is_ours and r["format"] == "hisparse" and r["mode"] != "plan"),
    ("CSR5, plan", "csr5", True, lambda r: r.name.startswith("copse csr5 plan")),
    ("SELL-P, plan", "sellp", True, lambda r: r.name.startswith("copse sellp plan")),
    ("CMRS, plan", "cmrs", True, lambda r: r.is_ours and r["format"] == "cmrs" and r["mode"] == "plan"),
    ("CSR, plan, best kernel", "csr", True, lambda r: r.is_ours and r["format"] == "csr" and r["mode"] == "plan"),
    ("cuSPARSE, Aᵀ stored beside A", "cusparse", True, lambda r: r["library"] == "cusparse" and "stored" in r.name),
    ("a thread for each row", "naive", True, lambda r: r["library"] == "naive"),
]
SUMS = [
    ("HiSparse, persistent blocks", "hisparse", True, lambda r: r.name == "copse hisparse persistent"),
    ("HiSparse, host controller", "hisparse", False, lambda r: r.name == "copse hisparse host"),
    ("HiSparse, device controller", "hisparse", None, lambda r: r.name == "copse hisparse device"),
    ("cuSPARSE, transposes stored beside A, B", "cusparse", True,
     lambda r: r["library"] == "cusparse" and "stored" in r.name),
]


def is_from_a(r):
    return r["library"] == "cusparse" and "stored" not in r.name


def draw_race(axes, y, race, competitors, handles):
    """The dots of one matrix in the band from y to y + 1, each with a bar as long as the distance of the quartiles, and
    the ceiling's mark."""
    best = min((r for r in race if is_from_a(r)), key=lambda r: r["seconds"])
    for i, (label, colour, filled, takes_part) in enumerate(competitors):
        one = min(filter(takes_part, race), key=lambda r: r["seconds"], default=None)
        if one is None:
            continue
        speed = best["seconds"] / one["seconds"]
        handles[label] = axes.errorbar(
            speed, y + (i + 1.5) / (len(competitors) + 2), xerr=speed * min(one["spread"] / 2, 0.9),
            color=COLOURS[colour], **marker(one.is_ours, filled))
    ceiling = best["copy_gbytes_per_second"] / best["csr_gbytes_per_second"]
    handles["CSR's bytes at the bandwidth of a copy"], = axes.plot(
        [ceiling, ceiling], [y + 0.06, y + 0.94], color=CEILING, linewidth=2.5, alpha=0.6, zorder=1)


def marker(is_ours, filled):
    return {"marker": "D" if filled is None else "o", "markersize": 7 if is_ours else 6, "linestyle": "none",
            "markerfacecolor": None if filled else "white", "markeredgewidth": 1.6, "elinewidth": 1.6,
            "zorder": 4 if is_ours else 3}


def picture(file, title, records, operations, competitors):
    """A panel for each operation; a band for each matrix, which have no order: no line joins them."""
    timed = [r for r in records if r["seconds"] is not None and r["type"] == "double" and r.operation in operations]
    races = {key: race for key, race in grouped(timed, lambda r: (r.operation, r["matrix"])).items()
             if any(map(is_from_a, race))}
    if not races:
        return
    operations = [one for one in operations if any(one == operation for operation, _ in races)]
    entries = {matrix: race[0]["entries"] for (_, matrix), race in races.items()}
    matrices = sorted(entries, key=entries.get)
    handles = {}
    height = 0.13 * len(matrices) * (len(competitors) + 2) + 2.2  # inches
    figure, panels = pyplot.subplots(1, len(operations), sharey=True, layout="constrained", squeeze=False,
                                     figsize=(4.2 * len(operations) + 2, height))
    for axes, operation in zip(panels[0], operations):
        for y, matrix in enumerate(matrices):
            axes.axhspan(y, y + 1, color="#f4f4f4" if y % 2 else "white", zorder=0)
            if (operation, matrix) in races:
                draw_race(axes, y, races[operation, matrix], competitors, handles)
        handles["cuSPARSE's best from A as it is stored: 1"] = axes.axvline(
            1, color=COLOURS["cusparse"], linewidth=2.5, zorder=2)
        axes.set(xscale="log", title=operation.replace("^T", "ᵀ"), xlabel="faster →", ylim=(len(matrices), 0))
        axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_formatter(ticker.NullFormatter())
        axes.grid(axis="x", color="#dddddd", linewidth=0.6)
        axes.tick_params(axis="y", length=0)
    panels[0][0].set_yticks([y + 0.5 for y in range(len(matrices))],
                            [f"{clean(m)}\n{entries[m] / 1e6:.1f} M entries" for m in matrices])
    figure.suptitle(f"{title}: speed in units of cuSPARSE's best", fontsize=13)
    figure.legend(handles.values(), handles.keys(), loc="upper center", bbox_to_anchor=(0.5, 0), ncols=3,
                  frameon=False)
    figure.savefig(file, bbox_inches="tight")
    pyplot.close(figure)


def save(records, folder):
    makedirs(folder, exist_ok=True)
    gpu = next((r["gpu"] for r in records if r["gpu"]), "GPU")
    for name, bench, what, operations, competitors in [
            ("gpu_products", "spmv", "Products", ["A x", "A^T x"], PRODUCTS),
            ("gpu_sums", "addition", "Sums", ["A + B", "A^T + B^T", "A + B^T"], SUMS)]:
        picture(path.join(folder, f"{name}.svg"), f"{what} in double on {gpu}",
                [r for r in records if r["bench"] == bench], operations, competitors)
