"""The report of bench/gpu, as Markdown, from what its stages measured.

    python3 bench/report/gpu.py benchmarks.jsonl [ncu.csv]         goals, means over matrices, the papers' tables
    python3 bench/report/gpu.py --matrices FILE                    tables of each matrix; FILE may be -, standard input
    python3 bench/report/gpu.py --pictures DIR benchmarks.jsonl    gpu_products.svg, gpu_sums.svg; needs matplotlib

Needs no GPU. What was not measured has no table.
"""

import argparse
import os
import sys

import gpu_goals
import gpu_kernels
import gpu_matrices
import gpu_papers
from gpu_records import FOLLOW_UPS, Mean, grouped, read
from tables import table
from units import clean

CONTROLLERS = ["persistent", "host", "device"]
MANY = 20_000_000  # entries: from here on one-shot products are compared with plans


def setting(records):
    gpu = next((r["gpu"] for r in reversed(records) if r["gpu"]), None)
    cusparse = next((r["cusparse"] for r in reversed(records) if r["cusparse"]), "not asked")
    copy = max((r["copy_gbytes_per_second"] or 0 for r in records), default=0)
    return f"{gpu}: copies {copy:.0f} GB/s within its memory. cuSPARSE: {clean(cusparse)}.\n\n" if gpu else ""


def left_out_matrices(records, left_out):
    """Stages that had no time for some of their matrices, in no run so far."""
    def matrix(r):
        return r["bench"], r["op"], r["matrix"], r["type"]
    measured = {matrix(r) for r in records}
    missing = {matrix(r) for r in left_out} - measured
    counts = [f"{bench}: {sum(m[0] == bench for m in measured)} of "
              f"{sum(m[0] == bench for m in measured | missing)}" for bench in sorted({m[0] for m in missing})]
    return ("Means are of fewer matrices than their stages have, because the time was over. Measured, in either type, "
            f"are of {', '.join(counts)}.\n\n" if counts else "")


def failures(records, most=20):
    lines = []
    for r in records:
        if r.failure:
            lines.append(f"- {r.name}, {r.operation} of {clean(r['matrix'])}, {r['type']}: {r.failure}\n")
        elif r["failure_behind"]:
            lines.append(f"- {r.name}, after the conversion of {clean(r['matrix'])}, {r['type']}: "
                         f"{clean(r['failure_behind'])}\n")
    more = f"- and {len(lines) - most} more\n" if len(lines) > most else ""
    return "## Failures\n\n" + "".join(lines[:most]) + more + "\n" if lines else ""


def comparison(records, bench, title):
    """Each competitor's means over the matrices of one stage, beside the best of cuSPARSE."""
    stage = [r for r in records if r["bench"] == bench and not r.is_conversion]
    text = "".join(f"### {operation}, {type}\n\n{means_beside_cusparse(group)}\n"
                   for (operation, type), group in grouped(stage, lambda r: (r.operation, r["type"])).items())
    return f"## {title}\n\nGeometric means over the matrices.\n\n{text}" if text else ""


def means_beside_cusparse(group):
    timed = [r for r in group if r["seconds"] is not None]
    fastest = [min(race, key=lambda r: r["seconds"]).name for race in grouped(timed, lambda r: r["matrix"]).values()]
    header = ["by", "matrices", "x cuSPARSE", "x stored A^T", "CSR GB/s", "of copy", "fastest on"]
    # Sums wait for the GPU, and the wall clock times them; beside it stands their time by events, as of products.
    is_sum = group[0]["op"] == "add"
    rows = []
    for (_, name), of in grouped(timed, lambda r: r.rank).items():
        def mean(field, digits, scale=1):
            return Mean(r[field] and scale * r[field] for r in of).text(digits)
        rows.append([name, str(sum(bool(r["fraction_of_copy"]) for r in of)), mean("times_cusparse", 2),
                     mean("times_cusparse_of_transpose", 2), mean("csr_gbytes_per_second", 0),
                     mean("fraction_of_copy", 2), str(fastest.count(name))])
        if is_sum:
            rows[-1] += [mean("seconds", 4, 1e3), mean("event_seconds", 4, 1e3)]
    matrices = {r["matrix"] for r in group}
    several = {r["matrix"] for r in group if (r["sets"] or 1) > 1}
    return (table(header + ["ms", "ms by events"] * is_sum, rows) + "\nSeveral sets of inputs, by turns, for "
            f"{len(several)} of {len(matrices)} matrices: those that fit the L2.\n")


