"""Bytes per entry in each format, what HiSparse saves, and which goals it misses, and why."""

from statistics import geometric_mean, mean, median

from tables import table
from units import clean, per_entry, percent, two_digits


def of_format(one, format, dimension=None):
    return next(f for f in one["formats"] if f["format"] == format and f.get("node_dimension") == dimension)


def of_tree(one):
    return of_format(one, "hisparse", one["node_dimension"])


def limit(goal):
    return f"{'<' if goal['below'] else '<='} {goal['limit_bytes_per_entry']:.2f}"


def row(one):
    goals = [f"{g['goal']} {limit(g)} {'yes' if g['met'] else 'NO'}" for g in one["goals"]]
    bytes_per_entry = []
    for f in one["formats"]:
        bytes_per_entry.append(two_digits(f["bytes_per_entry"]))
        if f["format"] == "csr":
            bytes_per_entry.append(per_entry(one["csr_bytes_in_memory"], one["entries"]))
    return [clean(one["matrix"]), one["type"], f"{one['rows']:,}", f"{one['cols']:,}", f"{one['entries']:,}",
            f"{one['entries_per_row'] or 0:.1f}", f"{of_tree(one)['entries_per_block']:.1f}", *bytes_per_entry,
            "; ".join(goals) or "-"]


def savings(all, type):
    """By how much HiSparse is smaller, over all matrices of a type that have entries. Empty without any."""
    some = [one for one in all if one["type"] == type and one["entries"] > 0]
    if not some:
        return ""
    text = []
    for format in ["coo", "csr"]:
        saved = [1 - of_tree(one)["bytes"] / of_format(one, format)["bytes"] for one in some]
        text.append(f"{percent(mean(saved))} less than {format.upper()} (median {percent(median(saved))})")
    return (f"mean over {len(some)} matri{'x' if len(some) == 1 else 'ces'}, {type}, "
            f"d = {some[0]['node_dimension']}: {', '.join(text)}\n")


def where_bytes_are(one):
    """ "sparse leaves of 6.0 with 13 % of the entries at 6.90; inner nodes 0.05" """
    text, inner = "", 0
    for l in one["levels"]:
        if "children" in l:
            inner += l["bytes"] / one["entries"]
        else:
            text += (f"{l['kind']} leaves of {l['entries'] / l['nodes']:.1f} with "
                     f"{percent(l['entries'] / one['entries'])} of the entries at "
                     f"{per_entry(l['bytes'], l['entries'])}; ")
    return text + f"inner nodes {inner:.2f}"


def missed_goals(all):
    goals = [(one, goal) for one in all for goal in one["goals"]]
    missed = [(one, goal) for one, goal in goals if not goal["met"]]
    text = f"{len(goals) - len(missed)} of {len(goals)} goals met with d = {all[0]['node_dimension']}"
    text += "; missed, and where the bytes per entry are:\n\n" if missed else "\n"
    for one, goal in missed:
        others = ", ".join(map(str, goal["met_with_node_dimensions"]))
        text += (f"- {clean(one['matrix'])}, {one['type']}: {goal['goal']} {limit(goal)}, but "
                 f"{of_tree(one)['bytes_per_entry']:.2f}{f'; met with d = {others}' if others else ''}; "
                 f"{where_bytes_are(one)}\n")
    return text


def over_both(one, values, bytes):
    """The matrix with a plan, over CSR and CSC together."""
    plan = next(p for p in one["plans"] if p["values"] == values)
    return (plan["matrix_bytes"] + plan[bytes]) / (of_format(one, "csr")["bytes"] + one["csc_bytes"])


def plan_row(one):
    plan = next(p for p in one["plans"] if p["values"] == "each")
    turned = plan["bytes_of_both"] - plan["list_bytes_of_both"]
    pair = of_format(one, "csr")["bytes"] + one["csc_bytes"]
    shares = [plan["matrix_bytes"], plan["list_bytes_of_both"], turned]
    return [clean(one["matrix"]), one["type"], per_entry(pair, one["entries"]),
            *(f"{over_both(one, values, bytes):.2f}" for values in ["default", "each"]
              for bytes in ["bytes", "bytes_of_both"]), *(per_entry(bytes, one["entries"]) for bytes in shares)]


def plans(all):
    """Matrix and plan beside CSR and CSC; records of before have no plans."""
    some = [one for one in all if one.get("plans") and one["entries"] > 0]
    if not some:
        return []
    header = ["matrix", "type", "CSR and CSC", "default: A x", "and A^T x", "each: A x", "and A^T x", "matrix",
              "lists", "turned leaves"]
    text = ""
    for type in ["double", "float"]:
        of_type = [one for one in some if one["type"] == type]
        if of_type:
            means = [geometric_mean([over_both(one, values, bytes) for one in of_type])
                     for values in ["default", "each"] for bytes in ["bytes", "bytes_of_both"]]
            text += f"{type}, geometric means: " + ", ".join(f"{m:.2f}" for m in means) + "\n"
    return ["## Matrix and plan\n\nBytes of the tree and a cpu's plan, for A x alone and for both products, over those "
            "of CSR and CSC together (offsets of 4 bytes). default: values that repeat are stored once; each: a value "
            "for each entry. Right of these, with a value for each entry and for both products: bytes per entry.\n\n" +
            table(header, [plan_row(one) for one in some], left=2) + "\n" + text]


def summary(run):
    all = run.of("sizes")
    if not all:
        return []
    header = ["matrix", "type", "rows", "columns", "entries", "per row",
              f"per leaf d={all[0]['node_dimension']}", "coo", "csr", "csr, 8-byte offsets", "hisparse d=64",
              "hisparse d=128", "hisparse d=256", "goals, bytes per entry"]
    return ["## Bytes per entry\n\ncsr: 4-byte column indices, offsets of 4 bytes up to 2^31 entries. The goals "
            "compare with that.\n\n" + table(header, [row(one) for one in all], left=2) + "\n" + savings(all, "float") +
            savings(all, "double") + missed_goals(all), *plans(all)]
