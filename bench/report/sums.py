"""Sums: a table for each matrix. Sums and products with several columns: ours beside the fastest peer."""

from statistics import median

from records import fastest_peer, find, is_peer, is_right, matrices, name, operation, races, speed, wrong
from tables import table
from units import clean, percent, seconds, times, two_digits


def title(record):
    return (f"{clean(record['matrix'])}: {record['rows']:,} x {record['cols']:,}, {record['entries']:,} entries; "
            f"B: {record['entries_b']:,}; A + B: {record['result_entries']:,}; {record['type']}")


def matrix(records):
    """Of one matrix in one type."""
    rows = []
    for race in races(records):
        csr, peer = find(race, "csr"), fastest_peer(race)
        for r in race:
            rows.append([operation(r), name(r), str(r["threads"]), seconds(r["convert_seconds"]),
                         seconds(r["plan_seconds"])] +
                        ([seconds(r["first_seconds"]), seconds(r["seconds"]), percent(r["spread"]),
                          f"{1e-6 * r['entries_per_second']:.0f}", two_digits(r["gbytes_per_second"]),
                          percent(r["fraction_of_ceiling"]), times(speed(r, csr)), times(speed(r, peer))]
                         if is_right(r) else wrong(r, 8)))
    header = ["", "format", "threads", "convert", "plan", "first", "median", "spread", "Mentries/s", "GB/s",
              "of ceiling", "vs csr", "vs peers"]
    return f"## {title(records[0])}\n\n" + table(header, rows, left=2)


def summary(run):
    """Empty without peers."""
    rows, ratios, records = [], {}, run.of("add") + run.of("spmm")
    for race in races(records):
        peer = fastest_peer(race)
        for r in race:
            if not peer or is_peer(r) or not is_right(r):
                continue
            ratios.setdefault((r["type"], operation(r), name(r)), []).append(speed(r, peer))
            rows.append([clean(r["matrix"]), r["type"], operation(r), seconds(peer["seconds"]), peer["format"],
                         name(r), times(speed(r, peer))])
    for (type, sum, format), found in sorted(ratios.items()):
        rows.append([f"median of {len(found)}", type, sum, "", "", format, times(median(found))])
    if len(matrices(records)) < 2 or not rows:
        return []
    return ["## Our formats, times the speed of the fastest peer\n\n" +
            table(["matrix", "type", "", "fastest peer", "", "format", "speed"], rows, left=3)]
