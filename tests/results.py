#!/usr/bin/env python3
"""What the tests of one run of ctest said.

    tests/results.py JUNIT REPORTS

JUNIT is ctest's report. REPORTS is the folder where processes that ran a whole suite have left GoogleTest's own report
(cmake/copse_list_suites.cmake), by the name of ctest's test; it need not be there. Prints a line for each test, which
are those of the suite where there is such a report:

    passed|failed|skipped NAME
    reason WHY                    of a test that was skipped
"""

import pathlib
import sys
import xml.etree.ElementTree as xml


def of_suite(report):
    """(result, name, reason) of each test in a report by GoogleTest."""
    for case in xml.parse(report).getroot().iter("testcase"):
        if case.get("status") != "run":
            continue
        name = f"{case.get('classname')}.{case.get('name')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None:
            yield "failed", name, None
        elif skipped is not None:
            yield "skipped", name, (skipped.get("message") or "").partition("\n")[2]
        else:
            yield "passed", name, None


def of_process(case):
    """(result, name, reason) of a test of ctest. What could not be started has failed; only a test that said so itself
    was skipped."""
    name, status, skipped = case.get("name"), case.get("status"), case.find("skipped")
    if status == "run":
        return "passed", name, None
    if status == "disabled" or (skipped is not None and (skipped.get("message") or "").startswith("SKIP_")):
        lines = (case.findtext("system-out") or "").splitlines()
        said = [after for line, after in zip(lines, lines[1:]) if line.endswith(": Skipped")]
        return "skipped", name, next((line for line in said if line and not line.startswith("[")), None)
    return "failed", name, None


def results(junit, reports):
    for case in xml.parse(junit).getroot().iter("testcase"):
        process = of_process(case)
        report = reports / f"{process[1]}.xml"
        tests = list(of_suite(report)) if report.exists() else []
        yield from tests
        # A process may fail when its tests have passed: memory that leaked, a crash at its end.
        if not tests or (process[0] == "failed" and all(result != "failed" for result, _, _ in tests)):
            yield process


def main():
    for result, name, reason in results(sys.argv[1], pathlib.Path(sys.argv[2])):
        print(result, name)
        if reason:
            print("reason", reason)


if __name__ == "__main__":
    main()
