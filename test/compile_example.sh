#!/bin/sh
# examples/compile says that its results are right: on the software device, or on the driver that BATON_DRIVER names.
. "$(dirname "$0")/common.sh"
: "${BATON_DRIVER:=soft}"; export BATON_DRIVER
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
BATON_CACHE_DIR=$work/cache; export BATON_CACHE_DIR
"$build/examples/compile" >"$work/printed" 2>&1 || problem "examples/compile exits with $?"
[ "$(cat "$work/printed")" = '0 of 1000 wrong' ] || problem "examples/compile prints: $(cat "$work/printed")"
finish
