"""The report of bench/gpu: bench/report/gpu*.py on lines as its programs write them. Run by ctest with unittest."""

import importlib.util
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../bench/report"))
import gpu
import gpu_goals
import gpu_kernels
import gpu_matrices
import gpu_papers
from gpu_records import Record, read


def record(library, variant, matrix, seconds, **fields):
    """A x in double by one competitor."""
    return Record({"bench": "spmv", "op": "spmv", "transpose": False, "matrix": matrix, "type": "double",
                   "rows": 10, "cols": 10, "entries": 100, "library": library, "variant": variant, "mode": "oneshot",
                   "seconds": seconds, "fraction_of_copy": 0.5, "csr_gbytes_per_second": 1000, "gbytes_per_second": 500,
                   "spread": 0.01, "max_error": 0.1, "sets": 1, "refused": False, "failure": None, **fields})


def race(matrix, competitors, **fields):
    """competitors: {"copse csr5 plan": seconds}"""
    return [record(*name.split(" ", 1), matrix, seconds, **fields) for name, seconds in competitors.items()]


def sums(competitors, a=False, b=False, **fields):
    return race("a", competitors, **{"bench": "addition", "op": "add", "transpose": a, "transpose_b": b, **fields})


def conversion(format, matrix="a", **fields):
    return Record({"bench": "conversions", "op": "convert", "matrix": matrix, "type": "double", "format": format,
                   "entries": 10, "seconds": 5, "there_seconds": 4, "product_seconds": 2, "right": True,
                   "failure": None, **fields})


