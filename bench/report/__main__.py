"""Tables of what copse_bench measured, from its JSON lines: standard input as it comes, or files.

    build/bench/copse_bench --quick | python3 bench/report
    python3 bench/report bench/results/*/spmv.jsonl
    python3 bench/report --report FOLDER FILE       also NAME.md and pictures in FOLDER; bench/README.md names them
"""

import argparse
import signal
import sys
from pathlib import Path

import papers
import products
import sizes
import sums
import tuning
from records import Run, heading, matrices

SUMMARIES = [products, sums, papers, sizes, tuning]
MATRIX_TABLES = {"spmv": products.matrix, "add": sums.matrix}


class Report:
    """Prints each table as soon as its lines are there, and keeps them all."""

    def __init__(self, name, show=print):
        self.name, self.show = name, show
        self.run, self.texts, self.shown = Run(), [], 0

    def read(self, lines):
        for line in lines:
            one = self.run.add(line)
            if one and one.get("op") == "run":
                self.add(heading(self.run))
            elif one and one.get("op") == "done":
                self.add_matrices()

    def finish(self):
        if self.run.lines and self.run.lines[0].get("op") != "run":
            self.add(heading(self.run))
        self.add_matrices()
        for module in SUMMARIES:
            for text in module.summary(self.run):
                self.add(text)

    def add_matrices(self):
        """The tables of the matrices that have none yet. The papers' matrices are rows of one table."""
        new, self.shown = self.run.lines[self.shown:], len(self.run.lines)
        if self.run.of("paper-matrix"):
            return
        for op, make in MATRIX_TABLES.items():
            for one in matrices([r for r in new if r.get("op") == op]):
                self.add(make(one))

    def add(self, text):
        self.texts.append(text)
        self.show("\n" + text, end="", flush=True)

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        text = f"# {self.name}\n\n```\n{self.texts[0]}```\n\n" + "".join(f"- {n}\n" for n in self.run.notes())
        (folder / f"{self.kind()}.md").write_text(text + "\n" + "\n".join(self.texts[1:]))
        try:
            import pictures
        except ImportError as missing:
            print(f"report: no pictures without {missing.name} (Debian: python3-{missing.name})", file=sys.stderr)
            return
        pictures.write(self.run, folder)

    def kind(self):
        """What files of this report are called."""
        ops = [one.get("op") for one in self.run.lines]
        if "paper-matrix" in ops:
            return "papers"
        return next((op for op in ["spmv", "add", "sizes", "tune"] if op in ops), "report")


def main():
    parser = argparse.ArgumentParser(prog="report", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", metavar="FOLDER", type=Path, help="write tables and pictures into this folder")
    parser.add_argument("files", metavar="FILE", nargs="*", help="JSON lines; without any, standard input")
    arguments = parser.parse_args()
    if not arguments.files:
        # Ctrl-C ends copse_bench; what it measured until then is reported.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    for file in arguments.files or ["-"]:
        report = Report("Measured by bench/run" if file == "-" else file)
        with sys.stdin if file == "-" else open(file, encoding="utf-8", errors="replace") as lines:
            report.read(lines)
        report.finish()
        if arguments.report and report.texts:
            report.write(arguments.report)


if __name__ == "__main__":
    main()
