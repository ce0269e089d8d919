"""bench/gpu with programs that only pretend: what it says without a GPU; that a stage that fails or hangs hides none of
the others; what it leaves in its folder. Run by ctest with unittest.

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
STAGES = """build first-light tests sanitizers spmv addition conversions large papers tables tuning throughput
ncu""".split()
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


class CommandLine(GpuTest):
    def test_arguments(self):
        self.run_script("--help", expect=0)
        self.assertIn("--pack DIR", self.output)
        for wrong in (["--stage", "sleep"], ["--limit", "tests"], ["--limit", "tests=0"], ["--stage"], ["--loud"],
                      ["tests"], ["--binaries", self.work / "absent"], ["--matrices", self.work / "absent"]):
            self.run_script(*wrong, expect=2)

    def test_a_stage_can_be_packed_without_the_rest(self):
        for stage, program in [("first-light", "first_light"), ("tests", "copse_algebra_gpu_tests"),
                               ("tests", "copse_cli"), ("sanitizers", "copse_device_tests"), ("spmv", "copse_spmv_gpu"),
                               ("papers", "copse_add_gpu"), ("conversions", "copse_convert_gpu"),
                               ("large", "copse_large_gpu"), ("tuning", "copse_bench"), ("ncu", "copse_convert_gpu"),
                               ("throughput", "copse_throughput_bench"), ("build", "copse_cli"),
                               ("build", "copse_bench"), ("build", "copse_throughput_bench")]:
            self.assertTrue(re.fullmatch(bash(f"programs_of {stage}").strip(), program), (stage, program))

    def test_a_stage_has_at_most_ten_minutes(self):
        limits = re.findall(r"\[([a-z-]+)\]=(\d+)", self.script.read_text())
        self.assertEqual([stage for stage, _ in limits], STAGES)
        for stage, seconds in limits:
            self.assertLessEqual(int(seconds), 120 if stage == "first-light" else 600, stage)

    def test_without_a_gpu(self):
        self.program("copse_quick_gpu_tests", "echo never run; exit 0")
        self.variables["CUDA_VISIBLE_DEVICES"] = ""
        self.run_stages(expect=1)
        self.expect("build", "passed")
        for stage in STAGES[1:]:
            self.expect(stage, "no GPU")
            self.assertRegex(self.output, f"{stage} +no GPU")

    def test_a_driver_without_nvidia_smi_says_what_it_is_in_files(self):
        driver = self.work / "driver"
        (driver / "gpus/0000:01:00.0").mkdir(parents=True)
        (driver / "gpus/0000:01:00.0/information").write_text("Model: \t\t Pretender 3\nIRQ: 1\n")
        (driver / "version").write_text("NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Fri Jan 1 2025\n")
        self.tool("nvidia-smi", "echo 'Failed to initialize NVML'; exit 18")
        said = bash(f"driver_files='{driver}'; ask_gpu name; ask_gpu driver_version\n"
                    f"driver_files='{self.work}/absent'; ask_gpu name; ask_gpu driver_version || true",
                    PATH=f"{self.tools}:{os.environ['PATH']}")
        self.assertEqual(said, "Pretender 3\n570.86.15\n")

    def test_tools_and_libraries_of_python_packages(self):
        package = self.work / "python/nvidia/cu13"
        fake(package / "bin/copse-tool", "")
        (package / "lib").mkdir()
        said = bash(f"find_tool copse-tool; library_folders | grep -F '{self.work}'\n"
                    "find_tool copse-no-tool || echo none", PYTHONPATH=str(self.work / "python"))
        self.assertEqual(said, f"{package}/bin/copse-tool\n{package}/lib\nnone\n")


class Time(GpuTest):
    def test_what_hangs_is_ended(self):
        self.assertEqual(bash("for command in 'sleep 1000' 'kill -9 $$' true; do\n"
                              "limited 2 sh -c \"$command\"; echo $?; done"), "124\n124\n0\n")

    def test_a_program_is_never_told_to_begin_nothing(self):
        self.assertEqual(bash("unset SECONDS\nSECONDS=0\nfor stage_end in 0 40; do time_to_begin; done"), "1\n30\n")

    def test_the_first_failure_of_several_programs_is_the_stages(self):
        self.assertEqual(bash("for pair in '0 0' '124 0' '3 124' '124 3'; do\nstatus=0\n"
                              "for one in $pair; do note_status $one; done; echo $status; done"), "0\n124\n3\n3\n")

    def test_programs_share_the_time_of_a_stage(self):
        """Half of the time that is left, or an equal share where that is more: the first takes 300 seconds of 600, the
        third 50, the others none."""
        shares = bash("""unset SECONDS
