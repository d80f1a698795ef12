#!/bin/sh
# A slice of the simulated programs, in which nothing may be found. And the simulation itself: when the driver ignores a wait, it finds that, shrinks the
# program, and prints C that compiles and fails for that reason alone.
. "$(dirname "$0")/common.sh"
: "${BATON_FLAGS:=}"
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
simulate=$build/test/simulate/simulate
seeds=3000
[ "$SANITIZE" = no ] || seeds=300
case $BATON_FLAGS in *=thread*) seeds=100 ;; esac
[ -z "${BATON_TEST_SEED:-}" ] || from="--seed $BATON_TEST_SEED"

# shellcheck disable=SC2086
"$simulate" --seeds $seeds ${from:-} --out "$work/found.c" >"$work/said" 2>&1 || problem "$(cat "$work/said" "$work/found.c" 2>/dev/null)"
cat "$work/said"

# Programs that found something once, as long as what is drawn stays what it is: the last of them only this way.
for found in 9568:12 1064307:12 2001378:0 3003487:12 2001438:0; do
    "$simulate" --seed ${found%:*} --seeds 1 --faults ${found#*:} --out "$work/found.c" >"$work/said" 2>&1 || problem "$(cat "$work/said" "$work/found.c" 2>/dev/null)"
done

compile() { # the program from the C file
    # shellcheck disable=SC2086
    $CC -std=c11 -D_GNU_SOURCE $BATON_FLAGS -pthread -Wall -Wextra -I"$top/include" -I"$top/lib" -I"$top/test/simulate" "$2" \
        "$top/test/simulate/foreign.c" "$top/test/simulate/stage.c" "$top/test/simulate/turns.c" "$build/.libs/libbaton_internal.a" -ldl -lm -o "$1" 2>&1
}

# finds NAME OPTION...: NAME.c fails, and does not when the driver keeps to its waits.
finds() {
    name=$1; shift
    ! "$simulate" --seeds 400 --faults 0 --drop-wait 2 --out "$work/$name.c" "$@" >"$work/$name.said" 2>&1 || problem "$name: waits that are ignored are not noticed"
    cat "$work/$name.said"
    grep -q 'not ordered' "$work/$name.said" || problem "$name: something else was found"
    output=$(compile "$work/$name" "$work/$name.c") || { problem "$name: what is printed does not compile: $output"; return; }
    ! output=$("$work/$name") || problem "$name: what is printed does not fail"
    case $output in *'not ordered'*) ;; *) problem "$name: what is printed fails otherwise: $output" ;; esac
    grep -v 'the driver ignores waits' "$work/$name.c" >"$work/$name-right.c"
    output=$(compile "$work/$name-right" "$work/$name-right.c") || problem "$name: $output"
    output=$("$work/$name-right") || problem "$name: what is printed also fails when no wait is ignored: $output"
}

finds shrunk
calls=$(grep -c '^    may(' "$work/shrunk.c") || :
[ "$calls" -le 16 ] || problem "a program that shows an ignored wait still has $calls calls"
finds whole --shrink 0
grep -q turns_run "$work/whole.c" || problem 'the program that is printed as it was drawn has one task only: nothing is shown about turns'
finish
