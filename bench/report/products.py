"""Products: a table for each matrix, and ours beside the fastest peer and beside each other."""

from records import (fastest, fastest_peer, find, is_peer, is_right, matrices, mean_of, name, operation, place, races,
                     speed, wrong)
from tables import table
from units import clean, per_entry, percent, seconds, times, two_digits

FORMATS = ["hisparse", "csr", "csr5", "sellp", "sellp-sorted", "sellp-trimmed", "cmrs"]

# CSR5's goals are for regular and for irregular matrices, SELL-P's for stencils; other matrices count in no group.
GOAL_GROUPS = {generator: ["regular", "stencils"] for generator in ["poisson2d", "poisson3d", "stencil27"]}
GOAL_GROUPS |= {generator: ["regular"] for generator in
                ["elasticity", "epidemiology", "trefethen", "qcd", "banded", "dense"]}
GOAL_GROUPS |= {generator: ["irregular"] for generator in ["rmat", "circuit", "dense_row"]}


def goal_groups(matrix):
    return GOAL_GROUPS.get(matrix.split(":")[0], [])


def title(record):
    return (f"{clean(record['matrix'])}: {record['rows']:,} x {record['cols']:,}, {record['entries']:,} entries, "
            f"{record['type']}")


def matrix(records):
    """Of one matrix in one type."""
    rows = []
    for race in races(records):
        csr, peer = next((r for r in race if r["format"] == "csr" and r["mode"] == "oneshot"), None), fastest_peer(race)
        for r in race:
            rows.append([operation(r), name(r), place(r), str(r["threads"]), per_entry(r["bytes"], r["entries"]),
                         seconds(r["convert_seconds"]), seconds(r["plan_seconds"])] +
                        ([seconds(r["first_seconds"]), seconds(r["seconds"]), percent(r["spread"]),
                          two_digits(r["gflops"]), two_digits(r["gbytes_per_second"]),
                          percent(r["fraction_of_ceiling"]), times(speed(r, csr)), times(speed(r, peer))]
                         if is_right(r) else wrong(r, 8)))
    header = ["", "format", "on", "threads", "B/entry", "convert", "plan", "first", "median", "spread", "GFLOP/s",
              "GB/s", "of ceiling", "vs csr", "vs peers"]
    return f"## {title(records[0])}\n\n" + table(header, rows, left=3)


def csr_table(records):
    """HiSparse in times of the speed of plain CSR, and bytes per entry."""
    rows = []
    for one in matrices(records):
        by_product = {operation(race[0]): race for race in races(one)}

        def faster(product, mode, than):
            race = by_product.get(product, [])
            return times(speed(find(race, "hisparse", mode), find(race, than)))

        csr = one[0]
        tree = next((r for r in one if r["format"] == "hisparse"), None)
        rows.append([clean(csr["matrix"]), csr["type"], "12.00" if csr["type"] == "float" else "16.00",
                     per_entry(csr["bytes"], csr["entries"]),
                     per_entry(tree["bytes"], tree["entries"]) if tree else "-",
                     faster("A x", "oneshot", "csr"), faster("A x", "plan", "csr"), faster("A^T x", "oneshot", "csr"),
                     faster("A^T x", "plan", "csr"), faster("A^T x", "plan", "csr-of-transpose")])
    header = ["matrix", "type", "B/entry coo", "csr", "hisparse", "A x", "by plan", "A^T x", "by plan",
              "by plan, vs csr of A^T"]
    return "## HiSparse on the cpu, times the speed of plain CSR\n\n" + table(header, rows, left=2)


