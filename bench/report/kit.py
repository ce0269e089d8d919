"""Operations of one's own beside loops over CSR on the cpu, as copse_kit_bench measures them."""

from tables import table
from units import clean, seconds, two_digits


def summary(run):
    all = run.of("kit")
    if not all:
        return []
    names = list(dict.fromkeys(one["matrix"] for one in all))
    by_place = {(one["what"], one["matrix"]): one for one in all}

    def cell(what, matrix):
        one = by_place.get((what, matrix))
        if one is None:
            return "-"
        return f"{two_digits(one['seconds'] / one['loop_seconds'])} ({seconds(one['seconds'])})"

    rows = [[what, *(cell(what, name) for name in names)] for what in dict.fromkeys(one["what"] for one in all)]
    return ["## Times as long as the loop over CSR (the operation's time)\n\n" +
            table(["", *(clean(name) for name in names)], rows)]
