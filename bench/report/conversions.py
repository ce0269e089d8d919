"""Conversions on the cpu: there and back in products of the format's unit, as copse_conversion_bench measures them."""

from statistics import median_high

from records import matrices
from tables import table
from units import clean, seconds, two_digits

GOALS = {"hisparse": 10, "csr5": 4, "csr5 in place": 4, "sellp": 12, "cmrs": 2, "cmrs in place": 2}  # products there


def products(one, field="seconds"):
    return one[field] / one["product_seconds"]


def row(one):
    if one["refusal"]:
        return [clean(one["matrix"]), one["type"], one["way"], "refused", *["-"] * 5]
    return [clean(one["matrix"]), one["type"], one["way"], seconds(one["first_seconds"]), seconds(one["seconds"]),
            seconds(one["back_seconds"]), two_digits(one["bytes"] / one["entries"]) if one["entries"] else "-",
            f"{products(one):.1f}", f"{products(one, 'back_seconds'):.1f}"]


def summary(run):
    all = run.of("conversion")
    if not all:
        return []
    rows, means = [row(one) for one in all], []
    for way in dict.fromkeys(one["way"] for one in all):
        timed = [one for one in all if one["way"] == way and not one["refusal"]]
        hits = sum(products(one) <= GOALS.get(way, 0) for one in timed)
        means.append([way, *(f"{median_high(products(one, field) for one in timed):.1f}" if timed else "-"
                             for field in ("seconds", "back_seconds")),
                      f"{hits} of {len(timed)}" if way in GOALS else "-"])
    count = len(matrices(all))
    refusals = [f"- {clean(one['matrix'])}, {one['type']}: {clean(one['refusal'])}\n" for one in all if one["refusal"]]
    return ["## Conversions\n\n" + table(["matrix", "type", "to", "first", "there", "back", "B/entry",
                                          "products there", "back"], rows, left=3) +
            ("\n" + "".join(refusals) if refusals else ""),
            f"## Medians of {count} matri{'x' if count == 1 else 'ces'}, in products\n\n" +
            table(["to", "there", "back", "within the goal"], means)]
