"""bench/gpu with programs that only pretend: what it says without a GPU; that a stage that fails or hangs hides none of
the others; what it leaves in its folder. Run by ctest with unittest.
"""

import json
import os
import re
import shutil
import subprocess
import unittest

from gpu_pretence import HANGS, QUICK_TESTS, SOURCE, STAGES, GpuTest, bash, fake, lines_of, record


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
                               ("plans", "copse_spmv_gpu"), ("plans", "copse_add_gpu"), ("columns", "copse_spmm_gpu"),
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
