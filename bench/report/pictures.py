"""Pictures of a run: speeds of products and sums beside the fastest peer, bytes per entry.

A row for each matrix, a dot for each competitor; nothing joins the rows, because matrices have no order:

    stencil27:96  |    o peer     1     * HiSparse  |  mkl 12.3 ms
    rmat:19,16    |  * HiSparse   1                 |  librsb 80 ms
                    speed, in times of the fastest peer's

Ours are large and strong, above the middle of the row; other libraries small and pale, below it.
"""

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text
from matplotlib import pyplot, ticker  # noqa: E402

from colours import CEILING, COLOURS  # noqa: E402
from records import PEERS, fastest_peer, find, is_peer, is_right, name, operation, races, speed  # noqa: E402
from units import seconds  # noqa: E402

TUNED = ["plan", "tuned", "optimized"]
BESIDE = {"loc": "upper left", "bbox_to_anchor": (1, 0.97), "frameon": False}  # of a legend: right of the panels


def marker(record):
    """Circles are ours, diamonds others'; filled ones are planned or tuned, hollow ones are not."""
    color = COLOURS.get(record["format"], "#999999")
    return {"marker": "D" if is_peer(record) else "o", "markersize": 5.5 if is_peer(record) else 8,
            "markerfacecolor": color if record["mode"] in TUNED else "white", "markeredgecolor": color,
            "markeredgewidth": 1.6, "ecolor": color, "elinewidth": 1.4, "linestyle": "none",
            "zorder": 3 if is_peer(record) else 4}


def is_shown(record):
    """The flat formats' one-shot products are left out: their plans say more, and rows would be full."""
    return (is_right(record) and record["on"] == "cpu" and record["entries"] > 0 and
            (is_peer(record) or record["mode"] == "plan" or
             record["format"] in ["hisparse", "csr", "csr-of-transpose"]))


def label(record):
    return f"{record['format']} {record['mode']}" if record["mode"] in TUNED else record["format"]


def draw_race(axes, y, race, handles):
    """The competitors of one product or sum in the row at `y`; ours above its middle, others below. Returns the speeds
    that it drew."""
    yardstick = fastest_peer(race) or find(race, "csr")
    drawn = []
    for some, side in [([r for r in race if is_shown(r) and not is_peer(r)], -1),
                       ([r for r in race if is_shown(r) and is_peer(r)], 1)]:
        for i, r in enumerate(sorted(some, key=lambda r: -r["seconds"])):
            ratio = speed(r, yardstick)
            drawn.append(ratio)
            handles[label(r)] = axes.errorbar(ratio, y + side * (0.06 + 0.36 * (i + 1) / (len(some) + 1)),
                                              xerr=ratio * min(r["spread"] / 2, 0.9), **marker(r))
    axes.text(1.01, y, f"{name(yardstick)}, {seconds(yardstick['seconds'])}", transform=axes.get_yaxis_transform(),
              va="center", fontsize=8, color="#555555")
    return drawn


def draw_ceiling(axes, y, race, handles):
    """What CSR would reach if it moved its bytes at the triad's speed: a line across the row, or, if that is far beyond
    all speeds, an arrow at the right."""
    yardstick = fastest_peer(race) or find(race, "csr")
    ceiling = yardstick["triad_gbytes_per_second"] / yardstick["csr_gbytes_per_second"]
    if ceiling < axes.get_xlim()[1]:
        handles["line"], = axes.plot([ceiling] * 2, [y - 0.44, y + 0.44], color=CEILING, linewidth=2.5, alpha=0.55)
    else:
        axes.plot(0.985, y, marker=">", color=CEILING, alpha=0.55, transform=axes.get_yaxis_transform())


