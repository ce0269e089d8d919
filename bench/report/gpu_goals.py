"""The goals for one GPU, each with the figure that was measured, and whether it is met."""

from gpu_records import Mean
from tables import table


def least(records, operation, takes_part, field="seconds"):
    """{matrix: the least value of `field`} of the records in double that take part, without the stage papers."""
    found = {}
    for r in records:
        if (r["type"] == "double" and r["bench"] != "papers" and r.operation == operation
                and r["seconds"] is not None and r[field] is not None and takes_part(r)):
            found[r["matrix"]] = min(r[field], found.get(r["matrix"], r[field]))
    return found


def quotient(a, b):
    return {matrix: a[matrix] / b[matrix] for matrix in a if matrix in b}


def is_ours(r):
    return r.is_ours


def is_cusparse(r):
    return r["library"] == "cusparse"


def is_replay(r):
    return r.name == "copse hisparse plan"


def is_own_transposed(r):
    """From A as it is stored, without an explicit transposition."""
    return is_cusparse(r) and "csr2csc" not in r.name and "stored" not in r.name


def turns_in_each_call(r):
    return is_cusparse(r) and "csr2csc" in r.name


def is_large_stencil(r):
    return r["entries"] > 10_000_000 and r["matrix"].startswith(("stencil27:", "poisson2d:", "poisson3d:"))


def goals(records):
    if not records:
        return ""

    def best(operation, takes_part):
        return least(records, operation, takes_part)

    def conversion(takes_part):
        return least(records, "convert", takes_part, "net_products")
    cusparse, replay, turned = best("A x", is_cusparse), best("A x", is_replay), best("A^T x", is_replay)
    one_shot = best("A x", lambda r: r.name == "copse hisparse device" and r["entries"] > 20_000_000)
    stencils = least(records, "A x", lambda r: is_replay(r) and is_large_stencil(r), "fraction_of_copy")
    own_transposed = best("A^T x", is_own_transposed)
    total = best("A + B", is_ours)
    rows = []
    for what, how, wanted, by_matrix in [
            ("A x: cuSPARSE's best time over our best", "at least", 1.3, quotient(cusparse, best("A x", is_ours))),
            ("A x: cuSPARSE's best time over HiSparse's replay", "at least", 1.15, quotient(cusparse, replay)),
            ("A x of stencils above 10 million entries: share of the copy bandwidth, replay", "at least", 0.85,
             stencils),
            ("A^T x over A x, replays", "at most", 1.1, quotient(turned, replay)),
            ("A^T x: cuSPARSE's own transposed product over the replay", "at least", 5,
             quotient(own_transposed, turned)),
            ("A x above 20 million entries, large too: one-shot by the device controller over the replay", "at most", 3,
             quotient(one_shot, replay)),
            ("A + B: csrgeam2's best time over ours", "at least", 4, quotient(best("A + B", is_cusparse), total)),
            ("A^T + B^T over A + B", "at most", 1.05, quotient(best("A^T + B^T", is_ours), total)),
            ("A + B^T: csr2csc and csrgeam2 over ours", "at least", 5,
             quotient(best("A + B^T", turns_in_each_call), best("A + B^T", is_ours))),
            ("conversion to CSR5, in products of CSR", "at most", 3, conversion(lambda r: r.name == "csr5")),
            ("conversion to CMRS, unsorted", "at most", 2, conversion(lambda r: r.name == "cmrs unsorted")),
            ("conversion to SELL-P", "at most", 12, conversion(lambda r: r.name == "sellp")),
            ("conversion to HiSparse, the best controller", "at most", 10, conversion(lambda r: "hisparse" in r.name))]:
        figure = Mean(by_matrix.values())
        if figure.value is None:
            verdict = "not measured"
        else:
            is_met = figure.value >= wanted if how == "at least" else figure.value <= wanted
            verdict = "met" if is_met else "not met"
        rows.append([what, f"{how} {wanted:.2f}", figure.text(2), str(figure.count), verdict])
    return ("## Goals\n\nGeometric means over the matrices of all stages but `papers` that have both sides.\n\n"
            + table(["times in double", "wanted", "measured", "matrices", ""], rows) + "\n")