SECONDS=0 stage_end=600 log=/dev/null
say() { :; }
detail() { :; }
with_cuda_libraries() { "$@"; }
find_programs() { printf '%s\\n' first second third fourth; }
run_test_program() { echo "$1 $2"; case $1 in first) SECONDS=300 ;; third) SECONDS=350 ;; esac }
stage_tests""")
        self.assertEqual(shares, "first 300\nsecond 150\nthird 150\nfourth 250\n")


class Tests(GpuTest):
    def test_what_did_not_pass_runs_again_case_by_case(self):
        """One case passes, one fails, one hangs; the second and third are seen only when each runs alone."""
        self.program("copse_quick_gpu_tests", QUICK_TESTS)
        self.program("copse_slow_device_tests", f"""case "$*" in
  *list*) printf 'slow.\\n  good\\n  bad\\n  endless  # comment\\n' ;;
  *slow.bad*) exit 1 ;;
  *slow.good*) echo ran again ;;
  *) echo '[       OK ] slow.good (0 ms)'; {HANGS} ;;
esac""")
        self.program("copse", "echo a result")
        self.program("copse_cli_gpu_tests", f"""[ "$COPSE_COMMAND" = '{self.programs}/copse' ] &&
  [ "$("$COPSE_COMMAND")" = 'a result' ] && echo '[       OK ] on.gpu (0 ms)'""")
        self.run_stages("tests", expect=1)
        self.expect("tests", "failed", "3 passed, 1 skipped, 2 failed: slow.bad: fails; "
                    "slow.endless: no end within [0-9]+ seconds")

    def test_sums_come_first(self):
        asked = self.work / "asked"
        self.program("copse_algebra_gpu_tests", f"""echo "sums $*" >>'{asked}'
case "$*" in
  *list*) printf 'add_on_gpu.\\n  endless\\nother.\\n  one\\n' ;;
  *-\\*add_on_gpu*:\\*.add_up\\*:*) echo '[       OK ] other.one (0 ms)' ;;
  *) {HANGS} ;;
esac""")
        self.program("copse_aaa_gpu_tests", f"echo \"others $*\" >>'{asked}'; echo '[       OK ] a.one (0 ms)'")
        self.run_stages("tests")
        self.expect("tests", "failed", "2 passed, 0 skipped, [12] failed: .*add_on_gpu.endless.*")
        lines = lines_of(asked)
        self.assertRegex(lines[0], "^sums .*--gtest_filter=[^-]add_on_gpu[^-]*$")
        self.assertRegex(lines[-1], "^sums .*--gtest_filter=.-.add_on_gpu[^-]*$")

    def test_all_tests_of_sums_are_among_the_first(self):
        sources = "".join(p.read_text() for p in (SOURCE / "tests/algebra").rglob("*_gpu_test.c*"))
        for case in ("add_on_gpu.unites_the_entries", "node_kinds_on_gpu.add_up",
                     "stream_order.is_that_of_sums_and_plans", "full_gpu.makes_no_sum"):
            self.assertRegex(sources, rf"(?m)^TEST[_PF]*\({case.replace('.', ', ')}")
            bash(f"""IFS=: read -ra patterns <<<"$first_tests"
