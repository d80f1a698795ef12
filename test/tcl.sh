#!/bin/sh
# The Tcl binding, the example of doc/embedding.md, shows the behaviours that every binding has.
. "$(dirname "$0")/common.sh"
binding=$top/bindings/tcl
command -v tclsh >/dev/null 2>&1 || skip 'tclsh is missing (Debian: tcl)'
[ "$SANITIZE" = no ] || skip 'tclsh is not built with the sanitizers'
config=$(echo /usr/lib/*/tclConfig.sh /usr/lib/tclConfig.sh | tr ' ' '\n' | while read -r file; do [ ! -f "$file" ] || echo "$file"; done | head -n 1)
[ -n "$config" ] || skip 'tclConfig.sh is missing (Debian: tcl-dev)'
. "$config"
case $TCL_VERSION in 8.6) ;; *) skip "Tcl is $TCL_VERSION, and the binding is for 8.6" ;; esac
[ -f "$build/.libs/libbaton.so" ] || skip 'the library is not built as a shared one'
: "${BATON_DRIVER:=soft}"; export BATON_DRIVER
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

module() {      # name, source
    # shellcheck disable=SC2086
    $CC -std=c11 -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wno-unused-parameter -Werror -O1 -g -fPIC -shared \
        -DUSE_TCL_STUBS $TCL_INCLUDE_SPEC -I"$top/include" "$2" -o "$work/$1.so" \
        -L"$build/.libs" -lbaton -Wl,-rpath,"$build/.libs" $TCL_STUB_LIB_SPEC || problem "$2 does not compile"
}

module batontcl "$binding/baton_tcl.c"
module batontest "$binding/test/baton_test.c"
[ "$(wc -l <"$binding/baton_tcl.c")" -lt 200 ] || problem 'the binding has 200 lines or more'
[ "$failures" -gt 0 ] || timeout 120 tclsh "$binding/test/behaviour.tcl" "$work" || problem 'a behaviour does not hold'
finish
