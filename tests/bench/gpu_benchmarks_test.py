"""The stages of bench/gpu that measure, with programs that only pretend. Run by ctest with unittest."""

import json
import re
import unittest

from gpu_pretence import HANGS, QUICK_TESTS, GpuTest, lines_of, record


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

    def test_plans_and_sums_are_made_in_other_ways(self):
        self.writes("copse_spmv_gpu", record("plans"))
        self.writes("copse_add_gpu", record("plans_sums"))
        self.run_stages("plans", expect=0)
        self.expect("plans", "passed", "3 records")
        self.assertRegex(" ".join(self.asked("copse_spmv_gpu")), "--all-plans .*--bench plans ")
        alike, moved = self.asked("copse_add_gpu")
        self.assertRegex(alike, "^stencil27:64 --moved 0 --all-ways --bench plans_alike ")
        self.assertRegex(moved, "--all-ways --bench plans_sums ")

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

    def test_columns_have_a_name_for_each_number(self):
        self.writes("copse_spmm_gpu", *(record(f"columns{k}", op="spmm", seconds=1) for k in (8, 32)))
        self.run_stages("columns", expect=0)
        self.expect("columns", "passed", "4 records")
        self.assertEqual([line.split()[1:5] for line in self.asked("copse_spmm_gpu")],
                         [["--columns", "8", "--bench", "columns8"], ["--columns", "32", "--bench", "columns32"]])


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


if __name__ == "__main__":
    unittest.main()
