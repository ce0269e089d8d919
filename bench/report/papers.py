"""The tables of the papers on CSR5, SELL-P and CMRS with our columns beside theirs (paper_figures.json)."""

import json
from itertools import groupby
from pathlib import Path
from statistics import mean

from records import fastest, is_right, name, place, speed, wrong
from tables import table
from units import percent, times, two_digits

FIGURES = json.loads((Path(__file__).parent / "paper_figures.json").read_text())


class Matrix:
    """A matrix of the papers in one type: what its "paper-matrix" line says, and the records behind that line."""

    def __init__(self, line):
        self.what, self.records = line, []
        self.origin = line["stand_in"] or "file"

    def of(self, op):
        return [r for r in self.records if r["op"] == op]

    def races(self):
        """Of one target and mode each."""
        return [list(race) for _, race in groupby(self.of("spmv"), key=target_and_mode)]


def target_and_mode(record):
    return record["on"], record["controller"], record["mode"]


def matrices(run):
    all = []
    for line in run.lines:
        if line.get("op") == "paper-matrix":
            all.append(Matrix(line))
        elif all and "op" in line:
            all[-1].records.append(line)
    return all


def mode_and_place(record):
    """ "gpu, persistent", "gpu plan" """
    return place(record) if record["mode"] == "oneshot" else f"{record['on']} {record['mode']}"


def of_format(race, format):
    return fastest(race, lambda r: r["format"] == format)


def gflops(race, formats):
    """Of each format, "-" where it took no part."""
    by_format = {r["format"]: r for r in race}
    return ["-" if f not in by_format else two_digits(by_format[f]["gflops"]) if is_right(by_format[f]) else
            wrong(by_format[f], 1)[0] for f in formats]


def gain(race, format):
    return times(speed(of_format(race, format), of_format(race, "csr")))


def csr5_table(all):
    rows = []
    for m in all:
        for race in m.races() if m.what["paper"] == "csr5" else []:
            r, lengths = race[0], m.what["row_entries"]
            rows.append([m.what["id"], m.what["name"], m.origin, r["type"], mode_and_place(r), f"{r['rows']:,}",
                         f"{r['cols']:,}", f"{r['entries']:,}", f"{lengths['minimum']:,}", f"{lengths['mean']:.1f}",
                         f"{lengths['maximum']:,}", *gflops(race, ["csr", "csr5", "sellp", "cmrs"]),
                         gain(race, "csr5")])
    header = ["id", "matrix", "from", "type", "on", "rows", "columns", "entries", "min", "avg", "max", "csr", "csr5",
              "sellp", "cmrs", "csr5 vs csr"]
    return rows and "## CSR5's Table 2 (Liu & Vinter), GFLOP/s of A x\n\n" + table(header, rows, left=5)


def sellp_table(all):
    rows, figures = [], FIGURES["sellp"]
    for m in all:
        for race in m.races() if m.what["paper"] == "sellp" else []:
            r = race[0]
            theirs = figures["seconds"].get(m.what["name"], [None] * 4)
            rows.append([m.what["name"], m.origin, r["type"], mode_and_place(r), f"{r['rows']:,}", f"{r['entries']:,}",
                         f"{m.what['row_entries']['mean']:.2f}", *gflops(race, ["csr", "csr5", "sellp", "cmrs"]),
                         gain(race, "sellp"), *(two_digits(s and 2e-9 * m.what["entries"] / s) for s in theirs)])
    header = ["matrix", "from", "type", "on", "n", "entries", "per row", "csr", "csr5", "sellp", "cmrs", "sellp vs csr",
              *figures["columns"]]
    return rows and ("## SELL-P's Tables I and III (Anzt, Tomov, Dongarra), GFLOP/s of A x\n\n" +
                     table(header, rows, left=4) + "\n* from the paper's seconds, double: MKL on two Xeon E5-2670 "
                     "(16 cores), the others on a Tesla K40c\n")


def mean_and_best(speedups):
    return f"{times(mean(speedups))}, {times(max(speedups))}"


