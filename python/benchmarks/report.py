"""The table of what run.py measured, and with -o its picture.

python python/benchmarks/report.py results.jsonl -o results.png
"""

import argparse
import json
from collections import defaultdict

NAMES = {
    "product": "A @ x",
    "transposed": "A.T @ x",
    "sum": "A + B",
    "transposed_sum": "A + B.T",
    "lsqr": "lsqr",
}


def read(path: str) -> tuple[dict[tuple[str, str], dict[str, float]], list[str]]:
    """{(matrix, operation): {library: seconds}}, and lines on what is no such measurement."""
    times: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    notes = []
    with open(path, encoding="utf-8") as f:
        for record in map(json.loads, f):
            if "matrix" in record:
                times[record["matrix"], record["operation"]][record["library"]] = record["seconds"]
            elif "cpp" in record:
                notes.append(
                    f"A call costs {record['seconds'] * 1e6:.2f} us over C++, which takes {record['cpp'] * 1e6:.2f} us "
                    "for a matrix of one entry."
                )
            else:
                notes.append(f"The machine's load when it began: {record['load']:.1f}.")
    return times, notes


def table(times: dict[tuple[str, str], dict[str, float]]) -> str:
    """Milliseconds of copse, and how many times as long the others take."""
    others = sorted({library for of in times.values() for library in of} - {"copse"}, key=str.lower)
    lines = ["| matrix | | copse, ms | " + " | ".join(others) + " |", "|---|---|---|" + "---|" * len(others)]
    for (matrix, operation), of in times.items():
        ratios = (f"{of[o] / of['copse']:.2f}" if o in of else "" for o in others)
        lines.append(f"| {matrix} | {NAMES[operation]} | {of['copse'] * 1e3:.3g} | " + " | ".join(ratios) + " |")
    return "\n".join(lines)


def draw(times: dict[tuple[str, str], dict[str, float]], path: str) -> None:
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    matrices = list(dict.fromkeys(matrix for matrix, _ in times))
    others = sorted({library for of in times.values() for library in of} - {"copse"}, key=str.lower)
    figure, axes = plt.subplots(1, len(matrices), figsize=(3.2 * len(matrices), 3), sharey=True, squeeze=False)
    width = 0.8 / len(others)
    for ax, matrix in zip(axes[0], matrices, strict=True):
        operations = [operation for m, operation in times if m == matrix]
        for k, other in enumerate(others):
            bars = [times[matrix, o].get(other, 0) / times[matrix, o]["copse"] for o in operations]
            ax.bar([i + (k - (len(others) - 1) / 2) * width for i in range(len(operations))], bars, width, label=other)
        ax.axhline(1, color="black", lw=0.8)
        ax.set_title(matrix, fontsize="medium")
        ax.set_xticks(range(len(operations)), [NAMES[o] for o in operations], rotation=45, ha="right")
    axes[0][0].set_ylabel("time, copse is 1")
    axes[0][-1].legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="the file that run.py wrote")
    parser.add_argument("-o", "--output", help="the picture: .png, .svg or .pdf")
    given = parser.parse_args()
    times, notes = read(given.results)
    print(table(times), *notes, sep="\n")
    if given.output:
        draw(times, given.output)


if __name__ == "__main__":
    main()