for pattern in "${{patterns[@]}}"; do [[ controllers/{case}/0 != $pattern ]] || exit 0; done; exit 1""")

    def test_what_is_left_in_a_build_by_tests_is_no_program(self):
        self.writes("bench/copse_add_gpu", record("addition"))
        (self.work / "bench").mkdir()
        for folder in ("bench/gpu/programs", "bench/gpu/user-programs", "install/work/prefix/bin"):
            self.program(f"tests/{folder}/copse_add_gpu", "exit 3")
        link = self.work / "link"
        link.symlink_to(self.programs)
        for folder in (f"{self.programs}/", link):
            self.run_script("--binaries", folder, "--out", self.out, "--stage", "addition", expect=0)


class Sanitizers(GpuTest):
    def setUp(self):
        super().setUp()
        self.program("copse_quick_gpu_tests", QUICK_TESTS)

    def test_tools_look_at_what_they_can_follow(self):
        """Not at the command's processes; at launches from the GPU memcheck alone. One finds a race."""
        for name in ("slow_device", "cli_gpu"):
            self.program(f"copse_{name}_tests", "printf 'slow.\\n  good\\n  bad\\n  endless  # comment\\n'")
        self.tool("compute-sanitizer", f"""echo "$*" >>'{self.work}/asked'
case "$*" in *racecheck*quick.two) exit 99 ;; esac""")
        self.run_stages("sanitizers")
        self.expect("sanitizers", "failed",
                    "5 runs, 10 of 11 cases clean: racecheck copse_quick_gpu_tests: errors in quick.two")
        asked = lines_of(self.work / "asked")
        self.assertEqual(len(asked), 11)
        for line in asked:
            self.assertNotIn("copse_cli", line)
            self.assertEqual("--tool memcheck" in line, "--track-stream-ordered-races all" in line)
            self.assertTrue("memcheck" in line or "device" not in line, line)

    def test_not_at_tests_that_fill_the_memory_or_read_unwritten_memory(self):
        (self.programs / "copse_quick_gpu_tests").unlink()
        self.program("copse_full_gpu_tests", "printf '%s\\n' full_gpu. '  makes_no_sum' memory_of_gpu. '  that_one_has'"
                     " '  keeps_little' not_full_gpu. '  one' comparison. '  large_sums_are_made_and_checked_there'")
        self.tool("compute-sanitizer",
                  'case "$*" in *full_gpu.makes*|*that_one*|*initcheck*large_sums*) exit 99 ;; esac')
        self.run_stages("sanitizers")
        self.expect("sanitizers", "passed", "4 runs, 11 of 11 cases clean")

    def test_what_was_clean_is_remembered(self):
        asked = f"echo \"$*\" >>'{self.work}/asked'"
        self.tool("compute-sanitizer", f'case "$*" in *memcheck*) {asked} ;; *) sleep 2 ;; esac')
        self.run_stages("sanitizers", options=["--limit", "sanitizers=1"])
        self.expect("sanitizers", "out of time", "4 runs, [0-7] of 8 cases clean")
        self.tool("compute-sanitizer", asked)
        for _ in range(2):
            self.run_stages("sanitizers")
            self.expect("sanitizers", "passed", "4 runs, 8 of 8 cases clean")
        # Each case once, but for one of memcheck that was cut off.
        self.assertIn(len(lines_of(self.work / "asked")), (8, 9))


