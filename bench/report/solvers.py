"""Both products and solvers made of them on the cpu, as copse_solver_bench measures them."""

from records import mean_of
from tables import table
from units import clean, seconds, times

GOALS = {"both products": 1.6, "normal product": 1.7, "LSQR": 1.3}  # times the speed of two products by MKL


def ratio(one, other):
    """Of one pass over A; None where the other took no part."""
    return one[other] / one["together_seconds"] if one[other] else None


def summary(run):
    all = run.of("solver")
    if not all:
        return []
    rows = [[clean(one["matrix"]), one["what"], str(one["steps"]), seconds(one["together_seconds"]),
             seconds(one["apart_seconds"]), seconds(one["mkl_seconds"]), times(ratio(one, "apart_seconds")),
             times(ratio(one, "mkl_seconds"))] for one in all]
    means = []
    for what in dict.fromkeys(one["what"] for one in all):
        of_what = [one for one in all if one["what"] == what]
        means.append([what, *(times(mean_of(ratio(one, other) for one in of_what))
                              for other in ("apart_seconds", "mkl_seconds")),
                      f"{GOALS[what]}" if what in GOALS else "-"])
    return ["## One pass over A beside two products\n\n" +
            table(["matrix", "", "steps", "together", "apart", "mkl", "vs apart", "vs mkl"], rows, left=2) +
            "\n" + table(["geometric means", "vs apart", "vs mkl", "goal"], means, left=1)]
