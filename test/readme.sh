#!/bin/sh
# The program in README is examples/first.c, is short, and prints what README says.
. "$(dirname "$0")/common.sh"
sources_only
block() { awk -v want="$1" '/^```/ { inside = !inside; if (inside) number++; next } inside && number == want' "$top/README"; }
number_of() { awk -v kind="$1" '/^```/ { inside = !inside; if (inside) { number++; if ($0 == "```" kind) { print number; exit } } }' "$top/README"; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

block "$(number_of c)" >"$work/first.c"
cmp "$work/first.c" "$top/examples/first.c" || problem 'the program in README differs from examples/first.c'
[ "$(wc -l <"$top/examples/first.c")" -le 25 ] || problem 'examples/first.c is longer than 25 lines'

block "$(number_of text)" >"$work/expected"
[ -s "$work/expected" ] || problem 'README does not show what the program prints'
# What it holds at its end, it leaves to the process.
ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=report_thread_leaks=0 "$build/examples/first" >"$work/printed" || problem "examples/first exits with $?"
diff "$work/expected" "$work/printed" || problem 'examples/first prints something else than README says'
finish