def speeds(records, title):
    """A panel for each operation; the matrices with the fullest blocks at the top."""
    all = [race for race in races(records) if fastest_peer(race) or find(race, "csr")]
    operations = list(dict.fromkeys(operation(race[0]) for race in all))
    fullness = {race[0]["matrix"]: race[0].get("entries_per_block") or 0 for race in all}
    names = sorted(fullness, key=lambda m: -fullness[m])
    figure, panels = pyplot.subplots(1, len(operations), sharey=True, sharex=True, squeeze=False, layout="constrained",
                                     figsize=(2 + 5.8 * len(operations), 2 + 0.66 * len(names)))
    handles, drawn = {}, [1]
    for axes, product in zip(panels[0], operations):
        axes.set_xscale("log", base=2)
        for race in all:
            if operation(race[0]) == product:
                drawn += draw_race(axes, names.index(race[0]["matrix"]), race, handles)
    for axes, product in zip(panels[0], operations):
        axes.set_xlim(min(drawn) / 1.15, max(drawn) * 1.15)
        axes.set_ylim(len(names) - 0.5, -0.5)
        for y in range(1, len(names), 2):
            axes.axhspan(y - 0.5, y + 0.5, color="#f3f3f3", zorder=0)
        for race in all:
            if operation(race[0]) == product:
                draw_ceiling(axes, names.index(race[0]["matrix"]), race, handles)
        axes.axvline(1, color="#999999", linewidth=1, zorder=1)
        axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda x, _: f"{x:g}x"))
        axes.set_title(product, fontweight="bold")
        axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    panels[0][0].set_yticks(range(len(names)), names)
    than = "of the fastest other library (at the right)" if any(map(is_peer, records)) else "of plain CSR"
    figure.supxlabel(f"speed, in times of the speed {than}; faster is further right; bars hold the middle half of the "
                     "runs", fontsize=10)
    figure.suptitle(title)
    ceiling = handles.pop("line", None)
    known = list(COLOURS)
    order = sorted(handles, key=lambda h: (known.index(h.split()[0]) if h.split()[0] in known else len(known), h))
    entries = [(handles[h], h) for h in order]
    ours = sum(h.split()[0] not in PEERS for h in order)
    nothing = matplotlib.lines.Line2D([], [], linestyle="none")
    entries[ours:ours] = [(nothing, ""), (nothing, "other libraries (below)")] * (ours < len(order))
    entries = [(nothing, "filled: planned or tuned"), (nothing, ""), (nothing, "ours (above in each row)"), *entries]
    if ceiling:
        entries += [(nothing, ""),
                    (ceiling, "ceiling: CSR's bytes at\nthe speed of the triad\n(arrow: beyond the edge)")]
    figure.legend(*zip(*entries), **BESIDE)
    return figure


def sizes(all):
    """Bytes per entry, a panel for each type; short lines are goals."""
    types = list(dict.fromkeys(one["type"] for one in all))
    names = list(dict.fromkeys(one["matrix"] for one in all))
    figure, panels = pyplot.subplots(1, len(types), sharey=True, squeeze=False, layout="constrained",
                                     figsize=(2 + 5 * len(types), 1.8 + 0.4 * len(names)))
    handles = {}
    for axes, type in zip(panels[0], types):
        for one in (one for one in all if one["type"] == type and one["entries"] > 0):
            y = names.index(one["matrix"])
            for f in one["formats"]:
                d, is_chosen = f.get("node_dimension"), f.get("node_dimension") == one["node_dimension"]
                if d and not is_chosen:
                    continue
                color = COLOURS[f["format"]]
                handles[f["format"] + (f", d = {d}" if d else "")], = axes.plot(
                    f["bytes_per_entry"], y, marker="o" if d else "s", markersize=9 if d else 6, color=color,
                    linestyle="none", zorder=4 if d else 3)
            for goal in one["goals"]:
                met = goal["met"]
                handles["goal, met" if met else "goal, missed"], = axes.plot(
                    [goal["limit_bytes_per_entry"]] * 2, [y - 0.35, y + 0.35], color="#888888" if met else "#c1121f",
                    linewidth=2, linestyle="-" if met else ":")
        axes.set_title(type, fontweight="bold")
        axes.set_xlim(left=0)
        axes.grid(axis="x", color="#dddddd", linewidth=0.6)
        axes.set_ylim(len(names) - 0.5, -0.5)
    panels[0][0].set_yticks(range(len(names)), names)
    figure.supxlabel("bytes per entry of the matrix; left is smaller", fontsize=10)
    figure.suptitle("Bytes per entry, and the goals for HiSparse")
    figure.legend(handles.values(), handles.keys(), **BESIDE)
    return figure


def write(run, folder):
    """As SVG files; returns their names."""
    names = []
    for name, figure in of(run):
        names.append(f"{name}.svg")
        figure.savefig(folder / names[-1], bbox_inches="tight", metadata={"Date": None})
        pyplot.close(figure)
    return names


def of(run):
    """Pairs of a name and a figure."""
    m = run.machine
    where = f"{m.get('cpu_model', '')}, {m.get('threads', '?')} threads, commit {m.get('commit', '?')}"
    for op, what in [("spmv", "Products"), ("add", "Sums")]:
        records = [r for r in run.of(op) if r["on"] == "cpu"]
        if run.of("paper-matrix"):
            continue
        for type in dict.fromkeys(r["type"] for r in records):
            yield f"{op}-{type}", speeds([r for r in records if r["type"] == type], f"{what}, {type}; {where}")
    if run.of("sizes"):
        yield "sizes", sizes(run.of("sizes"))
