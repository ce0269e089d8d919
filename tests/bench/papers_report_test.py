"""Tests of bench/report's tables for the papers' matrices."""

import unittest

from report_lines import RUN, product, row, run_of

import papers


class Papers(unittest.TestCase):
    def lines(self, paper, id, name, csr5_seconds=0.005, entries=10_000_000):
        head = {"matrix": f"{name} (stand-in)", "type": "double"}

        def of(format, seconds, **more):
            return product(head["matrix"], False, format, seconds, rows=10 ** 6, cols=10 ** 6, entries=10 ** 7,
                           gflops=0.02 / seconds) | more

        scenario = head | {"op": "scenario", "format": "csr5", "on": "cpu", "controller": None, "mode": "oneshot",
                           "conversion_in_products": 5.0, "speedup_50": 0.5 / (0.05 + 50 * csr5_seconds),
                           "speedup_500": 5 / (0.05 + 500 * csr5_seconds)}
        model = head | {"op": "cmrs-model", "format": "cmrs", "on": "cpu", "controller": None, "mode": "oneshot",
                        "height": 16, "row_entries": 10.0, "bytes_per_byte": 1.04, "expected_speedup": 1.71,
                        "eta_minus": 1.3, "eta_plus": 0.85}
        sigma = head | {"op": "sigma", "on": "cpu", "rule": 16, "best": 32, "loss": 0.2,
                        "relative_seconds": {"16": 1, "8": 1.5, "32": 0.8}}
        matrix = head | {"op": "paper-matrix", "paper": paper, "id": id, "name": name, "entries": entries,
                         "stand_in": "blocks near the diagonal",
                         "row_entries": {"minimum": 1, "mean": 10.0, "maximum": 20}}
        return [matrix, of("csr", 0.01), of("csr5", csr5_seconds), of("cmrs", 0.008), scenario, model, sigma]

    def texts(self, lines):
        return "\n".join(papers.summary(run_of([RUN, *lines])))

    def test_csr5s_tables(self):
        lines = [*self.lines("csr5", "r1", "Dense"), *self.lines("csr5", "r2", "Protein", 0.009),
                 *self.lines("csr5", "i1", "Webbase"), {"op": "note", "text": "some: padding"}]
        text = self.texts(lines)
        self.assertEqual(row(text, "r1", "Dense")[2:], ["blocks near the diagonal", "double", "cpu", "1,000,000",
                                                        "1,000,000", "10,000,000", "1", "10.0", "20", "2.00", "4.00",
                                                        "-", "2.50", "2.00x"])
        self.assertEqual(row(text, "r1 Dense"), ["r1 Dense", "double", "cpu", "csr5", "5.00x", "1.67x", "1.96x"])
        self.assertEqual(row(text, "2 regular, mean, best")[4:6], ["5.00x", "1.33x, 1.67x"])
        self.assertEqual(row(text, "1 irregular, mean, best")[5], "1.67x, 1.67x")
        self.assertEqual(row(text, "the paper's 14 regular, mean, best")[2:6], ["2 Xeon E5-2667", "csr5", "6.14x",
                                                                               "0.52x, 0.74x"])
        self.assertEqual(row(text, "r1", "16", "32"), ["r1", "Dense", "double", "cpu", "16", "32", "20.0 %", "1.50",
                                                       "rule", "0.80"])
        self.assertIn("mean loss on the cpu: 20.0 %; the paper's on a GTX 980: 4.2 %\n", text)
        self.assertIn("- some: padding\n", text)
        self.assertNotIn("SELL-P's Tables", text)

    def test_sellps_table_has_the_papers_figures(self):
        text = self.texts(self.lines("sellp", "", "CANT", entries=4_007_383))
        # 2 x 4,007,383 / 1.48e-3, 3.44e-4, 5.51e-4, 3.94e-4 s
        self.assertEqual(row(text, "CANT", "23.30")[-5:], ["-", "5.42", "23.30", "14.55", "20.34"])

    def test_cmrs_table_marks_the_papers_own(self):
        text = self.texts(self.lines("cmrs", "", "p7"))
        self.assertEqual(row(text, "p7 *"), ["p7 *", "double", "cpu", "16", "10.0", "1.04", "1.71x", "1.25x", "2.50",
                                             "1.30", "0.85", "0.09", "0.09"])

    def test_a_wrong_result_is_shown(self):
        lines = self.lines("csr5", "r9", "FEM/Ship")
        lines[2]["max_error"] = 7
        self.assertEqual(row(self.texts(lines), "r9", "FEM/Ship")[12], "WRONG by 7 bounds")


if __name__ == "__main__":
    unittest.main()