def peer_table(records):
    """Empty without peers."""
    def of_hisparse(race):
        return fastest(race, lambda r: r["format"] == "hisparse" and r["on"] == "cpu")

    def of_ours(race):  # CSR of A^T is a second matrix
        return fastest(race, lambda r: r["on"] == "cpu" and not is_peer(r) and r["format"] != "csr-of-transpose")

    rows, plain, ratios = [], {}, {}
    for race in races(records):
        peer, tree, best = fastest_peer(race), of_hisparse(race), of_ours(race)
        one, product = race[0], operation(race[0])
        transposed = speed(tree, plain.get((one["matrix"], one["type"]))) if one["transpose"] else None
        if not one["transpose"]:
            plain[one["matrix"], one["type"]] = tree
        if not peer:
            continue
        found = [speed(tree, peer), speed(best, peer), transposed]
        ratios.setdefault((one["type"], product), []).append(found)
        rows.append([product, clean(one["matrix"]), one["type"], seconds(peer["seconds"]), name(peer),
                     seconds(tree["seconds"]) if tree else "-", times(found[0]), name(best) if best else "-",
                     seconds(best["seconds"]) if best else "-", times(found[1]), times(found[2])])
    for (type, product), found in sorted(ratios.items()):
        of_hisparse, of_best, of_transposed = [times(mean_of(column)) for column in zip(*found)]
        rows.append([product, f"geometric mean of {len(found)}", type, "", "", "", of_hisparse, "", "", of_best,
                     of_transposed])
    header = ["", "matrix", "type", "fastest peer", "", "hisparse", "vs peer", "best of ours", "", "vs peer",
              "A^T x vs A x"]
    return ("## Ours beside the fastest peer\n\n`vs peer`: times its speed.\n\n" + table(header, rows, left=3)
            if rows else "")


def of_mode(race, mode):
    """Our products of one mode on the cpu, by format; the fastest format, what auto takes (HiSparse if the format that
    it wants refused the matrix), and what a trial took, if there was one. None without records that know auto."""
    ours = {f: find(race, "csr-matrix" if f == "csr" and mode == "oneshot" else f, mode) for f in FORMATS}
    ours = {f: r for f, r in ours.items() if r}
    if not ours:
        return None
    best = min(ours, key=lambda f: ours[f]["seconds"])
    wanted = ours[best].get("auto_format")
    taken = wanted if wanted in ours else "hisparse"
    tuned = ours[best].get("tuned_format")
    return (ours, best, taken, tuned if tuned in ours else None) if wanted and taken in ours else None


def verdicts(who, losses, of_what):
    """A line about the speeds of what `who` took, in times of that of the fastest format."""
    if not losses:
        return ""
    hits = sum(1.1 * loss >= 1 for loss in losses)
    return (f"{who}: within 10 % of the fastest format in {hits} of {len(losses)} {of_what}; geometric mean "
            f"{times(mean_of(losses))}, least {times(min(losses))}\n")


def format_table(records, mode):
    """Our formats from plans ("plan") or one-shot ("oneshot") beside each other, and whether auto takes a fast one.
    Empty where no product has an auto_format."""
    rows, ratios, losses, tuned_losses = [], {}, [], []
    for race in races(records):
        found = of_mode(race, mode)
        if not found:
            continue
        ours, best, taken, tuned = found
        loss = speed(ours[taken], ours[best])
        losses.append(loss)
        if tuned:
            tuned_losses.append(speed(ours[tuned], ours[best]))
        yardstick = fastest_peer(race) or find(race, "csr")
        if not yardstick:
            continue
        speeds = [speed(ours.get(f), yardstick) for f in FORMATS]
        one, product = race[0], operation(race[0])
        rows.append([product, clean(one["matrix"]), one["type"], *map(times, speeds), best, taken, times(loss)])
        for group in ["", *goal_groups(one["matrix"])]:
            ratios.setdefault((one["type"], product, group), []).append([*speeds, loss])
    for (type, product, group), found in sorted(ratios.items()):
        *speeds, loss = [times(mean_of(column)) for column in zip(*found)]
        rows.append([product, "geometric mean" + (f", {group}" if group else ""), type, *speeds, "", "", loss])
    if not rows:
        return ""
    plural = "" if len(losses) == 1 else "s"
    how, of_what = (("from plans", f"product{plural} from plans") if mode == "plan" else
                    ("one-shot", f"one-shot product{plural}"))
    yardstick = "the fastest peer" if any(map(is_peer, records)) else "plain CSR"
    return (f"## Our formats {how}, times the speed of {yardstick}\n\n" +
            table(["", "matrix", "type", *FORMATS, "fastest", "auto", "vs fastest"], rows, left=3) +
            "\n" + verdicts("auto", losses, of_what) + verdicts("a trial", tuned_losses, of_what))


def summary(run):
    records = run.of("spmv")
    if run.of("paper-matrix") or len(matrices(records)) < 2:
        return []
    tables = [csr_table(records), format_table(records, "plan"), format_table(records, "oneshot"), peer_table(records)]
    return [text for text in tables if text]
