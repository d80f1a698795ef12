#!/bin/sh
# The shared library exports exactly the functions that baton_ffi.h declares.
. "$(dirname "$0")/common.sh"
command -v nm >/dev/null || skip 'nm is missing'
library=$build/.libs/libbaton.so
[ -f "$library" ] || { echo "$library is missing"; exit 1; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

declared_functions >"$work/declared"
[ "$(wc -l <"$work/declared")" -ge 60 ] || problem 'fewer than 60 declarations found: this script no longer understands the header'
nm -D --defined-only "$library" | awk '$3 ~ /^BATON_1(@|$)/ { next } { sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/exported"
if [ "$SANITIZE" = yes ]; then
    grep '^baton_' "$work/exported" >"$work/own" && mv "$work/own" "$work/exported"
fi
comm -23 "$work/declared" "$work/exported" | while read -r name; do echo "declared, not exported: $name"; done
comm -13 "$work/declared" "$work/exported" | while read -r name; do echo "exported, not declared: $name"; done
cmp -s "$work/declared" "$work/exported" || problem 'the symbols differ'

nm -D --undefined-only "$library" | grep -E ' (cu[A-Z]|abort|exit|_exit|__assert_fail|perror|puts|printf|__printf_chk|__fprintf_chk|fprintf)(@|$)' >"$work/unwanted" || :
# What the compiler adds for sanitizers and coverage calls what it likes.
[ "$SANITIZE" = yes ] || nm "$library" | grep -q gcov || while read -r _ name; do problem "the library must not call $name"; done <"$work/unwanted"
finish
