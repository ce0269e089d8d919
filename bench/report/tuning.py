"""The flat formats with other sizes of tiles, slices and strips: times in units of the default's."""

from itertools import product
from statistics import geometric_mean

from records import mean_of
from tables import table
from units import clean, percent, seconds, two_digits


def is_near(one, race):
    """CMRS §6.3: within 10 % of the fastest."""
    return bool(one["seconds"]) and one["seconds"] <= 1.1 * min(s["seconds"] for s in race if s["seconds"])


def cell(one):
    if one["default"] and one["seconds"]:
        return "default " + seconds(one["seconds"])
    return two_digits(one["relative_seconds"])


def rule_sigma(rule, one):
    """CSR5 §3.2: the height of tiles for a matrix, by <r, s, t, u> and its mean of entries per row, rounded down."""
    r, s, t, u = rule
    mean = one["entries"] // one["rows"]
    return r if mean <= r else mean if mean <= s else s if mean <= t else u


def best_rule(races):
    """The <r, s, t, u> with the least mean of times, and these in units of the default's. r, s, u: heights that were
    tried; t: 32 to 1024. The height nearest to the rule's counts. None where the default took no part."""
    by_height = [(race[0], {int(s["size"].split()[1]): s["relative_seconds"] for s in race if s["relative_seconds"]})
                 for race in races]
    by_height = [(one, times) for one, times in by_height if times]
    if not by_height:
        return None
    heights = sorted(by_height[0][1])

    def mean(rule):
        return geometric_mean(times[min(times, key=lambda h: abs(h - rule_sigma(rule, one)))]
                              for one, times in by_height)

    rules = [(r, s, t, u) for r, s, t, u in product(heights, heights, [32, 64, 128, 256, 512, 1024], heights)
             if r <= s <= t]
    best = min([(4, 32, 256, 4), *rules], key=mean)
    return best, mean(best)


def group(races):
    """Of one format, type and target, a list of sizes for each matrix."""
    sizes = list(dict.fromkeys(s["size"] for race in races for s in race))
    rows, means, taking_part = [], {}, {}
    for size in sizes:
        tried = [next((s for s in race if s["size"] == size), None) for race in races]
        there = [s["relative_seconds"] for s in tried if s and s["relative_seconds"]]
        means[size], taking_part[size] = mean_of(there), len(there)
        rows.append([size, *(cell(s) if s else "-" for s in tried), f"{means[size]:.3f}" if there else "-",
                     str(len(there)), str(sum(bool(s) and is_near(s, race) for s, race in zip(tried, races)))])
    first = races[0][0]
    text = f"## {first['format']}, {first['type']}, {first['on']}: time in units of the default's\n\n"
    text += table(["size", *(clean(race[0]["matrix"]) for race in races), "geometric mean", "of", "near best"], rows)
    if first["format"] == "csr5" and first["on"] != "cpu" and (rule := best_rule(races)):
        text += f"\nbest <r, s, t, u>: <{', '.join(map(str, rule[0]))}>, {rule[1]:.3f} times the default's time\n"
    most = max(taking_part.values())
    if most == 0:
        return text + "\nthe default took no part\n"
    best = min((s for s in sizes if taking_part[s] == most), key=means.get)
    noise = mean_of([race[0]["noise"] for race in races]) or 1
    return text + (f"\nbest: {best}; the default loses {percent(1 / means[best] - 1, 1)}; a second matrix like the "
                   f"default's takes {noise:.3f}\n")


def summary(run):
    groups = {}
    for one in run.of("tune"):
        races = groups.setdefault((one["format"], one["type"], one["on"]), {})
        races.setdefault(one["matrix"], []).append(one)
    return [group(list(races.values())) for races in groups.values()]
