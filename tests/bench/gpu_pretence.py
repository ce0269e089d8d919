"""What tests of bench/gpu have in common: programs, tools and a GPU that only pretend.

A program that pretends to hang ends with 124, as `timeout` has it: no test waits.
"""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
STAGES = """build first-light tests sanitizers spmv plans columns addition conversions large papers tables tuning
throughput ncu""".split()
HANGS = "exit 124"
QUICK_TESTS = """case "$*" in
  *list*) printf 'quick.\\n  one\\n  two\\n' ;;
  *) echo '[       OK ] quick.one (0 ms)'; echo '[  SKIPPED ] quick.two (0 ms)' ;;
esac"""


def fake(path, lines):
    """An executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def bash(lines, **variables):
    """What these lines print, with the functions of gpu_stages.sh and gpu_benchmarks.sh."""
    lines = f"source '{SOURCE}/bench/gpu_stages.sh'\nsource '{SOURCE}/bench/gpu_benchmarks.sh'\n{lines}"
    return subprocess.run(["bash", "-c", lines], env={**os.environ, **variables}, capture_output=True, text=True,
                          check=True).stdout


def record(bench, **fields):
    return json.dumps({"bench": bench, "op": "spmv", "library": "copse", "variant": "csr5 plan", "matrix": "a",
                       "type": "double", "rows": 1, "cols": 1, "entries": 1, "gpu": "Pretender", **fields},
                      separators=(",", ":"))


def lines_of(path):
    return path.read_text().splitlines() if path.exists() else []


class GpuTest(unittest.TestCase):
    def setUp(self):
        self.work = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)
        self.script = SOURCE / "bench/gpu"
        self.programs, self.tools, self.out = self.work / "programs", self.work / "tools", self.work / "out"
        self.programs.mkdir()
        self.tool("nvidia-smi", """[ "$1" = -L ] && echo 'GPU 0: Pretender' || echo 'Pretender "1"'""")
        self.tool("python3", f"exec '{sys.executable}' -S \"$@\"")  # without packages, which take long to find
        self.variables = {"CUDA_VISIBLE_DEVICES": "0"}

    def program(self, name, lines):
        fake(self.programs / name, lines)

    def tool(self, name, lines):
        fake(self.tools / name, lines)

    def writes(self, name, *records, status=0):
        """A program that adds these lines to benchmarks.jsonl, and its arguments to the file NAME.asked."""
        text = "\n".join(records)
        self.program(name, f"echo \"$*\" >>'{self.work}/{name}.asked'\n"
                     f"cat >>'{self.out}/benchmarks.jsonl' <<'END'\n{text}\nEND\nexit {status}")

    def asked(self, name):
        return lines_of(self.work / f"{name}.asked")

    def run_script(self, *arguments, expect=None):
        """Sets self.status, self.output and self.summary."""
        done = subprocess.run(["bash", str(self.script), *map(str, arguments)], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=300, check=False,
                              env={**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}", **self.variables})
        self.status, self.output = done.returncode, done.stdout
        if expect is not None:
            self.assertEqual(self.status, expect, self.output)

    def run_stages(self, *stages, options=(), expect=None):
        self.run_script("--binaries", self.programs, "--out", self.out, *options,
                        *(word for stage in stages for word in ("--stage", stage)), expect=expect)
        self.summary = json.loads((self.out / "summary.json").read_text())

    def expect(self, stage, result=None, detail=None):
        """The stage's result, and all of its details, a regular expression."""
        found = next(s for s in self.summary["stages"] if s["stage"] == stage)
        if result:
            self.assertEqual(found["result"], result, self.output)
        if detail is not None:
            self.assertRegex(found["detail"], f"^{detail}$", self.output)
