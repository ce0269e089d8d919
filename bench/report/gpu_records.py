"""The lines of benchmarks.jsonl, as the reports of bench/gpu read them: records, and means over matrices."""

import json
from itertools import islice
from math import sqrt
from statistics import geometric_mean

from units import clean

# What is done with a HiSparse matrix after its conversion: the start of its fields' names, and its name in tables.
FOLLOW_UPS = {"filled_first": "leaves first", "values": "new values", "plan": "plan", "edit": "edit",
              "update": "plan's update", "prune": "prune", "compact": "compaction"}


class Record(dict):
    """One measured product, sum or conversion. r["field"] is None where the line has no such field."""

    def __missing__(self, field):
        return None

    @property
    def is_conversion(self):
        return self["op"] == "convert"

    @property
    def is_ours(self):
        return self["library"] == "copse"

    @property
    def operation(self):
        """A x, A^T x, A X, A^T X, A + B, A^T + B^T, A + B^T or convert."""
        if self.is_conversion:
            return "convert"
        a = "A^T" if self["transpose"] else "A"
        if self["op"] == "spmm":
            return f"{a} X"
        return f"{a} x" if self["op"] != "add" else f"{a} + B^T" if self["transpose_b"] else f"{a} + B"

    @property
    def name(self):
        """The library and its variant; of a conversion the format."""
        return self["format"] if self.is_conversion else f"{self['library']} {self['variant']}"

    @property
    def rank(self):
        """Sorts our records before cuSPARSE's, and these before others."""
        return {"copse": 0, "cusparse": 1}.get(self["library"], 2), self.name

    @property
    def failure(self):
        """Why there is no time, None if nothing is wrong: formats may refuse, and cuSPARSE may not offer something."""
        if self["seconds"] is not None or self["refused"] or (self["library"] == "cusparse" and self["failure"]):
            return None
        return clean(self["failure"]) or "wrong"

    def per_entry(self, field):
        return self[field] / self["entries"] if self[field] is not None and self["entries"] else None

    def ratio(self, field, other):
        return self[field] / self[other] if self[field] is not None and self[other] else None


def read_lines(file):
    """The JSON objects of an open file. A line that is none is skipped: a program may have died while it wrote one."""
    for line in file:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield Record(value)


def read(path, after=0):
    """(records, left_out): lines of what was measured, and those of matrices that there was no time for.

    path: a file, or - for standard input; its first `after` lines are skipped. Lines of copse_bench, which has tables
    of its own, name no library and are skipped too; so are tasks per second. Raises ValueError if no line is a JSON
    object.
    """
    with open(0 if path == "-" else path, encoding="utf-8", errors="replace") as file:
        lines = list(read_lines(islice(file, after, None)))
    if not lines and not after:
        raise ValueError(f"{path}: no line is a JSON object; take the benchmarks.jsonl of bench/gpu")
    left_out = [r for r in lines if r["left_out"]]
    return [r for r in lines if not r["left_out"] and ("library" in r or r.is_conversion)
            and r["op"] != "throughput"], left_out


def grouped(records, key):
    """{key(record): [records]}, sorted by key."""
    groups = {}
    for r in records:
        groups.setdefault(key(r), []).append(r)
    return dict(sorted(groups.items()))


class Mean:
    """The geometric mean of the positive ones of some numbers; None is no number."""

    def __init__(self, numbers):
        positive = [n for n in numbers if n is not None and n > 0]
        self.count = len(positive)
        self.value = geometric_mean(positive) if positive else None

    def text(self, digits):
        return "" if self.value is None else f"{self.value:.{digits}f}"


def mean_and_deviation(numbers):
    """3.00 (2.00): the arithmetic mean and the standard deviation; "" for no numbers."""
    if not numbers:
        return ""
    mean = sum(numbers) / len(numbers)
    return f"{mean:.2f} ({sqrt(sum((n - mean) ** 2 for n in numbers) / len(numbers)):.2f})"
