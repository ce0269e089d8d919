"""compile_fail.py COMPILER INCLUDE FOLDER WORK: the folder's programs must not compile, and what the compiler says of
each is one error, which the program's first line quotes.

They are compiled as one source, which reads the headers once: each in a namespace of its own, for cpu and emulated by
turns, since what is refused is code that both share. Two programs that misuse one template with the same types would
share the error: each has types of its own.
"""
import pathlib
import re
import subprocess
import sys


def joined(programs):
    """The source of all programs. What they include beside their prelude stands in front of the namespaces."""
    headers, bodies = ['#include "prelude.hpp"'], []
    for number, program in enumerate(programs):
        headers += re.findall(r"^#include <.*$", program.read_text(), re.MULTILINE)
        bodies += ["#undef EXECUTOR", f"#define EXECUTOR {('cpu', 'emulated')[number % 2]}",
                   f"namespace {program.stem} {{", f'#include "{program}"', "}"]
    return "\n".join(headers + bodies) + "\n"


def faults_in(output, programs):
    """What is wrong with the compiler's output: it is to hold each program's error once, and no other."""
    awaited = {program: program.read_text().splitlines()[0].removeprefix("// ") for program in programs}
    said = {program: [] for program in programs}
    culprit = None
    # g++ names the program, "PROGRAM:12:3: required from here", before the error, clang behind it.
    lines = output.splitlines()
    for line in lines if "required from here" in output else reversed(lines):
        named = [program for program in programs if line.startswith(f"{program}:")]
        culprit = named[0] if named else culprit
        if "error: " in line:
            if culprit is None:
                yield f"an error of no program: {line}"
            else:
                said[culprit].append(line)
    for program, errors in said.items():
        if not errors:
            yield f"{program} compiles, but it must not: {awaited[program]}"
        elif len(errors) > 1:
            yield f"{program}: {len(errors)} errors where one is enough"
        elif awaited[program] not in errors[0]:
            yield f"{program}: the compiler does not say '{awaited[program]}', but {errors[0]}"


def main(compiler, include, folder, work):
    programs = sorted(pathlib.Path(folder).glob("*.cpp"))
    if not programs:
        return f"no programs in {folder}"
    source = pathlib.Path(work) / "all.cpp"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(joined(programs))
    all_errors = "-ferror-limit=0" if "clang" in compiler else "-fmax-errors=0"
    command = [compiler, "-std=c++20", "-fsyntax-only", all_errors, f"-I{include}", f"-I{folder}", str(source)]
    output = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    faults = list(faults_in(output, programs))
    return "\n".join([output, *faults]) if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
