#!/bin/sh
# The Julia binding's calls are the header's and the library's, as generated; its header compiles in C and C++.
. "$(dirname "$0")/common.sh"
sources_only
: "${PYTHON3:=python3}"
julia=$top/bindings/julia
flags="-Wall -Wextra -Werror -fsyntax-only -I$top/test/julia -I$top/include -I$julia"

$CC -std=c11 $flags "$top/test/julia/header.c" || problem 'baton_julia.h does not compile as C'
if command -v c++ >/dev/null; then
    c++ -x c++ -std=c++11 $flags "$top/test/julia/header.c" || problem 'baton_julia.h does not compile as C++'
fi
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
if [ "$SANITIZE" = no ] && [ -f "$build/.libs/libbaton.so" ]; then
    $CC -std=c11 -Wall -Wextra -Wconversion -Werror -O1 -g -I"$top/test/julia" -I"$top/include" -I"$julia" "$top/test/julia/embed.c" -o "$work/embed" \
        -L"$build/.libs" -lbaton -Wl,-rpath,"$build/.libs" && timeout 60 "$work/embed" || problem 'baton_julia.h does not do its work'
fi
command -v "$PYTHON3" >/dev/null || skip 'python3 is missing: the calls were not compared'
"$PYTHON3" "$julia/tools/generate" "$top/include/baton_ffi.h" "$julia/src/api.jl" || problem 'api.jl is out of date'
"$PYTHON3" "$julia/tools/coverage" "$julia" "$julia/COVERAGE" || problem 'the coverage table is out of date'
"$PYTHON3" "$top/test/julia/abi.py" "$top" "$build" || problem 'api.jl differs from the header or the library'
"$PYTHON3" "$top/test/julia/calls.py" "$top" test/julia/calls.h || problem 'test/julia/calls.h is out of date, or a call is wrongly declared'
finish