def plans(records):
    """Our products: A^T x in the speed of A x; one-shot products in the time of their format's plan."""
    ours = [r for r in records if r.is_ours and r["seconds"] is not None]
    plain = {(r.name, r["type"], r["matrix"]): r["seconds"] for r in ours if r.operation == "A x"}

    def product(r):
        return r.name.rpartition(" ")[0], r.operation, r["type"], r["matrix"]
    by_plan = {product(r): r["seconds"] for r in ours if r["mode"] == "plan"}
    rows = []
    products = [r for r in ours if r["op"] == "spmv"]
    for (name, type), of in grouped(products, lambda r: (r.name, r["type"])).items():
        turned = [(plain.get((name, type, r["matrix"])), r["seconds"]) for r in of if r["transpose"]]
        one_shot = [(by_plan.get(product(r)), r["seconds"]) for r in of
                    if r["mode"] != "plan" and r["entries"] >= MANY]
        rows.append([name, type, Mean(straight and straight / t for straight, t in turned).text(2),
                     Mean(plan and t / plan for plan, t in one_shot).text(2)])
    header = ["by", "type", "A^T x in speeds of A x", "time in plans, from 20 million entries"]
    return "## Directions and plans\n\n" + table(header, rows, 2) + "\n" if rows else ""


def controllers(records):
    """HiSparse's one-shot products and sums under each controller, and which is fastest for which matrix."""
    names = [f"copse hisparse {c}" for c in CONTROLLERS]
    timed = [r for r in records if r.name in names and r["seconds"] and r["type"] == "double"]
    rows, fastest = [], []
    for key, race in grouped(timed, lambda r: (r.operation, r["bench"], r["matrix"])).items():
        seconds = {r["variant"].split()[-1]: r["seconds"] for r in race}
        fastest.append(min((c for c in CONTROLLERS if c in seconds), key=seconds.get))
        rows.append([*key[:2], clean(key[2]),
                     *(f"{1e3 * seconds[c]:.4f}" if c in seconds else "" for c in CONTROLLERS), fastest[-1]])
    wins = ", ".join(f"{c} {fastest.count(c)} times" for c in CONTROLLERS)
    return (f"## Controllers\n\nHiSparse's one-shots in double, milliseconds by the wall clock. Fastest: {wins}.\n\n"
            + table(["", "stage", "matrix", *CONTROLLERS, "fastest"], rows, 3) + "\n" if rows else "")


def overhead(records):
    """One-shots: what controllers cost beside the work."""
    ours = [r for r in records if r.is_ours and r["seconds"] and r["run_seconds"] and r["type"] == "double"
            and r["bench"] != "papers"]
    rows = []
    for (what, name), of in grouped(
            ours, lambda r: (r.operation + ", large" * (r["bench"] == "large"), r.name)).items():
        def each(field):
            return f"{sum(r[field] or 0 for r in of) / len(of):.0f}"
        rows.append([what, name, str(len(of)), Mean(1e3 * r["seconds"] for r in of).text(4),
                     Mean(r.ratio("run_seconds", "seconds") for r in of).text(2),
                     Mean(r.ratio("task_seconds", "run_seconds") for r in of).text(1), each("batches"),
                     each("launches")])
    header = ["", "by", "matrices", "ms", "of it in the run", "blocks in tasks", "batches", "launches"]
    return ("## Controllers beside the work\n\nOne-shots and sums in double; `large`: matrices made on the GPU. In the "
            "run: from its start to its end, without what comes before and after; blocks in tasks: how many on average "
            "were in a task's function at a time, not waiting for items; batches: draws from queues; launches: by a "
            "controller. Geometric means over the matrices; arithmetic ones of batches and launches.\n\n"
            + table(header, rows, 2) + "\n" if rows else "")


