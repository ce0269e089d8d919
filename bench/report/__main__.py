"""Tables of what copse_bench measured, from its JSON lines: standard input as it comes, or files.

    build/bench/copse_bench --quick | python3 bench/report
    python3 bench/report bench/results/*/spmv.jsonl
    python3 bench/report --report FOLDER FILE       also NAME.md and pictures in FOLDER; bench/README.md names them
"""

import argparse
import signal
import sys
from pathlib import Path

import conversions
import kit
import papers
import products
import sizes
import solvers
import sums
import tuning
from records import Run, heading, matrices

SUMMARIES = [products, sums, papers, sizes, tuning, conversions, solvers, kit]
MATRIX_TABLES = {"spmv": products.matrix, "spmm": products.matrix, "add": sums.matrix}


class Report:
    """Prints each table as soon as its lines are there, and keeps them all."""

    def __init__(self, name):
        self.name, self.run, self.lines_shown = name, Run(), 0
        self.heading, self.tables, self.summaries = "", [], []

    def read(self, lines):
        for line in lines:
            one = self.run.add(line)
            if one and one.get("op") == "run":
                self.show_heading()
            elif one and one.get("op") == "done":
                self.show_matrices()
        if not self.heading and self.run.lines:
            self.show_heading()
        self.show_matrices()
        self.summaries = [show(text) for module in SUMMARIES for text in module.summary(self.run)]

    def show_heading(self):
        self.heading = show(heading(self.run))

    def show_matrices(self):
        """The tables of the matrices that have none yet. The papers' matrices are rows of one table."""
        new, self.lines_shown = self.run.lines[self.lines_shown:], len(self.run.lines)
        if self.run.of("paper-matrix"):
            return
        for op, make in MATRIX_TABLES.items():
            for one in matrices([r for r in new if r.get("op") == op]):
                self.tables.append(show(make(one)))

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        drawn = []
        try:
            import pictures
            drawn = pictures.write(self.run, folder)
        except ImportError as missing:
            print(f"report: no pictures without {missing.name} (Debian: python3-{missing.name})", file=sys.stderr)
        parts = [f"# {self.name}\n\n```\n{self.heading}```\n", "".join(f"- {n}\n" for n in self.run.notes()),
                 *(f"![{name}]({name})\n" for name in drawn), *self.summaries, *self.tables]
        (folder / f"{self.kind()}.md").write_text("\n".join(part for part in parts if part))

    def kind(self):
        """What files of this report are called."""
        ops = [one.get("op") for one in self.run.lines]
        if "paper-matrix" in ops:
            return "papers"
        known = ["spmv", "spmm", "add", "sizes", "tune", "conversion", "solver", "kit"]
        return next((op for op in known if op in ops), "report")


def show(text):
    print("\n" + text, end="", flush=True)
    return text


def main():
    parser = argparse.ArgumentParser(prog="report", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", metavar="FOLDER", type=Path, help="write tables and pictures into this folder")
    parser.add_argument("files", metavar="FILE", nargs="*", help="JSON lines; without any, standard input")
    arguments = parser.parse_args()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if not arguments.files:
        # Ctrl-C ends copse_bench; what it measured until then is reported.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    for file in arguments.files or [None]:
        report = Report(file or "Measured by bench/run")
        try:
            with open(file, encoding="utf-8", errors="replace") if file else sys.stdin as lines:
                report.read(lines)
            if file and not report.run.lines:
                sys.exit(f"report: error: {file}: no line is a JSON object; take a file of bench/run --json")
            if arguments.report and report.heading:
                report.write(arguments.report)
        except OSError as e:
            sys.exit(f"report: error: {e.filename}: {e.strerror}")


if __name__ == "__main__":
    main()