class Benchmarks(GpuTest):
    def test_what_fails_hides_none_of_the_others(self):
        self.program("first_light", """case "$*" in
  --list) printf 'hop 8\\nfall 8\\ncrash 8\\n' ;;
  *hop) echo '{"question": "hop", "copy_gbytes_per_second": 2817.5}' ;;
  *fall) echo '{"question": "fall", "failed": "no"}'; exit 1 ;;
  *) kill -6 $$ ;;
esac""")
        self.writes("copse_add_gpu", record("addition", copy_gbytes_per_second=3006.25, seconds=1))
        self.program("copse_large_gpu", HANGS)
        # Its lines come as far as it came.
        self.program("copse_bench", f"""while [ "$1" != --json ]; do mode="$mode $1"; shift; done
echo "$mode" >>'{self.work}/asked'
echo '{{"format":"csr5"}}' >"$2"
case "$mode" in *--tune*) {HANGS} ;; esac""")
        self.run_stages("first-light", "addition", "large", "papers", "tables", "tuning", expect=1)
        self.expect("first-light", "failed", "3 answers, 2 of them failures")
        self.expect("addition", "passed", "1 records")
        self.expect("large", "out of time")
        self.expect("papers", "failed")  # there is no copse_spmv_gpu
        self.expect("tables", "passed")
        self.expect("tuning", "out of time", "1 records; tables in benchmarks.log")
        # Sizes are tried on the GPU alone, with matrices of its suite, and medians are of more than three.
        self.assertEqual(lines_of(self.work / "asked"), [" --papers --quick --repeat 9", " --tune --gpu --quick"])
        self.assertEqual([line for line in lines_of(self.out / "benchmarks.jsonl") if "csr5\"}" in line],
                         ['{"bench":"tables","format":"csr5"}', '{"bench":"tuning","format":"csr5"}'])
        # Of what stages measured, the most.
        self.assertEqual([self.summary["device"], self.summary["copy_gbytes_per_second"]], ['Pretender "1"', 3006.25])
        self.assertRegex(self.output, '\nPretender "1", driver Pretender.*; copies 3006 GB/s within its memory\n')
        self.assertLessEqual(len(list(self.out.iterdir())), 8)

    def test_tables(self):
        """The report in summary.md and on the screen, tables of each matrix in the log; without Python where to go."""
        self.writes("copse_spmv_gpu", record("spmv", seconds=1, fraction_of_copy=0.5, spread=0, max_error=0))
        self.run_stages("spmv", expect=0)
        for text in (self.output, (self.out / "summary.md").read_text()):
            self.assertRegex(text, r"\| spmv \| passed |spmv +passed")
            self.assertRegex(text, r"\| copse csr5 plan \| +1 \|")
        for _ in range(2):
            self.run_stages("spmv", expect=0)
        self.assertEqual((self.out / "benchmarks.log").read_text().count("| A x | copse csr5 plan |"), 3)
        self.tool("python3", "exit 127")
        self.run_stages("spmv", expect=0)
        self.assertIn("No tables without Python: elsewhere, python3 bench/report/gpu.py benchmarks.jsonl ncu.csv",
                      (self.out / "summary.md").read_text())

    def test_the_users_matrices_come_behind_the_suite(self):
        users = self.work / "users"
        users.mkdir()
        names = ("copse_spmv_gpu", "copse_add_gpu", "copse_convert_gpu")
        for name in names:
            self.writes(name)
        self.run_stages("spmv", "addition", "conversions", options=["--matrices", users])
        for name in names:
            self.assertEqual([line.split()[0] for line in self.asked(name)], ["--quick", str(users)])
        # Where the suite has used up the time they wait; a stage that failed is not out of time because they are.
        for status, result, count in ((124, "out of time", 3), (3, "failed", 5)):
            self.program("copse_spmv_gpu", f"""echo "$*" >>'{self.work}/copse_spmv_gpu.asked'
case "$*" in *--quick*) exit {status} ;; *) {HANGS} ;; esac""")
            self.run_stages("spmv", options=["--matrices", users])
            self.expect("spmv", result)
            self.assertEqual(len(self.asked("copse_spmv_gpu")), count)

    def test_asks_what_gpu_it_is_where_no_stage_has(self):
        self.program("copse_quick_gpu_tests", QUICK_TESTS)
        self.run_stages("tests", expect=0)
        self.assertRegex(self.output, "\nPretender .*; copies not measured\n")
        self.program("first_light", "[ \"$*\" = '--question device' ] && echo '{\"copy_gbytes_per_second\": 2801.5}'")
        self.run_stages("tests", expect=0)
        self.assertEqual(self.summary["copy_gbytes_per_second"], 2801.5)


