"""What a run of copse_bench says in JSON lines, and the questions that all tables ask of its records.

Each line is an object with an "op":
  run                the machine, its ceilings, the libraries to compare with; first. Files from before 2026-11-26 have
                     none: the first record says most of it
  spmv, spmm, add    a product (with one vector, with several columns) or sum by one format, timed
  sizes, tune        bytes of a matrix in each format; a format with one of its sizes, timed
  conversion         a format's conversion from CSR and back, timed (copse_conversion_bench)
  solver             both products, or a solver made of them, timed as a whole (copse_solver_bench)
  kit                an operation of one's own beside a loop over CSR (copse_kit_bench)
  paper-matrix       a matrix of the papers, before its records: spmv, scenario, cmrs-model, sigma
  note               why a format or a library takes no part somewhere
  done               the records of a matrix are all there
"""

import json
from itertools import groupby
from statistics import geometric_mean

import units

PEERS = ["eigen", "eigen-symmetric", "graphblas", "librsb", "librsb-symmetric", "petsc", "mkl", "mkl-symmetric",
         "mkl by columns", "mkl-symmetric by columns"]


class Run:
    def __init__(self):
        self.machine = {}
        self.lines = []  # objects

    def add(self, line):
        """Takes one line. Returns its object; None if it is none."""
        try:
            one = json.loads(line)
        except ValueError:
            return None
        if not isinstance(one, dict):
            return None
        if one.get("op") == "run" or not self.machine:
            self.machine = one
        self.lines.append(one)
        return one

    def of(self, op):
        return [one for one in self.lines if one.get("op") == op]

    def notes(self):
        return [units.clean(n["text"]) for n in self.of("note")]


def heading(run):
    """Lines about the machine and its ceilings, and about the libraries that take part."""
    m, text = run.machine, ""
    if "cpu_model" in m:
        text += f"cpu: {m['cpu_model']}, {m.get('threads', '?')} threads"
    if m.get("triad_gbytes_per_second"):
        text += f"; triad {m['triad_gbytes_per_second']:.2f} GB/s (24 bytes per element, write-allocate not counted"
        if "triad_array_bytes" in m:
            text += (f"; best, median {m['triad_median_gbytes_per_second']:.2f}; "
                     f"three arrays of {units.size(m['triad_array_bytes'])}")
        text += ")"
    if m.get("gpu"):
        copy = m.get("gpu_copy_gbytes_per_second")
        text += f"\ngpu: {m['gpu']}" + (f"; copy {copy:.0f} GB/s (median)" if copy else "")
    if m.get("load_average", 0) > 1:
        text += (f"\nload average before the start {m['load_average']:.1f}: the machine is not quiet, "
                 "times are worth little")
    text += f"\ncommit {m.get('commit', 'unknown')}, {m.get('date', 'unknown')}\n"
    if m.get("peers"):
        here = [p["version"] for p in m["peers"] if p["version"]]
        text += f"compared with {', '.join(here) or 'no other library'}\n"
        text += "".join(f"without {p['absence']}\n" for p in m["peers"] if not p["version"])
    return text.lstrip()


def is_right(record):
    return record["max_error"] <= 1


def is_peer(record):
    return record["format"] in PEERS


def operation(record):
    """ "A x", "A^T x", "A + B^T", "A X, 8 columns" """
    a = "A^T" if record["transpose"] else "A"
    if record["op"] == "add":
        return f"{a} + B{'^T' if record['transpose_b'] else ''}"
    return f"{a} X, {record['vectors']} columns" if record["op"] == "spmm" else f"{a} x"


def name(record):
    """ "hisparse d=128", "librsb tuned" """
    dimension = f" d={record['node_dimension']}" if record.get("node_dimension") else ""
    return record["format"] + dimension + ("" if record["mode"] == "oneshot" else f" {record['mode']}")


def place(record):
    return record["on"] + (f", {record['controller']}" if record.get("controller") else "")


def matrices(records):
    """Lists of records that follow one another, each of one matrix in one type."""
    return [list(group) for _, group in groupby(records, lambda r: (r["matrix"], r["type"]))]


def races(records):
    """The records of each race: one matrix, one type, one operation."""
    return [list(group) for _, group in groupby(records, lambda r: (r["matrix"], r["type"], operation(r)))]


def fastest(race, takes_part=lambda r: True):
    """None without any that was right."""
    return min((r for r in race if is_right(r) and takes_part(r)), key=lambda r: r["seconds"], default=None)


def find(race, format, mode="oneshot"):
    """On the cpu; None if it took no part or was wrong."""
    return fastest(race, lambda r: r["format"] == format and r["mode"] == mode and r["on"] == "cpu")


def fastest_peer(race):
    return fastest(race, is_peer)


def speed(record, other):
    """Of `record`, in times of the speed of `other`; None where one is missing or was wrong."""
    both = record and other and is_right(record) and is_right(other)
    return other["seconds"] / record["seconds"] if both else None


def mean_of(ratios):
    """The geometric mean of those that are there."""
    there = [r for r in ratios if r is not None]
    return geometric_mean(there) if there else None


def wrong(record, cells):
    """What a row has in place of `cells` times."""
    return [f"WRONG by {record['max_error']:.3g} bounds"] + ["-"] * (cells - 1)
