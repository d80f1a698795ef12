#!/bin/sh
# bench/load, small: a hundred tasks on a thousand arrays. Judged by what the arrays hold and by counts, not by times: no update is lost, no read sees
# what it must not, every task gets on, and nothing is left over.
. "$(dirname "$0")/common.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/baton-load.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
load="$build/bench/load"

# More operations at a time than streams, and streams that nobody shares.
for streams in 16 100; do
    timeout 250 "$load" --driver soft --tasks 100 --arrays 1000 --streams $streams --operations 10000 --seed $streams --json "$work/load.json" \
        >"$work/output" 2>&1 || problem "$streams streams: exit status $?: $(cat "$work/output")"
    grep -q '^every promise was kept$' "$work/output" || problem "$streams streams: $(cat "$work/output")"
    ! command -v python3 >/dev/null || python3 -m json.tool "$work/load.json" /dev/null || problem 'the JSON is none'
done

status=0
"$load" --tasks none >"$work/output" 2>&1 || status=$?
[ $status -eq 2 ] || problem "a wrong option: exit status $status"
finish