class Resumed(GpuTest):
    def test_results_of_the_same_commit_and_device_stay(self):
        self.writes("copse_add_gpu", record("addition"))
        self.program("copse_quick_gpu_tests", "exit 1")
        self.run_stages("tests", "addition")
        self.run_stages("addition", expect=0)
        self.expect("addition", "passed", "2 records")
        self.expect("tests", "failed")
        self.assertEqual(len(self.summary["stages"]), 2)
        self.tool("nvidia-smi", "[ \"$1\" = -L ] && echo 'GPU 0: Pretender' || echo 'Pretender 2'")
        self.run_stages("addition")
        self.expect("addition", "passed", "1 records")
        self.assertEqual(len(self.summary["stages"]), 1)

    def test_who_hung_is_not_asked_again(self):
        """As the watchdog puts it: one competitor hangs, and without that one all is well; another is lost with or
        without."""
        self.program("copse_spmv_gpu", f"""echo "$*" >>'{self.work}/asked'
case "$*" in
  *'--without copse csr5 device'*) echo '{record("spmv")}' >>'{self.out}/benchmarks.jsonl' ;;
  *) echo 'copse_spmv_gpu: no answer from [copse csr5 device] in A x of dense:4, double' >&2; exit 4 ;;
esac""")
        self.program("copse_convert_gpu", "echo 'copse_convert_gpu: the GPU is lost after [work on dense:4, float]: "
                     "no more memory' >&2; exit 4")
        for asked in (2, 3):
            self.run_stages("spmv", "conversions")
            self.expect("spmv", "failed", f"{asked - 1} records; no answer from: copse csr5 device")
            self.expect("conversions", "failed", "0 records; no answer from: work on dense:4, float")
            self.assertEqual(len(lines_of(self.work / "asked")), asked)

    def test_what_an_earlier_run_said_is_none_of_the_next(self):
        self.program("copse_add_gpu", f"""[ -e '{self.work}/once' ] && exit 4
touch '{self.work}/once'
printf 'Pretender: cuSPARSE: not there: no library\\n no answer from [somebody] in it\\n'""")
        self.program("copse_convert_gpu", "exit 0")
        for detail in ("0 records; cuSPARSE: not there", "0 records; no answer from: unknown"):
            self.run_stages("addition", "conversions")
            self.expect("addition", detail=detail)
            self.expect("conversions", detail="0 records")

    def test_what_there_was_no_time_for_comes_in_the_next_run(self):
        left_out = record("addition", left_out=True)
        self.writes("copse_add_gpu", record("addition"), left_out, left_out)
        self.run_stages("addition", expect=1)
        self.expect("addition", "out of time", "1 records; no time for 2 matrices, counted in either type")
        self.writes("copse_add_gpu", record("addition"))
        self.run_stages("addition")
        self.expect("addition", "passed", "2 records")

    def test_tables_of_papers_go_on_too(self):
        self.program("copse_bench", """while [ "$1" != --json ]; do shift; done
[ "$3 $5" = '--measured --seconds' ] || exit 3
if grep -q '^{"bench":"tables","matrix":"a"}$' "$4"; then
    echo '{"matrix":"b"}' >"$2"
else
    printf '{"matrix":"a"}\\n{"matrix":"b","left_out":true}\\n' >"$2"
fi""")
        self.run_stages("tables")
        self.expect("tables", "out of time", "1 records; tables in benchmarks.log; no time for 1 matrices, counted in "
                    "either type")
        self.run_stages("tables")
        self.expect("tables", "passed", "2 records; tables in benchmarks.log")
        self.assertEqual(lines_of(self.out / "benchmarks.jsonl"),
                         ['{"bench":"tables","matrix":"a"}', '{"bench":"tables","matrix":"b"}'])


class Throughput(GpuTest):
    def measures(self, lines):
        """`lines` know the controller as $c and print what is written."""
        self.program("copse_throughput_bench", f"""echo "$*" >>'{self.work}/asked'
[ "$1 $2 $3" = '--on gpu --controllers' ] || exit 3
c="$4"
while [ "$1" != --json ]; do shift; done
exec >"$2"
{lines}""")

    def run_stage(self, result, detail, controllers="persistent,host,device"):
        """The controllers that were asked."""
        (self.work / "asked").unlink(missing_ok=True)
        self.run_stages("throughput", options=["--controllers", controllers])
        self.expect("throughput", result, detail)
        self.assertNotIn("Traceback", (self.out / "benchmarks.log").read_text())
        return [line.split()[3] for line in lines_of(self.work / "asked")]

    record = """echo '{"op":"throughput","library":"copse","controller":"'$c'","failure":null}'\n"""
    done = """echo '{"op":"done"}'\n"""

    def test_a_controller_that_hangs_hides_none_of_the_others(self):
        """It alone comes again, and then its line is there once."""
        self.measures(f"{self.record}[ $c != host ] || {HANGS}\n{self.done}")
        self.assertEqual(self.run_stage("out of time", "3 records, 0 of them failures"),
                         ["persistent", "host", "device"])
        self.measures(self.record + self.done)
        self.assertEqual(self.run_stage("passed", "3 records, 0 of them failures"), ["host"])
        self.assertEqual(self.run_stage("passed", "3 records, 0 of them failures"), [])
        lines = [json.loads(line) for line in lines_of(self.out / "benchmarks.jsonl")]
        self.assertEqual([(line["bench"], line["part"], line["op"]) for line in lines],
                         [("throughput", c, op) for c in ("persistent", "device", "host")
                          for op in ("throughput", "done")])

    def test_a_failure_stays_one(self):
        self.measures(self.record.replace("null", '"stalled"') + self.done + "exit 1")
        self.assertEqual(self.run_stage("failed", "1 records, 1 of them failures", "host"), ["host"])
        self.assertEqual(self.run_stage("failed", "1 records, 1 of them failures", "host"), [])

    def test_nothing_measured_is_a_failure(self):
        self.measures("""echo '{"op":"note","text":"gpu takes no part"}'""")
        for _ in range(2):
            self.assertEqual(self.run_stage("failed", "0 records, 0 of them failures", "device"), ["device"])