def conversions(records):
    converted = [r for r in records if r.is_conversion and r["seconds"] is not None]
    rows, then = [], []
    for (name, type), of in grouped(converted, lambda r: (r.name, r["type"])).items():
        there = Mean(r["net_products"] for r in of)
        rows.append([name, type, str(there.count), there.text(1), f"{max(r['net_products'] or 0 for r in of):.1f}",
                     Mean(r.ratio("back_seconds", "product_seconds") for r in of).text(1),
                     *(Mean(r.per_entry(peak) for r in of).text(1) for peak in ("peak_bytes", "back_peak_bytes"))])
        for key, what in FOLLOW_UPS.items():
            times = Mean(r.ratio(f"{key}_seconds", "there_seconds") for r in of)
            peaks = Mean(r.per_entry(f"{key}_peak_bytes") for r in of)
            if times.count or peaks.count:
                then.append([name, type, what, str(times.count), times.text(3), peaks.text(2)])
    if not rows:
        return ""
    header = ["to", "type", "matrices", "in products of CSR", "at worst", "back", "peak bytes per entry",
              "of the way back"]
    text = ("## Conversions\n\nFrom compressed rows on the GPU and back; without the upload.\n\n"
            + table(header, rows, 2) + "\n")
    if then:
        text += ("In the time of the conversion from rows there: the same with leaves filled first; new values, their "
                 "places known (the peak: the first time); a plan of both directions; an edit of a thousand entries; "
                 "update of a plan; prune, every other entry being zero; compaction, which goes through the host.\n\n"
                 + table(["of", "type", "then", "matrices", "in conversions", "peak bytes per entry"], then, 3) + "\n")
    return text


def memory(records):
    timed = [r for r in records if not r.is_conversion and r["seconds"] and r["type"] == "double" and r["entries"]]
    rows = [[operation, name, *(Mean(r.per_entry(field) for r in of).text(2)
                                for field in ("kept_bytes", "prepare_peak_bytes", "peak_bytes"))]
            for (operation, (_, name)), of in grouped(timed, lambda r: (r.operation, r.rank)).items()]
    return ("## Memory\n\nBytes on the GPU per entry of A, in double, beside operands: kept from call to call, at most "
            "while that is made (plans), and at most during a call besides. Means over the matrices where it is "
            "anything.\n\n" + table(["", "by", "kept", "making it", "peak"], rows, 2) + "\n" if rows else "")


def summary(records, left_out=(), kernels=None):
    text = (setting(records) + left_out_matrices(records, left_out) + gpu_goals.goals(records) + failures(records)
            + comparison(records, "spmv", "Products")
            + "".join(comparison(records, f"columns{k}", f"Products with {k} columns") for k in (8, 32))
            + comparison(records, "addition", "Sums")
            + comparison(records, "large", "Large products and sums, made and checked on the GPU")
            + plans(records) + controllers(records) + overhead(records) + gpu_papers.tables(records)
            + conversions(records) + memory(records))
    if kernels and os.path.exists(kernels):
        text += gpu_kernels.kernels(kernels)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measurements", help="benchmarks.jsonl")
    parser.add_argument("kernels", nargs="?", help="ncu.csv (skipped if it does not exist)")
    parser.add_argument("--matrices", action="store_true", help="a table of each matrix, no means")
    parser.add_argument("--after", type=int, default=0, metavar="LINES", help="with --matrices: skip the first LINES")
    parser.add_argument("--pictures", metavar="DIR", help="write pictures there, print nothing")
    given = parser.parse_args()
    try:
        records, left_out = read(given.measurements, given.after)
        if given.pictures:
            import gpu_pictures  # matplotlib may not be installed where tables are made
            gpu_pictures.save(records, given.pictures)
        else:
            print(gpu_matrices.tables(records) if given.matrices else summary(records, left_out, given.kernels), end="")
    except OSError as error:
        sys.exit(f"bench/report/gpu.py: error: {error.filename}: {error.strerror}")
    except ValueError as error:
        sys.exit(f"bench/report/gpu.py: error: {error}")
    except ImportError as missing:
        sys.exit(f"bench/report/gpu.py: error: no pictures without {missing.name} (Debian: python3-{missing.name})")


if __name__ == "__main__":
    main()
