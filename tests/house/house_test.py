#!/usr/bin/env python3
"""house.py sees each kind of break, by small checkouts that have it."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HOUSE = pathlib.Path(__file__).with_name("house.py")

SOUND = {
    "runtime/task.hpp": "#include <copse/runtime/scheduler/ring.hpp>\n"
                        "namespace copse {\nnamespace detail {\nring* first();\n}\n"
                        "class task {\n  public:\n    int size() const { return detail::first() != nullptr; }\n"
                        "  private:\n    detail::ring* ring_;\n};\n}\n",
    "runtime/scheduler/ring.hpp": "namespace copse::detail {\nstruct ring {};\n}\n",
    "algebra/spmv.hpp": "#include <copse/runtime/task.hpp>\n",
    "algebra/products/spmv.cpp": "#include <copse/algebra/spmv.hpp>\n",
    "cli/main.cpp": "#include <copse/algebra/spmv.hpp>\n",
}


def run(changes, *arguments):
    with tempfile.TemporaryDirectory() as root:
        for name, text in {**SOUND, **changes}.items():
            path = pathlib.Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, HOUSE, "--root", root, *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()


class breaks(unittest.TestCase):
    def expect(self, changes, line):
        self.assertEqual(run(changes), (1, [line]))

    def test_a_sound_house_has_none(self):
        self.assertEqual(run({}), (0, ["5 files keep the rules"]))

    def test_order(self):
        self.expect({"runtime/queue.hpp": "#include <copse/algebra/spmv.hpp>\n"},
                    "order: runtime/queue.hpp includes <copse/algebra/spmv.hpp>, and runtime/ stands below algebra/")

    def test_circle(self):
        self.expect({"runtime/scheduler/ring.hpp": "#include <copse/runtime/task.hpp>\n"},
                    "circle: runtime/scheduler/ring.hpp -> runtime/task.hpp -> runtime/scheduler/ring.hpp")

    def test_door(self):
        self.expect({"examples/a.cpp": "#include <copse/runtime/scheduler/ring.hpp>\n"},
                    "door: examples/a.cpp includes <copse/runtime/scheduler/ring.hpp>, "
                    "which is nobody's but runtime/'s own")

    def test_shelf(self):
        self.expect({"formats/csr.cpp": ""},
                    "shelf: formats/csr.cpp is no header: it belongs into a folder of formats/")

    def test_piece(self):
        ring = SOUND["runtime/scheduler/ring.hpp"]
        alone = {"runtime/scheduler/slot.hpp": ring,
                 "runtime/scheduler/queue.cpp": "#include <copse/runtime/scheduler/slot.hpp>\n"}
        self.expect(alone, "piece: only runtime/scheduler/queue.cpp includes runtime/scheduler/slot.hpp: make it a "
                           "part of that file; both have 4 lines")
        for changes in ({"tests/slot_test.cpp": "#include <copse/runtime/scheduler/slot.hpp>\n"},  # two users
                        {"runtime/scheduler/queue.cpp": alone["runtime/scheduler/queue.cpp"] + "\n" * 397},  # too long
                        {"runtime/scheduler/slot.hpp": "", "runtime/scheduler/worker.hpp": ring,
                         "runtime/scheduler/queue.cpp": "#include <copse/runtime/scheduler/worker.hpp>\n"}):
            self.assertEqual(run({**alone, **changes})[0], 0)

    def test_length(self):
        self.assertEqual(run({"cpu/reference.hpp": "\n" * 400})[0], 0)
        self.expect({"cpu/reference.hpp": "\n" * 401},
                    "length: cpu/reference.hpp has 401 lines; a file of the library is to have at most 400")

    def test_missing(self):
        self.expect({"cpu/reference.hpp": "#include <copse/formats/csr.hpp>\n"},
                    "missing: cpu/reference.hpp includes <copse/formats/csr.hpp>, which is not there")

    def test_named(self):
        for sound in ("// task.hpp, scheduler/ring.hpp, runtime/task.hpp, copse/runtime/task.hpp, <name>_leaf.hpp\n",
                      '//   #include "mine.hpp"\n#include <vector.hpp>\n'):
            self.assertEqual(run({"cpu/reference.hpp": sound})[0], 0)
        self.expect({"cpu/reference.hpp": "// as ring.hpp and queue/ring.hpp have it\n"},
                    "named: cpu/reference.hpp names queue/ring.hpp, which is not there")
        self.expect({"docs/a.md": "(`tasks.hpp`)\n"}, "named: docs/a.md names tasks.hpp, which is not there")

    def test_sign(self):
        self.assertEqual(run({"cpu/README.md": "a line\n" * 30})[0], 0)
        self.expect({"cpu/README.md": "a line\n" * 31}, "sign: cpu/README.md has 31 lines; it is to have at most 30")

    def test_width(self):
        self.assertEqual(run({"cpu/reference.hpp": "// " + 117 * "a" + "\n"})[0], 0)
        self.expect({"cpu/reference.hpp": "\n// " + 118 * "a" + "\n"},
                    "width: cpu/reference.hpp:2 has 121 columns; a line is to have at most 120")
        for name in "README.md", "cmake/a.cmake", "bench/CMakeLists.txt", "python/a.py":
            self.expect({name: 121 * "a"}, f"width: {name}:1 has 121 columns; a line is to have at most 120")
        self.expect({"bench/run": "#!/bin/sh\n" + 121 * "a"},
                    "width: bench/run:2 has 121 columns; a line is to have at most 120")
        self.assertEqual(run({"README.md": "| a | b |\n|---|---|\n| " + 121 * "a" + " | b |"})[0], 0)

    def test_contract(self):
        self.expect({"runtime/report.hpp": "namespace copse {\nclass report {\n  public:\n"
                                           "    // what it keeps\n    detail::ring const& kept() const;\n};\n}\n"},
                    "contract: runtime/report.hpp:5 names detail:: in what it declares: "
                    "detail::ring const& kept() const")

    def test_counts(self):
        status, lines = run({}, "--counts")
        self.assertEqual(status, 0)
        self.assertIn("     2 headers at a door, of 3 in the library", lines)

    def test_no_house(self):
        with tempfile.TemporaryDirectory() as root:
            done = subprocess.run([sys.executable, HOUSE, "--root", root], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no rooms", done.stderr)


if __name__ == "__main__":
    unittest.main()
