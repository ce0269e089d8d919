"""bench/report: tables of lines with times made up."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from report_lines import RUN, product, products, row, run_of, sum_of

import conversions
import kit as kit_tables
import products as product_tables
import records
import sizes
import solvers
import sums
import tuning
import units

REPORT = str(Path(__file__).parents[2] / "bench" / "report")


def planned(matrix, hisparse, csr5, sellp):
    """Plans of three formats; auto takes sellp, which may have refused the matrix."""
    all = [product(matrix, False, "csr", 8)]
    all += [product(matrix, False, f, s, "plan") for f, s in [("hisparse", hisparse), ("csr5", csr5), ("sellp", sellp)]
            if s]
    return [r | {"auto_format": "sellp"} for r in all]


class Numbers(unittest.TestCase):
    def test_three_digits_and_a_unit(self):
        self.assertEqual([units.seconds(s) for s in [0.0283, 0.0009996, 4, 0, None]],
                         ["28.3 ms", "1.00 ms", "4.00 s", "-", "-"])
        self.assertEqual([units.size(b) for b in [12, 194300000, 999600]], ["12 B", "194 MB", "1.00 MB"])

    def test_names_of_files_do_not_break_tables(self):
        self.assertEqual(units.clean("a|b\nc"), "a\\|b c")


class Records(unittest.TestCase):
    def test_races_are_of_one_matrix_type_and_operation(self):
        races = records.races(products())
        self.assertEqual([len(race) for race in races], [5, 5, 5, 5])
        self.assertEqual(records.operation(races[1][0]), "A^T x")

    def test_the_fastest_peer_was_right_and_is_none_of_ours(self):
        plain, transposed = records.races(products())[:2]
        self.assertEqual(records.fastest_peer(plain)["format"], "eigen")  # petsc was wrong
        self.assertEqual(records.fastest_peer(transposed)["format"], "librsb")
        self.assertIsNone(records.fastest_peer(plain[:2]))
        self.assertIsNone(records.speed(plain[4], plain[0]))

    def test_what_is_no_object_is_passed_over(self):
        run = records.Run()
        for line in ['{"op":"spmv","matr', "3", "", '{"op":"note","text":"a\\nb"}']:
            run.add(line)
        self.assertEqual(run.notes(), ["a b"])
        self.assertEqual(len(run.lines), 1)


class Products(unittest.TestCase):
    def test_a_matrix_has_every_record(self):
        text = product_tables.matrix(products()[:10])
        self.assertIn("## full: 10 x 10, 100 entries, double\n", text)
        self.assertEqual(row(text, "A x", "librsb tuned")[6:9], ["250 ms", "5.00 s", "5.00 s"])
        self.assertEqual(row(text, "A x", "librsb tuned")[-2:], ["0.20x", "0.80x"])
        self.assertEqual(row(text, "petsc")[7:9], ["WRONG by 2 bounds", "-"])

    def test_ours_beside_the_fastest_peer(self):
        text = product_tables.peer_table(products())
        self.assertEqual(row(text, "A x", "full"), ["A x", "full", "double", "4.00 s", "eigen", "2.00 s", "2.00x",
                                                    "csr", "1.00 s", "4.00x", "-"])
        # CSR of A^T, the fastest, is none of ours here.
        self.assertEqual(row(text, "A^T x", "full")[4:], ["librsb tuned", "4.00 s", "2.00x", "hisparse", "4.00 s",
                                                          "2.00x", "0.50x"])
        means = row(text, "A x", "geometric mean of 2")
        self.assertEqual([means[6], means[9], means[10]], ["3.46x", "6.93x", "-"])  # the roots of 2 * 6, 4 * 12
        self.assertEqual(product_tables.peer_table(products()[:2]), "")

    def test_formats_beside_csr_or_the_fastest_peer(self):
        all = planned("a", 2, 4, 1)
        text = product_tables.format_table(all, "plan")
        self.assertEqual(row(text, "A x", "a")[3:], ["4.00x", "-", "2.00x", "8.00x", "-", "-", "-", "sellp",
                                                     "sellp", "1.00x"])
        self.assertIn("the speed of plain CSR", text)
        all.append(product("a", False, "eigen", 3))
        text = product_tables.format_table(all, "plan")
        self.assertEqual(row(text, "A x", "a")[3], "1.50x")
        self.assertIn("the speed of the fastest peer", text)
        self.assertEqual(product_tables.format_table(products(), "plan"), "")  # without auto

    def test_auto_takes_hisparse_where_its_format_refused(self):
        all = [*planned("a", 2, 4, 1), *planned("b", 1, 4, 1.09), *planned("c", 1, 4, 1.11), *planned("d", 2, 4, 0),
               *planned("e", 2, 1.5, 0)]
        text = product_tables.format_table(all, "plan")
        self.assertIn("within 10 % of the fastest format in 3 of 5 products from plans; ", text)
        self.assertIn("geometric mean 0.91x, least 0.75x\n", text)
        self.assertEqual(row(text, "A x", "d")[11], "hisparse")
        self.assertEqual(row(text, "A x", "geometric mean")[3], "5.28x")

    def test_a_trial_is_held_to_the_fastest_format(self):
        all = [r | {"tuned_format": "csr5"} for r in [*planned("a", 2, 4, 1), *planned("b", 1, 4, 2)]]
        text = product_tables.format_table(all, "plan")
        self.assertIn("a trial: within 10 % of the fastest format in 0 of 2 products from plans; geometric mean 0.25x, "
                      "least 0.25x\n", text)

    def test_one_shot_csr_is_the_librarys(self):
        all = [product("a", False, "csr", 8), product("a", False, "hisparse", 2),
               product("a", False, "csr-matrix", 2.1), product("a", False, "csr5", 4)]
        text = product_tables.format_table([r | {"auto_format": "csr"} for r in all], "oneshot")
        self.assertEqual(row(text, "A x", "a")[3:], ["4.00x", "3.81x", "2.00x", "-", "-", "-", "-", "hisparse",
                                                     "csr", "0.95x"])
        self.assertIn("in 1 of 1 one-shot product; geometric mean 0.95x, least 0.95x\n", text)

    def test_means_by_the_groups_of_the_goals(self):
        all = []
        for matrix, csr5 in [("poisson2d:9", 2), ("qcd:8", 8), ("rmat:9,9", 2.5), ("lp:9,9", 16), ("file.mtx", 1)]:
            all += planned(matrix, 2, csr5, 1)
        text = product_tables.format_table(all, "plan")
        means = [row(text, f"geometric mean{group}")[5] for group in ["", ", regular", ", stencils", ", irregular"]]
        self.assertEqual(means, ["2.20x", "2.00x", "4.00x", "3.20x"])

    def test_hisparse_beside_plain_csr(self):
        all = [product("a", False, "csr", 8), product("a", False, "hisparse", 2, bytes=500),
               product("a", False, "hisparse", 1, "plan"), product("a", True, "csr", 9),
               product("a", True, "csr-of-transpose", 3), product("a", True, "hisparse", 2, "plan")]
        self.assertEqual(row(product_tables.csr_table(all), "a"),
                         ["a", "double", "16.00", "10.00", "5.00", "4.00x", "8.00x", "-", "4.50x", "1.50x"])


class Sums(unittest.TestCase):
    def test_medians_of_ratios(self):
        all = []
        for matrix, seconds in [("a", 1), ("b", 2), ("c", 8)]:
            all += [sum_of(matrix, "csr", 4), sum_of(matrix, "hisparse", seconds), sum_of(matrix, "eigen", 4)]
        self.assertIn("100 entries; B: 90; A + B: 150; double", sums.matrix(all[:3]))
        self.assertEqual(row(sums.matrix(all[:3]), "hisparse")[-2:], ["4.00x", "4.00x"])
        text, = sums.summary(run_of(all))
        self.assertEqual(row(text, "median of 3", "hisparse"), ["median of 3", "double", "A + B", "", "", "hisparse",
                                                                "2.00x"])
        self.assertEqual(sums.summary(run_of([all[0], all[1], all[3], all[4]])), [])  # no peers


class Columns(unittest.TestCase):
    def test_products_with_several_columns(self):
        all = [product(matrix, False, format, seconds, op="spmm", vectors=8, mode=mode) for matrix in ("a", "b")
               for format, seconds, mode in [("hisparse", 2, "plan"), ("mkl", 6, "optimized"),
                                             ("mkl by columns", 5, "optimized")]]
        text = product_tables.matrix(all[:3])
        self.assertEqual(row(text, "A X, 8 columns", "hisparse plan")[-1], "2.50x")
        text, = sums.summary(run_of(all))
        self.assertEqual(row(text, "a", "A X, 8 columns")[3:], ["5.00 s", "mkl by columns", "hisparse plan", "2.50x"])


class Solvers(unittest.TestCase):
    def test_one_pass_beside_two_products(self):
        def solver(matrix, what, mkl):
            return {"op": "solver", "matrix": matrix, "entries": 10, "what": what, "steps": 1, "together_seconds": 2,
                    "apart_seconds": 3, "mkl_seconds": mkl, "spreads": [0, 0]}
        text, = solvers.summary(run_of([solver("a", "LSQR", 4), solver("b", "LSQR", 1), solver("b", "PDHG", None)]))
        self.assertEqual(row(text, "a", "LSQR")[-3:], ["4.00 s", "1.50x", "2.00x"])
        self.assertEqual(row(text, "PDHG", "b")[-3:], ["-", "1.50x", "-"])
        self.assertEqual(row(text, "LSQR", "1.3"), ["LSQR", "1.50x", "1.00x", "1.3"])


class Kit(unittest.TestCase):
    def test_operations_beside_loops(self):
        def kit(matrix, what, seconds, loop):
            return {"op": "kit", "matrix": matrix, "what": what, "seconds": seconds, "loop_seconds": loop,
                    "spreads": [0, 0]}
        text, = kit_tables.summary(run_of([kit("a", "norm", 0.003, 0.002), kit("a", "prune", 0.001, 0.004),
                                           kit("b", "norm", 0.5, 0.25)]))
        self.assertEqual(row(text, "norm"), ["norm", "1.50 (3.00 ms)", "2.00 (500 ms)"])
        self.assertEqual(row(text, "prune"), ["prune", "0.25 (1.00 ms)", "-"])
        self.assertEqual(kit_tables.summary(run_of([])), [])


class Sizes(unittest.TestCase):
    def test_a_goal_that_is_missed(self):
        def size(format, bytes, **more):
            return {"format": format, "bytes": bytes, "bytes_per_entry": bytes / 3} | more

        goal = {"goal": "hyper-sparse", "limit_bytes_per_entry": 14, "below": False, "met": False,
                "met_with_node_dimensions": [128, 256]}
        one = {"op": "sizes", "matrix": "thin", "type": "float", "rows": 3, "cols": 100, "entries": 3,
               "entries_per_row": 1, "csr_bytes_in_memory": 56, "node_dimension": 64, "goals": [goal],
               "formats": [size("coo", 36), size("csr", 40),
                           *(size("hisparse", b, node_dimension=d, entries_per_block=1.5)
                             for d, b in [(64, 48), (128, 32), (256, 32)])],
               "levels": [{"level": 1, "kind": "inner", "nodes": 1, "children": 1, "bytes": 6},
                          {"level": 1, "kind": "wide", "nodes": 1, "entries": 3, "bytes": 48}]}
        text, = sizes.summary(run_of([one]))
        self.assertEqual(row(text, "thin")[6:], ["1.5", "12.00", "13.33", "18.67", "16.00", "10.67", "10.67",
                                                 "hyper-sparse <= 14.00 NO"])
        self.assertIn("mean over 1 matrix, float, d = 64: -33 % less than COO (median -33 %), -20 % less than CSR",
                      text)
        self.assertIn("0 of 1 goals met with d = 64", text)
        self.assertIn("- thin, float: hyper-sparse <= 14.00, but 16.00; met with d = 128, 256; wide leaves of 3.0 with "
                      "100 % of the entries at 16.00; inner nodes 2.00\n", text)

    def test_matrix_and_plan_beside_both_directions_of_csr(self):
        def plan(values, bytes, both, lists):
            return {"values": values, "matrix_bytes": 40, "bytes": bytes, "bytes_of_both": both,
                    "list_bytes_of_both": lists}

        def one(matrix, type, plans):
            tree = {"format": "hisparse", "bytes": 40, "bytes_per_entry": 10, "node_dimension": 64,
                    "entries_per_block": 4}
            return {"op": "sizes", "matrix": matrix, "type": type, "rows": 2, "cols": 7, "entries": 4,
                    "entries_per_row": 2, "csr_bytes_in_memory": 60, "node_dimension": 64, "goals": [], "levels": [],
                    "formats": [{"format": f, "bytes": 40, "bytes_per_entry": 10} for f in ["coo", "csr"]] +
                    [tree] + [tree | {"node_dimension": d} for d in [128, 256]], "csc_bytes": 60} | plans

        wide = {"plans": [plan("default", 10, 30, 12), plan("each", 20, 60, 16)]}
        narrow = {"plans": [plan("default", 0, 0, 0), plan("each", 0, 0, 0)]}
        all = [one("wide", "double", wide), one("narrow", "double", narrow), one("before", "double", {})]
        text = sizes.summary(run_of(all))[-1]
        self.assertEqual(row(text, "wide")[2:], ["25.00", "0.50", "0.70", "0.60", "1.00", "10.00", "4.00", "11.00"])
        self.assertIn("double, geometric means: 0.45, 0.53, 0.49, 0.63\n", text)
        self.assertNotIn("before", text)
        self.assertEqual(len(sizes.summary(run_of([all[2]]))), 1)


def tried(matrix, size, seconds, default=1, noise=1.0, **more):
    return {"op": "tune", "format": "sellp", "matrix": matrix, "type": "double", "on": "cpu", "rows": 10,
            "entries": 100, "size": size, "default": size == "size 1", "seconds": seconds,
            "relative_seconds": seconds and default and seconds / default, "noise": noise} | more


class Tuning(unittest.TestCase):
    def test_the_best_took_part_everywhere(self):
        all = [tried("one", "size 1", 1, noise=1.1), tried("one", "size 2", 0.5, noise=1.1),
               tried("one", "size 3", 0.4, noise=1.1), tried("two", "size 1", 1), tried("two", "size 2", 0.8),
               tried("two", "size 3", None)]
        text, = tuning.summary(run_of(all))
        self.assertEqual(row(text, "size 1"), ["size 1", "default 1.00 s", "default 1.00 s", "1.000", "2", "0"])
        self.assertEqual(row(text, "size 2"), ["size 2", "0.50", "0.80", "0.632", "2", "1"])
        self.assertEqual(row(text, "size 3"), ["size 3", "0.40", "-", "0.400", "1", "1"])
        self.assertIn("best: size 2; the default loses 58.1 %; a second matrix like the default's takes 1.049\n", text)

    def test_a_default_that_took_no_part(self):
        all = [tried("one", "size 1", None, None, None), tried("one", "size 2", 0.5, None, None)]
        text, = tuning.summary(run_of(all))
        self.assertIn("the default took no part", text)

    def test_the_rule_that_fits_best(self):
        all = []
        # 2 per row want 8; 16 want 16; 100 want 32; 700 want 4. The paper's rule takes 4 for the first: 2 s.
        for entries, of_default, times in [(2, 2, [2, 1, 2, 2]), (16, 1, [3, 2, 1, 3]), (100, 2, [4, 4, 3, 2]),
                                           (700, 1, [1, 2, 3, 4])]:
            all += [tried(str(entries), f"sigma {4 << i}", s, of_default, rows=100, entries=100 * entries,
                          format="csr5", on="gpu") for i, s in enumerate(times)]
        text, = tuning.summary(run_of(all))
        self.assertIn("best <r, s, t, u>: <8, 32, 128, 4>, 0.841 times the default's time", text)


class Conversions(unittest.TestCase):
    def conversion(self, matrix, way, there, back, **more):
        return {"op": "conversion", "matrix": matrix, "type": "double", "way": way, "entries": 100, "bytes": 1200,
                "product_seconds": 2, "first_seconds": None, "seconds": 2 * there, "back_seconds": 2 * back,
                "refusal": None} | more

    def test_medians_goals_and_refusals(self):
        lines, medians = conversions.summary(run_of([
            self.conversion("a", "csr5", 4, 1), self.conversion("a", "sellp", 12.5, 2),
            self.conversion("a", "cmrs sorted", 5, 1), self.conversion("b", "csr5", 4.5, 5),
            self.conversion("b", "sellp", 1, 1, seconds=None, refusal="too much\npadding"),
            self.conversion("c", "csr5", 3, 6), self.conversion("c", "sellp", 12, 1)]))
        self.assertEqual(row(lines, "a", "sellp"), ["a", "double", "sellp", "-", "25.0 s", "4.00 s", "12.00", "12.5",
                                                    "2.0"])
        self.assertEqual(row(lines, "b", "sellp")[3], "refused")
        self.assertIn("\n- b, double: too much padding\n", lines)
        self.assertEqual(row(medians, "csr5"), ["csr5", "4.0", "5.0", "2 of 3"])
        self.assertEqual(row(medians, "sellp"), ["sellp", "12.5", "2.0", "1 of 2"])
        self.assertEqual(row(medians, "cmrs sorted"), ["cmrs sorted", "5.0", "1.0", "-"])


def read_until(process, text):
    """What the process prints up to `text`, or all of it. After 30 seconds without `text` the process is killed."""
    limit = threading.Timer(30, process.kill)
    limit.start()
    shown = ""
    for line in process.stdout:
        shown += line
        if text in line:
            break
    limit.cancel()
    return shown


class Command(unittest.TestCase):
    def report(self, *arguments, lines=()):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        done = subprocess.run([sys.executable, REPORT, *arguments], input=text, capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_matrix_is_shown_when_it_is_done(self):
        with subprocess.Popen([sys.executable, REPORT], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as report:
            for one in [RUN, *products()[:10], {"op": "done"}]:
                report.stdin.write(json.dumps(one) + "\n")
            report.stdin.flush()
            shown = read_until(report, "librsb tuned")
            report.stdin.close()
            self.assertIn("librsb tuned", shown)  # while standard input was open
        self.assertIn("cpu: a cpu, 2 threads; triad 20.00 GB/s", shown)

    def test_what_is_no_record_is_named(self):
        gpu = Path(REPORT, "gpu.py")
        with tempfile.TemporaryDirectory() as folder:
            words = Path(folder, "words")
            words.write_text("{no JSON\n")
            for program in [REPORT, gpu]:
                for file, error in [(words, "no line is a"), (Path(folder, "none"), "No such file or directory")]:
                    done = subprocess.run([sys.executable, program, file], capture_output=True, text=True, timeout=60)
                    self.assertEqual((done.returncode, done.stdout), (1, ""))
                    self.assertIn(f"error: {file}: {error}", done.stderr)

    def test_files_of_before_have_no_first_line(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "old.jsonl")
            record = {"cpu_model": "old cpu", "commit": "abc", "date": "then"}
            file.write_text("".join(json.dumps(r | record) + "\n" for r in products()))
            text = self.report(str(file))
            self.assertIn("cpu: old cpu, 2 threads; triad 20.00 GB/s", text)
            self.assertEqual(text.count("## full: "), 1)
            self.assertIn("## Ours beside the fastest peer", text)

    def test_a_folder_gets_all_tables(self):
        peers = [{"format": "eigen", "version": "Eigen 3.4.0", "absence": None},
                 {"format": "mkl", "version": None, "absence": "MKL (not there)"}]
        with tempfile.TemporaryDirectory() as folder:
            shown = self.report("--report", folder, lines=[RUN | {"peers": peers}, *products(),
                                                           {"op": "note", "text": "mkl takes no part"}])
            text = Path(folder, "spmv.md").read_text()
            self.assertIn("compared with Eigen 3.4.0\nwithout MKL (not there)\n```\n\n- mkl takes no part\n", text)
            for part in ["## full: ", "## loose: ", "## Ours beside the fastest peer"]:
                self.assertEqual((text.count(part), shown.count(part)), (1, 1), part)


class BenchRun(unittest.TestCase):
    """bench/run with a set-up that does nothing and a copse_bench that only pretends."""

    SETUP = f"""copse_root="$(cd "$(dirname "${{BASH_SOURCE[0]}}")/.." && pwd -P)"
        copse_report_packages=() copse_peer_packages=()
        copse_mkl() {{ touch "$copse_root/mkl"; }}
        copse_need_packages() {{ :; }}; copse_packages() {{ :; }}; copse_build() {{ :; }}
        copse_python() {{ echo {sys.executable}; }}
        """

    def start(self, folder, end, options=()):
        lines = [RUN, *products()[:10], {"op": "done"}]
        for file, text in [("cmake/setup.sh", self.SETUP), ("lines", "".join(json.dumps(r) + "\n" for r in lines)),
                           ("build/bench/copse_bench", f"#!/usr/bin/env bash\ncat {folder}/lines\n{end}\n")]:
            path = Path(folder, file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        Path(folder, "bench").mkdir()
        Path(folder, "bench", "report").symlink_to(REPORT)
        shutil.copy(Path(REPORT).with_name("run"), Path(folder, "bench"))
        return subprocess.Popen([f"{folder}/bench/run", "--report", f"{folder}/out", *options], stdout=subprocess.PIPE,
                                text=True, start_new_session=True,
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))

    def test_keeps_the_status_of_a_failing_program(self):
        with tempfile.TemporaryDirectory() as folder, self.start(folder, "exit 3") as run:
            self.assertIn("## full: ", run.communicate(timeout=60)[0])
            self.assertEqual(run.returncode, 3)

    def test_has_mkl_among_the_peers_of_products_and_of_sums(self):
        for options in (["--peers"], ["--add", "--peers"], ["--add"]):
            with tempfile.TemporaryDirectory() as folder, self.start(folder, "", options) as run:
                run.communicate(timeout=60)
                self.assertEqual(Path(folder, "mkl").exists(), "--peers" in options, options)

    def test_reports_what_was_measured_before_ctrl_c(self):
        with tempfile.TemporaryDirectory() as folder, self.start(folder, "exec sleep 60") as run:
            self.assertIn("## full: ", read_until(run, "## full: "))
            os.killpg(run.pid, signal.SIGINT)
            run.communicate(timeout=50)
            self.assertEqual(run.returncode, 130)
            self.assertIn("## full: ", Path(folder, "out", "spmv.md").read_text())


if __name__ == "__main__":
    unittest.main()
