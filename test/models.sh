#!/bin/sh
# The models in test/spin in every interleaving. Each has lines in its first comment:
#     run: FLAGS COMMENT      no assertion fails, and nothing is stuck at the end; all runs together reach every line
#     more: FLAGS COMMENT     the same, for minutes: only with MODELS_MORE set
#     live: FLAGS             no cycle in which nothing gets on, when each process that can go on does so at some time
#     break: MACRO FLAGS      this change is found by what `run` looks at; endless: by what `live` looks at
. "$(dirname "$0")/common.sh"
[ "$QUICK" = no ] || skip 'the sources are the same in every build'
command -v spin >/dev/null || skip 'spin is missing'
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"

# check FLAGS COMPILED SEARCH: of $model; what the checker says is in `output`.
check() {
    # shellcheck disable=SC2086
    spin -a $1 "$model" >output 2>&1 && $CC -O0 -w -DMEMLIM=4000 $2 -o pan pan.c >>output 2>&1 && ./pan $3 -m20000 -w20 >>output 2>&1 ||
        { problem "$name $1: $(tail -n 5 output)"; return 1; }
}

complete() {
    grep -q ', errors: 0$' output || problem "$name $1: $(sed -n 's/^pan:1: //p' output)"
    ! grep -qE 'max search depth too small|Search not completed' output || problem "$name $1: not every state was seen"
    printf '%-9s %-44s %s states\n' "$name" "$1" "$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' output)"
}

# Notes which lines there are, and which were reached: a state that the checker lists as unreached was not.
note_lines() {
    ./pan -d | awk '/^proctype/ { process = $2 } match($0, /[a-z]+\.pml:[0-9]+/) { print process, $2, substr($0, RSTART, RLENGTH) }' | sort >there
    awk '/^unreached in/ { process = $NF } match($0, /[a-z]+\.pml:[0-9]+, state [0-9]+/) {
        split(substr($0, RSTART, RLENGTH), part, /, state /); print process, part[2], part[1] }' output | sort >missed
    cut -d ' ' -f 3 there >>lines
    comm -23 there missed | cut -d ' ' -f 3 >>reached
}

holds() {
    check "$1" -DSAFETY '' || return 0
    complete "$1"
    note_lines
}

found() {   # MACRO FLAGS
    grep -qE ', errors: [1-9]' output || { problem "$name $1 $2: not caught"; return 0; }
    printf '%-9s %-44s caught: %s\n' "$name" "$1" "$(sed -n 's/^pan:1: \(.*\) (at depth.*/\1/p' output)"
}

lines() { sed -n "s/^ \* $1: *//p" "$model"; }
flags() { echo "$1" | grep -oE '(^| )-D[A-Z_]+(=[0-9]+)?' | tr -d '\n'; }

for model in ${MODELS:-"$top"/test/spin/*.pml}; do
    name=$(basename "$model" .pml)
    : >lines; : >reached
    lines run >todo
    [ -z "${MODELS_MORE:-}" ] || lines more >>todo
    while read -r line; do holds "$(flags "$line")"; done <todo
    sort -u lines >there; sort -u reached | comm -23 there - >missed
    [ ! -s missed ] || problem "never reached:" $(cat missed)
    lines live >todo
    while read -r line; do ! check "$(flags "$line")" -DNP '-l -f' || complete "$(flags "$line") live"; done <todo
    lines break >todo
    while read -r macro line; do ! check "-D$macro $(flags "$line")" -DSAFETY '' || found "$macro" "$line"; done <todo
    lines endless >todo
    while read -r macro line; do ! check "-D$macro $(flags "$line")" -DNP '-l -f' || found "$macro" "$line"; done <todo
    for macro in $(grep -oE '\(?BREAK_[A-Z_]+' "$model" | tr -d '(' | sort -u); do
        grep -qE "^ \* (break|endless): *$macro( |\$)" "$model" || problem "$name: nobody looks whether $macro is caught"
    done
done
finish