class GpuReport(unittest.TestCase):
    def expect(self, text, *rows):
        """Each row is in the text, however its cells are padded."""
        text = re.sub(" +", " ", text)
        for row in rows:
            self.assertIn(row, text)

    def file(self, text):
        handle, path = tempfile.mkstemp()
        self.addCleanup(os.remove, path)
        with os.fdopen(handle, "w") as file:
            file.write(text)
        return path

    def test_lines_that_are_no_records_are_skipped(self):
        path = self.file('{"bench":"spmv","library":"copse"}\n{"bench":"tuning","op":"spmv","format":"sellp"}\n'
                         '{"bench":"spmv","op":"convert","left_out":true}\n{"bench":"conversions","op":"convert"}\n'
                         '{"bench":"throughput","op":"throughput","library":"copse"}\n[1]\n{"bench":"spmv","cut')
        records, left_out = read(path)
        self.assertEqual([len(records), len(left_out)], [2, 1])
        self.assertEqual([r["bench"] for r in read(path, after=1)[0]], ["conversions"])

    def test_means_are_over_matrices_and_count_the_fastest(self):
        records = [record("copse", "csr5 plan", "a", 2, times_cusparse=2), record("cusparse", "csr 1", "a", 4, sets=4),
                   record("copse", "csr5 plan", "b", 2, times_cusparse=0.5), record("cusparse", "csr 1", "b", 1),
                   record("copse", "csr5 plan", "c", 1), record("cusparse", "csr 1", "c", 3),
                   record("copse", "csr5 plan", "d", None, fraction_of_copy=None)]
        text = gpu.comparison(records, "spmv", "Products")
        self.expect(text, "| copse csr5 plan | 3 | 1.00 | | 1000 | 0.50 | 2 |", "for 1 of 4 matrices")
        self.assertNotIn("by events", text)
        self.assertLess(text.index("copse"), text.index("cusparse csr 1"))
        self.assertEqual(gpu.comparison(records, "large", "Large"), "")

    def test_sums_have_times_by_both_clocks(self):
        records = sums({"copse hisparse host": 0.002}, event_seconds=0.0015)
        records += [Record(records[0], matrix="b", seconds=0.008)]
        self.expect(gpu.comparison(records, "addition", "Sums"), "| fastest on | ms | ms by events |",
                    "| 2 | 4.0000 | 1.5000 |")

    def test_products_with_columns_are_tables_of_their_own(self):
        records = race("a", {"copse hisparse plan": 2, "cusparse csr alg2": 4}, bench="columns8", op="spmm",
                       times_cusparse=2)
        text = gpu.summary(records)
        self.assertIn("## Products with 8 columns", text)
        self.assertIn("### A X, double", text)
        self.assertNotIn("32 columns", text)
        self.expect(text, "| copse hisparse plan | 1 | 2.00")

    def test_says_where_it_was(self):
        one = record("copse", "csr5 plan", "a", 2, gpu="Pretender", cusparse="12.6.3", copy_gbytes_per_second=2500)
        self.assertEqual(gpu.setting([one]), "Pretender: copies 2500 GB/s within its memory. cuSPARSE: 12.6.3.\n\n")
        self.assertEqual(gpu.setting([]), "")

    def test_says_of_how_many_matrices_means_are(self):
        """In float there was no time for a, then there was; large products and conversions never had any."""
        one = record("copse", "csr5 plan", "a", 2)
        measured = [one, Record(one, type="float"), Record(one, bench="large", op="add")]
        left_out = [measured[1], Record(one, bench="large"), Record(one, bench="conversions", op="convert")]
        text = gpu.left_out_matrices(measured, left_out)
        self.expect(text, "are of conversions: 0 of 1, large: 1 of 2.\n")
        self.assertEqual(gpu.left_out_matrices(measured, left_out[:1]), "")

    def test_failures_are_listed_but_not_refusals(self):
        records = [record("copse", "csr5 plan", "a", None, max_error=7),
                   record("copse", "sellp plan", "a", None, failure="too much padding", refused=True),
                   record("cusparse", "coo 1", "a", None, failure="not supported"), record("cusparse", "csr 1", "a", 1),
                   conversion("hisparse host", failure_behind="prune: in host\nmemory")]
        self.assertEqual(gpu.failures(records), "## Failures\n\n- copse csr5 plan, A x of a, double: wrong\n- hisparse "
                         "host, after the conversion of a, double: prune: in host memory\n\n")
        self.expect(gpu.failures(30 * records[:1]), "- and 10 more\n")
        self.assertEqual(gpu.failures(records[1:4]), "")

    def test_directions_and_plans(self):
        straight = race("a", {"copse hisparse plan": 2, "copse hisparse host": 5}, entries=30_000_000)
        turned = race("a", {"copse hisparse plan": 2, "copse hisparse host": 10}, entries=30_000_000, transpose=True)
        for r in (straight[0], turned[0]):
            r["mode"] = "plan"
        self.expect(gpu.plans(straight + turned), "| copse hisparse plan | double | 1.00 | |",
                    "| copse hisparse host | double | 0.50 | 3.54 |")  # of 5/2 and 10/2

    def test_controllers_by_matrix(self):
        records = race("rmat:3", {"copse hisparse persistent": 0.003, "copse hisparse host": 0.002,
                                  "copse hisparse device": 0.004, "copse hisparse plan": 0.001,
                                  "copse csr5 host": 0.001})
        records += race("rmat:3", {"copse hisparse device": 0.004}, transpose=True)
        self.expect(gpu.controllers(records), "| A x | spmv | rmat:3 | 3.0000 | 2.0000 | 4.0000 | host |",
                    "| A^T x | spmv | rmat:3 | | | 4.0000 | device |",
                    "Fastest: persistent 0 times, host 1 times, device 1 times.")

    def test_overhead_of_controllers(self):
        run = {"run_seconds": 0.002, "task_seconds": 0.016, "batches": 50, "launches": 10}
        records = [record("copse", "hisparse host", "a", 0.004, **run), record("copse", "hisparse plan", "a", 0.001),
                   record("copse", "hisparse host", "b", 0.001, run_seconds=0.0005, task_seconds=0.001, batches=30,
                          launches=0),
                   record("copse", "hisparse host", "c", 0.004, **run, bench="large"),
                   record("copse", "hisparse host", "d", 0.004, **run, bench="papers")]
        text = gpu.overhead(records)  # 2 and 1 ms; half of it; 8 and 2 blocks
        self.expect(text, "| A x | copse hisparse host | 2 | 2.0000 | 0.50 | 4.0 | 40 | 5 |",
                    "| A x, large | copse hisparse host | 1 | 4.0000 | 0.50 | 8.0 | 50 | 10 |")
        self.assertNotIn("plan", text)

    def test_memory_is_per_entry(self):
        one = record("cusparse", "csr 1", "a", 1, kept_bytes=200, prepare_peak_bytes=350, peak_bytes=0)
        self.expect(gpu.memory([one]), "| A x | cusparse csr 1 | 2.00 | 3.50 | |")

    def test_conversions_and_what_follows_them(self):
        text = gpu.conversions([conversion("csr5", net_products=2, back_seconds=6, peak_bytes=40, back_peak_bytes=50),
                                conversion("csr5", net_products=8)])
        self.expect(text, "| csr5 | double | 2 | 4.0 | 8.0 | 3.0 | 4.0 | 5.0 |")
        self.assertNotIn("compaction", text)
        text = gpu.conversions([
            conversion("hisparse host", values_peak_bytes=60, edit_peak_bytes=7, edit_seconds=1, prune_seconds=2,
                       prune_peak_bytes=90),
            conversion("hisparse host", prune_seconds=8, prune_peak_bytes=40, compact_seconds=4)])
        self.expect(text, "| hisparse host | double | new values | 0 | | 6.00 |\n"
                    "| hisparse host | double | edit | 1 | 0.250 | 0.70 |\n"
                    "| hisparse host | double | prune | 2 | 1.000 | 6.00 |\n"
                    "| hisparse host | double | compaction | 1 | 1.000 | |\n")

    def test_goals_of_products(self):
        large = race("stencil27:100", {
            "cusparse csr 1": 3, "cusparse coo 1": 2.6, "copse csr5 plan": 1, "copse hisparse plan": 2,
            "copse hisparse device": 7, "naive thread for each row": 0.1}, entries=30_000_000)
        turned = race("stencil27:100", {
            "cusparse csr 1, transpose": 22, "cusparse coo 1, transpose": 21, "cusparse csr2csc + csr 1": 3,
            "cusparse csr 1, preprocess, A^T stored": 1, "copse hisparse plan": 2.1}, transpose=True)
        small = race("rmat:3", {"cusparse csr 1": 1.6, "copse hisparse plan": 1, "copse hisparse device": 100})
        not_counted = [Record(small[0], seconds=0.001, type="float"), Record(small[0], seconds=0.001, bench="papers")]
        self.expect(gpu_goals.goals(large + turned + small + not_counted),
                    "| at least 1.30 | 2.04 | 2 | met |",  # of 2.6 and 1.6
                    "| at least 1.15 | 1.44 | 2 | met |",  # of 1.3 and 1.6
                    "| at least 0.85 | 0.50 | 1 | not met |",
                    "A^T x over A x, replays | at most 1.10 | 1.05 | 1 | met |",
                    "own transposed product over the replay | at least 5.00 | 10.00 | 1 | met |",
                    "| at most 3.00 | 3.50 | 1 | not met |",
                    "| A + B: csrgeam2's best time over ours | at least 4.00 | | 0 | not measured |")
        self.assertEqual(gpu_goals.goals([]), "")

    def test_goals_of_sums(self):
        records = sums({"cusparse csrgeam2": 10, "cusparse csrgeam2, memory there": 8.2, "copse hisparse host": 3,
                        "copse hisparse device": 2})
        records += sums({"cusparse csr2csc + csrgeam2": 10, "copse hisparse host": 2.2}, True, True)
        records += sums({"cusparse csr2csc + csrgeam2": 8, "cusparse csr2csc + csrgeam2, memory there": 6,
                         "cusparse csrgeam2, transposed stored": 0.5, "copse hisparse host": 1}, False, True)
        self.expect(gpu_goals.goals(records),
                    "| A + B: csrgeam2's best time over ours | at least 4.00 | 4.10 | 1 | met |",
                    "| A^T + B^T over A + B | at most 1.05 | 1.10 | 1 | not met |",
                    "| A + B^T: csr2csc and csrgeam2 over ours | at least 5.00 | 6.00 | 1 | met |")

    def test_goals_of_conversions_are_of_the_best_controller(self):
        records = [conversion("csr5", net_products=2), conversion("csr5", "b", net_products=8),
                   conversion("csr5", net_products=100, type="float"), conversion("cmrs", net_products=50),
                   conversion("cmrs unsorted", net_products=1.5), conversion("hisparse device", net_products=87),
                   conversion("hisparse host", net_products=9)]
        self.expect(gpu_goals.goals(records),
                    "| conversion to CSR5, in products of CSR | at most 3.00 | 4.00 | 2 | not met |",
                    "| conversion to CMRS, unsorted | at most 2.00 | 1.50 | 1 | met |",
                    "| conversion to HiSparse, the best controller | at most 10.00 | 9.00 | 1 | met |")

    def test_papers_have_mean_and_deviation(self):
        records = [record("copse", "hisparse plan", "a", 0.001, bench="papers", entries=16_917_053),
                   record("copse", "hisparse plan", "b", 0.005, bench="papers"),
                   record("copse", "hisparse plan", "a", 0.001, bench="papers", entries=16_917_053, transpose=True)]
        text = gpu_papers.tables(records)
        self.expect(text, "| here | double | copse hisparse plan | 3.00 (2.00) | 1.00 (0.00) | 2 of 14, up to 17 M "
                    "entries; 1 of 14, up to 17 M entries |", "Means over other matrices than the paper's",
                    "| paper | double | HiSparse | 4.68 (4.13) | 4.47 (4.62) | all of its own |")
        self.assertNotIn("Table 2", text)
        text = gpu_papers.tables([Record(records[0], matrix=str(i)) for i in range(14)])
        self.expect(text, "| copse hisparse plan | 1.00 (0.00) | | 14 of 14 |")
        self.assertNotIn("other matrices", text)

    def test_papers_sums_of_stored_transposes_stand_beside_the_others(self):
        text = gpu_papers.tables(sums({"cusparse csr2csc + csrgeam2": 0.006,
                                       "cusparse csrgeam2, transposed stored": 0.002}, True, True, bench="papers"))
        self.expect(text, "| here | double | cusparse csr2csc + csrgeam2 | | 6.00 (0.00) | 2.00 (0.00) | 1 of 14, up "
                    "to 1 M entries |")
        self.assertNotIn("transposed stored", text)

    def test_kernels_by_time_with_rates_weighted_by_it(self):
        kernel = '"void copse::detail::plain_kernel<copse::detail::a_task<double>>(T1, long)"'
        path = self.file(
            '"run: copse_spmv_gpu a"\n==PROF== Connected\n"ID","Kernel Name","gpu__time_duration.sum",'
            '"dram__bytes_read.sum","dram__bytes_write.sum","dram__throughput.avg.pct_of_peak_sustained_elapsed",'
            '"launch__registers_per_thread","l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",'
            '"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum","l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum",'
            '"l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum"\n"","","ns","byte","byte","%","register/thread","","","byte"'
            f',"byte"\n"0",{kernel},"1,000","3,000","1,000","80","40","100","20","64","0"\n'
            f'"1",{kernel},"3,000","0","0","40","40","300","30","0","8"\n'
            '"2","void slow(""x"")","5,000","0","0","1","8","0","0","0","0"\n"done: copse_spmv_gpu a"\n')
        text = gpu_kernels.kernels(path)
        self.expect(text, "| `plain_kernel<a_task<double>>` | 2 | 0.004 | 1 | 50 |", "| 12.5 | 72 | 40 |")
        self.assertLess(text.index('slow("x")'), text.index("plain"))

    def test_tables_of_each_matrix(self):
        records = race("b|c", {"copse csr5 plan": 0.002, "copse hisparse host": None}, kept_bytes=500,
                       prepare_peak_bytes=7000)
        records += [record("copse", "sellp plan", "b|c", None, failure="too much\npadding")]
        records += sums({"copse hisparse host": 2, "copse hisparse device": None}, b=True, event_seconds=0.0015, sets=4)
        records += [conversion("csr5", net_products=5, bytes=500, back_peak_bytes=2000, back_seconds=4),
                    conversion("cmrs", right=False),
                    conversion("hisparse host", prune_seconds=0.5, prune_peak_bytes=300, failure_behind="edit: no")]
        text = gpu_matrices.tables(records)
        self.expect(text, "### b\\|c, double\n\n10 x 10, 100 entries, 1 set of inputs\n",
                    "| A x | copse csr5 plan | 2.0000 | 1% | 500 | 1000 | 0.50 | | | 500 B | 7.00 kB | | 0.1 |",
                    "| A x | copse hisparse host WRONG |", "| A x | copse sellp plan too much padding |",
                    "4 sets of inputs", "| A + B^T | copse hisparse host | 2000.0000 | 1.5000 |",
                    "### conversions of a, double", "| csr5 | 5000.000 | 4000.000 | 5.0 | 2.0 | 500 B | | 2.00 kB |",
                    "| cmrs | WRONG |", "| hisparse host | prune | 500.000 | 300 B |",
                    "| hisparse host | edit: no | | |")
        for table in re.findall(r"(?:^\|.*\n)+", text.replace("\\|", ""), re.M):
            self.assertEqual(len({line.count("|") for line in table.splitlines()}), 1, table)


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not there")
class GpuPictures(unittest.TestCase):
    def test_products_beside_cusparse(self):
        import gpu_pictures
        records = []
        for matrix in ("rmat:3", "dense:4"):
            records += race(matrix, {"copse hisparse plan": 0.002, "cusparse csr 1": 0.004},
                            copy_gbytes_per_second=3000, gpu="Pretender")
        records += race("qcd:4", {"copse hisparse plan": 0.002})  # without cuSPARSE no ratio
        with tempfile.TemporaryDirectory() as folder:
            gpu_pictures.save(records, folder)
            self.assertEqual(os.listdir(folder), ["gpu_products.svg"])  # there are no sums
            with open(os.path.join(folder, "gpu_products.svg"), encoding="utf-8") as file:
                text = file.read()
        for part in ("rmat:3", "dense:4", "HiSparse, plan", "Products in double on Pretender", "bandwidth of a copy"):
            self.assertIn(part, text)
        for part in ("qcd:4", "CSR5", "Aᵀ x"):
            self.assertNotIn(part, text)


if __name__ == "__main__":
    unittest.main()
