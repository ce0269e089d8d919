#!/usr/bin/env bash
# Runs nvcc, and keeps what ptxas says of each kernel (registers, spills, stack) beside the object file, as FILE.ptxas.
# CMake puts this in front of the compiler's command.
object=
for ((i = 1; i < $#; ++i)); do
    next=$((i + 1))
    [[ "${!i}" == -o ]] && object="${!next}"
done
report="$(mktemp)" || exit 1
trap 'rm -f "$report"' EXIT
"$@" -Xptxas=-v 2>"$report"
status=$?
grep -v '^ptxas info\|^ *[0-9]* bytes stack frame\|^ *[0-9]* bytes gmem' "$report" >&2
((status != 0)) || grep 'Function properties\|stack frame\|Used\|Compiling entry' "$report" >"$object.ptxas"
exit $status
