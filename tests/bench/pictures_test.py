"""bench/report's pictures of lines with times made up. They are skipped without matplotlib."""

import tempfile
import unittest
from pathlib import Path

from report_lines import RUN, products, run_of, sum_of

try:
    import pictures
except ImportError as missing:
    raise unittest.SkipTest(f"{missing.name} is not there (Debian: python3-{missing.name})")


class Pictures(unittest.TestCase):
    def test_a_dot_for_each_competitor_and_no_line_between_matrices(self):
        figure = dict(pictures.of(run_of([RUN, *products()])))["spmv-double"]
        plain = figure.axes[0]
        self.assertEqual([t.get_text() for t in plain.get_yticklabels()], ["full", "loose"])  # the fullest first
        dots = [line for line in plain.lines if line.get_marker() in "oD"]
        self.assertEqual(len(dots), 8)  # who was wrong is left out
        self.assertTrue(all(len(line.get_xdata()) == 1 for line in dots))
        speeds = sorted(round(float(line.get_xdata()[0]), 3) for line in dots)
        self.assertEqual(speeds, [0.8, 0.8, 1, 1, 2, 4, 6, 12])

    def test_the_ceiling_is_that_of_csrs_bytes(self):
        # CSR moves 2 GB; eigen, the fastest peer, takes 4 s and 12 s; the triad moves 20 GB/s. The axis ends at 55.
        axes = dict(pictures.of(run_of([RUN, *products()])))["spmv-double"].axes[0]
        across = [line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 2 and line.get_alpha()]
        beyond = [line.get_ydata()[0] for line in axes.lines if line.get_marker() == ">"]
        self.assertEqual((across, beyond), ([40], [1]))

    def test_one_colour_for_a_library_in_all_pictures(self):
        colors = list(pictures.COLORS.values())
        self.assertEqual(len(colors), len(set(colors)))
        lines = [RUN, *products(), sum_of("a", "csr", 1), sum_of("a", "hisparse", 2), sum_of("a", "eigen", 4)]
        of_hisparse = set()
        for _, figure in pictures.of(run_of(lines)):
            for axes in figure.axes:
                of_hisparse |= {line.get_markeredgecolor() for line in axes.lines if line.get_markersize() == 8}
        self.assertEqual(of_hisparse, {pictures.COLORS[f] for f in ["hisparse", "csr", "csr-of-transpose"]})

    def test_files_have_the_names_of_what_they_show(self):
        size = {"op": "sizes", "matrix": "a<b & c", "type": "float", "entries": 3, "node_dimension": 128, "goals": [
            {"limit_bytes_per_entry": 14, "met": False}], "formats": [
            {"format": "csr", "bytes_per_entry": 8.0}, {"format": "hisparse", "node_dimension": 128,
                                                        "bytes_per_entry": 5.0}]}
        with tempfile.TemporaryDirectory() as folder:
            pictures.write(run_of([RUN, *products(), sum_of("a", "csr", 1), size]), Path(folder))
            self.assertEqual(sorted(file.name for file in Path(folder).iterdir()),
                             ["add-double.svg", "sizes.svg", "spmv-double.svg"])
            self.assertIn("a&lt;b &amp; c", Path(folder, "sizes.svg").read_text())


if __name__ == "__main__":
    unittest.main()
