"""Tables of each matrix, as the programs of bench/gpu measured it: products, sums, conversions."""

from gpu_records import FOLLOW_UPS, grouped
from tables import table
from units import clean, size

LEGEND = """\
ms: median. Calls that wait (ours but HiSparse's plan, and all sums): wall clock around the call, launches included.
Others: CUDA events around the call, launch latency hidden. ms by events, of sums: median between CUDA events around the
call, its waits for the host included.
GB/s: the bytes that the format takes, with x and y once each, or with the sum; CSR GB/s: the bytes of CSR instead; of
copy: GB/s over the copy's.
x cuSPARSE: time of the best of cuSPARSE that starts from A (and B), over this one's; x stored A^T: the same for
cuSPARSE with transposes kept beside them.
kept: on the GPU from call to call, beside operands and result (plan, workspace, transpose); making it: what that took
there at most, itself included; peak: what a call takes there besides, at most, its new result included; without what
cuSPARSE allocates itself.
error: largest difference from the reference, over what arithmetic may be off by.
"""


def fixed(value, digits, scale=1):
    return "" if value is None else f"{scale * value:.{digits}f}"


def heading(records):
    """The GPU and its programs, and what the columns mean."""
    r = next((r for r in records if r["compute_capability"]), None)
    if not r:
        return ""
    return (f"{r['gpu']}, compute capability {r['compute_capability'] / 10:.1f}, {r['multiprocessors']} "
            f"multiprocessors, L2 {size(r['l2_bytes'])}; the driver supports CUDA {r['driver']}, the program is of "
            f"CUDA {r['runtime']}\n"
            f"cuSPARSE: {clean(r['cusparse'])}\n"
            f"copy on the device: {r['copy_gbytes_per_second']:.0f} GB/s (bytes read and written; median)\n"
            f"commit {r['commit']}, {r['date']}, seed {r['seed']}\n\n{LEGEND}\n")


def product_row(r, is_sum):
    """One competitor; a reason in its name where it has no times."""
    cells = [r.operation, r.name]
    if r["seconds"] is None:
        cells[1] += " " + (clean(r["failure"]) or "WRONG")
        return cells + [""] * (10 + is_sum) + ["" if r["failure"] else f"{r['max_error']:.3g}"]
    cells.append(fixed(r["seconds"], 4, 1e3))
    if is_sum:
        cells.append(fixed(r["event_seconds"], 4, 1e3))
    return cells + [f"{100 * r['spread']:.0f}%", fixed(r["gbytes_per_second"], 0), fixed(r["csr_gbytes_per_second"], 0),
                    fixed(r["fraction_of_copy"], 2), fixed(r["times_cusparse"], 2),
                    fixed(r["times_cusparse_of_transpose"], 2), size(r["kept_bytes"]), size(r["prepare_peak_bytes"]),
                    size(r["peak_bytes"]), f"{r['max_error']:.2g}"]


def products(records):
    """Of one matrix in one type."""
    r = records[0]
    sets = r["sets"] or 1
    is_sum = any(r["op"] == "add" for r in records)
    header = ["", "by", "ms", *["ms by events"] * is_sum, "spread", "GB/s", "CSR GB/s", "of copy", "x cuSPARSE",
              "x stored A^T", "kept", "making it", "peak", "error"]
    return (f"### {clean(r['matrix'])}, {r['type']}\n\n{r['rows']:,} x {r['cols']:,}, {r['entries']:,} entries, "
            f"{sets} set{'s' * (sets > 1)} of inputs\n\n"
            + table(header, [product_row(one, is_sum) for one in records], 2) + "\n")


def conversion_row(r):
    if r["failure"] or not r["right"]:
        return [r.name, clean(r["failure"]) or "WRONG", *[""] * 6]
    return [r.name, fixed(r["seconds"], 3, 1e3), fixed(r["there_seconds"], 3, 1e3), fixed(r["net_products"], 1),
            fixed(r.ratio("back_seconds", "product_seconds"), 1), size(r["bytes"]), size(r["peak_bytes"]),
            size(r["back_peak_bytes"])]


def conversions(records):
    """The same."""
    r = records[0]
    header = ["to", "ms from the host", "ms from rows there", "in products", "back, in products", "bytes", "peak",
              "peak of the way back"]
    text = (f"### conversions of {clean(r['matrix'])}, {r['type']}\n\n{r['entries']:,} entries; product of csr "
            f"{1e3 * r['product_seconds']:.4f} ms\n\n" + table(header, [conversion_row(one) for one in records]) + "\n")
    then = []
    for one in records:
        then += [[one.name, what, fixed(one[f"{key}_seconds"], 3, 1e3), size(one[f"{key}_peak_bytes"])]
                 for key, what in FOLLOW_UPS.items() if one[f"{key}_seconds"] is not None]
        if one["failure_behind"]:
            then.append([one.name, clean(one["failure_behind"]), "", ""])
    return text + (table(["of", "then", "ms", "peak"], then, 2) + "\n" if then else "")


def tables(records):
    """All matrices, in the order in which they were measured."""
    order = {id(r): i for i, r in enumerate(records)}

    def matrix(r):
        return r["bench"], r["op"] == "convert", r["op"] == "add", r["matrix"], r["type"]
    groups = sorted(grouped(records, matrix).values(), key=lambda group: order[id(group[0])])
    return heading(records) + "".join(conversions(g) if g[0].is_conversion else products(g) for g in groups)