class Ncu(GpuTest):
    def setUp(self):
        super().setUp()
        for name in ("spmv", "add", "convert"):
            self.program(f"copse_{name}_gpu", "exit 0")

    def ncu(self, lines, metrics=""):
        """It notes what it is asked; `lines` know its arguments as $asked, and the log as $2."""
        self.tool("ncu", f"""[ "$1" != --query-metrics ] || {{ printf '{metrics}'; exit; }}
asked="$*"
echo "$asked" >>'{self.work}/asked'
while [ "$1" != --log-file ]; do shift; done
printf '"ID","Kernel Name"\\n' >"$2"
{lines}""")

    def test_metrics_and_kernels(self):
        """Knows all metrics but one; ends the program that it looks at."""
        known = "gpu__time_duration dram__bytes_read dram__bytes_write dram__throughput sm__throughput " \
            "sm__warps_active l1tex__t_sector_hit_rate l1tex__data_pipe_lsu_wavefronts_mem_shared " \
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared l1tex__t_bytes_pipe_lsu_mem_local_op_ld " \
            "l1tex__t_bytes_pipe_lsu_mem_local_op_st"
        self.ncu('case "$asked" in *lts__t*) exit 1 ;; esac\nprintf \'"","b"\\n"0","a"\\n"1","b"\\n\' >>"$2"; exit 9',
                 known.replace(" ", "  text\\n") + "  text\\n")
        self.run_stages("ncu")
        self.expect("ncu", "passed", "16 launches; unknown to this ncu: lts__t_sector_hit_rate.pct")  # of eight runs
        for line in lines_of(self.work / "asked"):
            self.assertRegex(line, "drain_kernel.*step_kernel.*group_kernel.*--launch-count 120 .*--formats "
                             if "copse_convert_gpu" in line else "regex:drain_kernel.plain_kernel --launch-count 120 ")

    def test_run_by_run(self):
        """One run has no time, and leaves what it had seen; one leaves nothing. Only these come again."""
        early = 'case "$asked" in *spmv_gpu\\ rmat*) printf \'"0","early"\\n\' >>"$2"; exit 124 ;; esac\n'
        none = 'case "$asked" in *csr5,sellp,cmrs*) exit 9 ;; esac\n'
        self.ncu(early + none + 'printf \'"0","first"\\n\' >>"$2"; exit 9')
        self.run_stages("ncu")
        self.expect("ncu", "failed", "7 launches; no time for 1 of 8 runs; nothing of "
                    "copse_convert_gpu rmat:18,16 --type double --formats csr5,sellp,cmrs")
        (self.work / "asked").unlink()
        self.ncu(early + 'printf \'"0","second"\\n\' >>"$2"; exit 9')
        self.run_stages("ncu")
        self.expect("ncu", "out of time")
        self.ncu('printf \'"0","second"\\n"1","second"\\n\' >>"$2"; exit 9')
        for _ in range(2):
            self.run_stages("ncu")
            self.expect("ncu", "passed", "9 launches")
        seen = [re.sub(r".*/(copse_\S* \S*) .*", r"\1", line) for line in lines_of(self.work / "asked")]
        self.assertEqual(seen, [f"copse_{name}_gpu rmat:18,16" for name in ("spmv", "convert", "spmv")])
        self.assertNotIn("early", (self.out / "ncu.csv").read_text())


