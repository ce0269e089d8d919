"""What results.py reads off the reports of ctest and of GoogleTest. Run by ctest with unittest."""

import pathlib
import tempfile
import unittest

import results


def suite(*cases):
    return f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>"


def case(name, inside="", status="run"):
    return f'<testcase name="{name}" classname="s" status="{status}">{inside}</testcase>'


class Results(unittest.TestCase):
    def read(self, junit, **reports):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "junit.xml").write_text(f"<testsuite>{''.join(junit)}</testsuite>")
            for name, text in reports.items():
                (folder / f"{name}.xml").write_text(text)
            return list(results.results(folder / "junit.xml", folder))

    def test_tests_of_ctest(self):
        skipped = ('<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>'
                   "<system-out>[ RUN ] s.b\na.cpp:3: Skipped\nno GPU\n</system-out>")
        self.assertEqual(
            self.read([case("a"), case("b", skipped, "notrun"), case("c", "<failure/>", "fail"),
                       case("d", '<skipped message="Unable to find executable"/>', "notrun"),
                       case("e", status="disabled")]),
            [("passed", "a", None), ("skipped", "b", "no GPU"), ("failed", "c", None), ("failed", "d", None),
             ("skipped", "e", None)])

    def test_a_suite_counts_its_tests(self):
        report = suite(case("one"), case("two", "<failure/>"), case("three", '<skipped message="a.cpp:3&#x0A;why"/>'),
                       case("out", status="notrun"))
        self.assertEqual(self.read([case("of", "<failure/>", "fail")], of=report),
                         [("passed", "s.one", None), ("failed", "s.two", None), ("skipped", "s.three", "why")])

    def test_a_process_that_fails_behind_its_tests_has_failed(self):
        self.assertEqual(self.read([case("of", "<failure/>", "fail")], of=suite(case("one"))),
                         [("passed", "s.one", None), ("failed", "of", None)])

    def test_a_process_that_leaves_no_report_has_failed(self):
        self.assertEqual(self.read([case("of", "<failure/>", "fail")]), [("failed", "of", None)])


if __name__ == "__main__":
    unittest.main()
