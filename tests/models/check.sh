#!/usr/bin/env bash
# Lets SPIN check queue.pml: tests/models/check.sh [--trail] holds|ends|deadlock|PROPERTY FLAGS...
#
#   holds      no property fails, and no run is stuck
#   ends       no run goes on for ever
#   deadlock   a run that is stuck must be found
#   PROPERTY   a step at which this one fails must be found; queue.pml lists the properties
#   --trail    then prints the steps that lead to the error
#
# FLAGS are macros of queue.pml, as -DFITS. Exit status 0: it is as expected.
set -euo pipefail
model="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/queue.pml"
trail=no
[[ "${1-}" != --trail ]] || { trail=yes && shift; }
(($# > 1)) || { sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2 && exit 2; }
expected="$1"
shift

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
spin "$@" -a "$model" >spin.log || { cat spin.log && exit 2; }

kind=-DSAFETY
search=()
[[ "$expected" != ends ]] || { kind=-DNP && search=(-l); }
# Without -O: gcc would take longer than the search.
gcc -w "$kind" -DNOFAIR -DMEMLIM=1000 -o pan pan.c
# -b: a run longer than -m steps is an error, too. -n: no list of steps that were not reached.
./pan -b -n -m20000 -w20 "${search[@]}" >pan.log 2>&1 || true

found="$(sed -n 's/^pan:[0-9]*: \(.*\) (at depth.*/\1/p' pan.log)"
case "$found" in
    "assertion violated  !("*) found="${found#*!(}" && found="${found%)}" ;;
    "invalid end state") found=deadlock ;;
    "") grep -q 'errors: 0' pan.log && ! grep -q 'Search not completed' pan.log && found=none ;;
esac
grep -E 'errors:|states, stored|total actual memory' pan.log || cat pan.log
[[ "$trail" == no ]] || spin "$@" -t -p -g -k queue.pml.trail "$model"
[[ "$expected" != holds && "$expected" != ends ]] || expected=none
echo "found: ${found:-an incomplete search}; expected: $expected"
[[ "$found" == "$expected" ]]