class Packed(GpuTest):
    def setUp(self):
        """A build that makes the programs that it knows: shell scripts, which strip would refuse."""
        super().setUp()
        self.tool("strip", "exit 0")
        self.tool("cmake", f"""case "$1" in
  --preset) echo "$*" >'{self.work}/configured' ;;
  --build)
    folder="$2"
    if [ "$4" = help ]; then printf '%s: phony\\n' all copse_add_gpu copse_spmv_gpu copse_cli copse_cli_tests \\
        copse_cli_gpu_tests; exit; fi
    mkdir -p "$folder/deep" "$folder/tests/bench/gpu/programs"
    shift 3
    while [ "$1" != -- ]; do
      [ "$1" = copse_cli ] && program=copse || program="$1"
      cp '{self.work}/made' "$folder/deep/$program"
      cp '{self.tools}/strip' "$folder/tests/bench/gpu/programs/$program"
      shift
    done ;;
esac""")
        fake(self.work / "made", f"""case "$0" in
  */copse) echo 'of the pack'; exit ;;
  *copse_cli_gpu_tests) [ "$("$COPSE_COMMAND")" = 'of the pack' ] && echo '[       OK ] on.gpu (0 ms)'; exit ;;
esac
while [ "$1" != --json ]; do shift; done
echo '{record("addition", seconds=1)}' >>"$2\"""")

    def pack(self, stage):
        """Packs, and takes the pack to where there is nothing to build with, and no source."""
        self.run_script("--pack", self.work / "packed", "--stage", stage, "--build-folder", self.work / "build",
                        "--architectures", "90-real", expect=0)
        shutil.rmtree(self.work / "build")
        elsewhere = (self.work / "packed").rename(self.work / "elsewhere")
        self.script, self.out = elsewhere / "gpu", elsewhere / "results"
        return sorted(str(p.relative_to(elsewhere)) for p in elsewhere.rglob("*") if p.is_file())

    def run_packed(self, stage):
        self.run_script("--stage", stage, expect=0)
        self.summary = json.loads((self.out / "summary.json").read_text())

    def test_a_stage_and_its_report(self):
        carried = self.pack("addition")
        self.assertIn(f"--preset gpu-pack -B {self.work}/build ", (self.work / "configured").read_text())
        self.assertIn("-DCOPSE_CUDA_ARCHITECTURES=90-real", (self.work / "configured").read_text())
        self.assertEqual([file for file in carried if not file.startswith("report/")],
                         ["bin/copse_add_gpu", "gpu", "gpu_benchmarks.sh", "gpu_results.sh", "gpu_stages.sh", "packed"])
        self.run_packed("addition")
        self.expect("addition", "passed", "1 records")
        self.assertIs(self.summary["packed"], True)
        self.assertIn("## Goals", self.output)
        described = subprocess.run(["git", "-C", SOURCE, "describe", "--always", "--dirty", "--abbrev=12"],
                                   capture_output=True, text=True, check=False).stdout.strip()
        if described:
            self.assertRegex(self.summary["commit"], f"^{described}(-[0-9a-f]+)?$")
        self.run_script("--pack", self.work / "again", expect=2)

    def test_tests_of_the_command_take_it_along(self):
        self.assertEqual([file for file in self.pack("tests") if file.startswith("bin/")],
                         ["bin/copse", "bin/copse_cli_gpu_tests"])
        self.run_packed("tests")
        self.expect("tests", "passed", "1 passed, 0 skipped, 0 failed")


class Commits(GpuTest):
    def commit(self):
        """The next run names the same."""
        names = []
        for _ in range(2):
            self.run_stages("build")
            names.append(self.summary["commit"])
        self.assertEqual(names[0], names[1])
        return names[0]

    def test_each_state_of_the_source_has_its_own(self):
        tree = self.work / "tree"
        (tree / "bench").mkdir(parents=True)
        for file in [SOURCE / "bench/gpu", *(SOURCE / "bench").glob("gpu_*.sh")]:
            shutil.copy(file, tree / "bench")
        self.script = tree / "bench/gpu"
        self.variables["GIT_CEILING_DIRECTORIES"] = str(self.work)
        (tree / "a.cpp").write_text("first")
        seen = {self.commit()}
        (tree / "a.cpp").write_text("second")
        seen.add(self.commit())
        self.assertEqual(len(seen), 2)
        for commit in seen:
            self.assertRegex(commit, "^unknown-[0-9a-f]+$")
        if not shutil.which("git"):
            return
        subprocess.run("git init -q && git add . && "
                       "git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm first",
                       cwd=tree, shell=True, check=True)
        self.assertRegex(self.commit(), "^[0-9a-f]+$")
        dirty = set()
        for file, text in (("a.cpp", "third"), ("a.cpp", "fourth"), ("new.cpp", "fifth"), ("new.cpp", "sixth")):
            (tree / file).write_text(text)
            dirty.add(self.commit())
        self.assertEqual(len(dirty), 4)
        for commit in dirty:
            self.assertRegex(commit, "^[0-9a-f]+-dirty-[0-9a-f]+$")


if __name__ == "__main__":
    unittest.main()