def scenario_table(all):
    all = [m for m in all if m.what["paper"] == "csr5"]
    rows, groups = [], {}
    for m in all:
        for s in m.of("scenario"):
            irregular = not m.what["id"].startswith("r")
            groups.setdefault((mode_and_place(s), s["type"], irregular, s["format"]), []).append(s)
            if s["format"] == "csr5":
                rows.append([f"{m.what['id']} {m.what['name']}", s["type"], s["on"], name(s | {"node_dimension": None}),
                             times(s["conversion_in_products"]), times(s["speedup_50"]), times(s["speedup_500"])])
    for (on, type, irregular, format), found in sorted(groups.items()):
        rows.append([f"{len(found)} {'irregular' if irregular else 'regular'}, mean, best", type, on, format,
                     times(mean(s["conversion_in_products"] for s in found)),
                     *(mean_and_best([s[speedup] for s in found]) for speedup in ["speedup_50", "speedup_500"])])
    for g in FIGURES["scenarios"]["groups"]:
        rows.append([f"the paper's {g['matrices']}, mean, best", "double", g["on"], "csr5", times(g["conversion"]),
                     *(", ".join(map(times, g[products])) for products in ["50", "500"])])
    header = ["matrix", "type", "on", "format", "conversion", "50 products", "500 products"]
    return all and ("## CSR5's Table 3: conversion in products of plain CSR, and how many times faster than plain CSR "
                    "conversion and products are\n\n" + table(header, rows, left=4))


def sigma_table(all):
    races = [(m, s) for m in all for s in m.of("sigma")]
    heights = sorted({int(h) for _, s in races for h in s["relative_seconds"]})
    rows, losses = [], {}
    for m, s in races:
        losses.setdefault(s["on"], []).append(s["loss"])
        tried = ["rule" if h == s["rule"] else two_digits(s["relative_seconds"].get(str(h))) for h in heights]
        rows.append([m.what["id"], m.what["name"], s["type"], s["on"], str(s["rule"]), str(s["best"]),
                     percent(s["loss"], 1), *tried])
    text = ("## CSR5's Figure 9: loss of the rule's sigma against the best from 4 to 48; behind it the time with each "
            "sigma, in units of the rule's\n\n")
    text += table(["id", "matrix", "type", "on", "rule", "best", "loss", *map(str, heights)], rows, left=4) + "\n"
    for on, all_losses in losses.items():
        text += (f"mean loss on the {on}: {percent(mean(all_losses), 1)}; the paper's on a GTX 980: "
                 f"{percent(FIGURES['sigma_loss']['loss'], 1)}\n")
    return rows and text + "On the cpu tiles of up to 32 rows are multiplied in SIMD, higher ones entry by entry.\n"


def cmrs_table(all):
    rows = []
    for m in all:
        for model in m.of("cmrs-model"):
            race = next(race for race in m.races() if target_and_mode(race[0]) == target_and_mode(model))
            theirs = FIGURES["efficiency"]["by_name"].get(m.what["name"], [None, None])
            rows.append([m.what["name"] + (" *" if m.what["name"] in FIGURES["cmrs_text"]["names"] else ""),
                         model["type"], place(model) + ("" if model["mode"] == "oneshot" else f" {model['mode']}"),
                         str(model["height"]), f"{model['row_entries']:.1f}", two_digits(model["bytes_per_byte"]),
                         times(model["expected_speedup"]), gain(race, "cmrs"),
                         two_digits(of_format(race, "cmrs")["gflops"]), two_digits(model["eta_minus"]),
                         two_digits(model["eta_plus"]), *map(two_digits, theirs)])
    header = ["matrix", "type", "on", "h", "mu", "f (5.1)", "a (5.2)", "vs csr", "GFLOP/s", "eta-", "eta+",
              "paper's eta-", "eta+"]
    return rows and ("## CMRS's model (Koza et al.) beside the measurement; * the paper's own matrices\n\n" +
                     table(header, rows, left=3) + "\nf: bytes moved for each byte asked for, a: expected gain over a "
                     "warp for each row of CSR, both with segments of 64 bytes on the cpu and 128 on\na GPU. eta-, "
                     "eta+ (6.2): with the triad of this run as the bandwidth on the cpu, the copy on a GPU; the paper "
                     "takes data sheets. Its figures\nare a K20M's, double, h = 4.\n")


def summary(run):
    all = matrices(run)
    tables = [make(all) for make in [csr5_table, scenario_table, sigma_table, sellp_table, cmrs_table]]
    if all and run.notes():
        tables.append("## Formats that took no part\n\n" + "".join(f"- {note}\n" for note in run.notes()))
    return [text for text in tables if text]
