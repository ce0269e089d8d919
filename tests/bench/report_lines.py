"""Lines of a run with times made up, for the tests of bench/report."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "bench" / "report"))

from records import Run  # noqa: E402

RUN = {"op": "run", "mode": "spmv", "threads": 2, "cpu_model": "a cpu", "gpu": None, "load_average": 0,
       "date": "2026-01-01T00:00:00Z", "commit": "abc", "triad_gbytes_per_second": 20.0,
       "triad_median_gbytes_per_second": 19.0, "triad_array_bytes": 1000, "gpu_copy_gbytes_per_second": None}


def product(matrix, transpose, format, seconds, mode="oneshot", **more):
    return {"op": "spmv", "transpose": transpose, "matrix": matrix, "format": format, "on": "cpu", "controller": None,
            "type": "double", "threads": 2, "rows": 10, "cols": 10, "entries": 100, "bytes": 1000, "moved_bytes": 1100,
            "convert_seconds": 0, "seconds": seconds, "plan_seconds": None if mode == "oneshot" else 0.25,
            "first_seconds": seconds, "mode": mode, "gflops": 2e-7 / seconds, "gbytes_per_second": 1.1e-6 / seconds,
            "csr_gbytes_per_second": 2 / seconds, "max_error": 0.5, "node_dimension": None, "spread": 0.1,
            "triad_gbytes_per_second": 20.0, "fraction_of_ceiling": 0.25,
            "entries_per_block": 50 if matrix == "full" else 2, "auto_format": None} | more


def sum_of(matrix, format, seconds, **more):
    return product(matrix, False, format, seconds) | {
        "op": "add", "transpose_b": False, "entries_b": 90, "result_entries": 150,
        "entries_per_second": 190 / seconds} | more


def products():
    """The fastest peer takes 4 s and 8 s, HiSparse 2 s and 4 s, CSR 1 s and 10 s; in "loose" all but CSR and HiSparse
    take three times as long."""
    all = []
    for matrix, factor in [("full", 1), ("loose", 3)]:
        all += [product(matrix, False, "csr", 1), product(matrix, False, "hisparse", 2),
                product(matrix, False, "eigen", 4 * factor), product(matrix, False, "librsb", 5 * factor, "tuned"),
                product(matrix, False, "petsc", 0.1, max_error=2),
                product(matrix, True, "csr", 10), product(matrix, True, "csr-of-transpose", 0.5),
                product(matrix, True, "hisparse", 4), product(matrix, True, "eigen", 9 * factor),
                product(matrix, True, "librsb", 8 * factor, "tuned")]
    return all


def run_of(records):
    run = Run()
    for one in records:
        run.add(json.dumps(one))
    return run


def row(text, *parts):
    """The cells of the first row of a table whose line holds all of `parts`; empty without one."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if line.startswith("| ") and all(part in cells for part in parts):
            return [cell.strip() for cell in line[1:-1].split("|")]
    return []
