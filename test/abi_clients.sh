#!/bin/sh
# Programs and libraries of different versions. One of the first version (the header kept in test/abi) runs with the library of today, and with a newer one: the
# same sources built with a header whose structs have grown. A newer program, with that header, runs with the library of today.
. "$(dirname "$0")/common.sh"
[ "$SANITIZE" = no ] || skip 'a library with sanitizers needs programs with them'
library=$build/.libs
[ -f "$library/libbaton.so" ] || { echo 'the library is missing'; exit 1; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
newer=$work/newer
plain="-std=gnu11 -O0 -pthread -Wall -Werror"

# Each struct that may grow has a member more, and there is a function more.
mkdir -p "$newer/include"
cp "$top/include/baton.h" "$newer/include"
sed 's/^} baton_[a-z_]*_\(options\|info\);/    uint64_t newer_member;\n&/; s/^} baton_stats;/    uint64_t newer_member;\n&/
$a int32_t baton_newer(void);' "$top/include/baton_ffi.h" >"$newer/include/baton_ffi.h"
printf '#include "baton.h"\nint32_t baton_newer(void) { return BATON_OK; }\n' >"$newer/newer.c"
[ "$(grep -c newer_member "$newer/include/baton_ffi.h")" -ge 13 ] || problem 'too few structs have grown: this script no longer understands the header'

(cd "$top" && find lib -name '*.c') | while read -r file; do echo "$top/$file"; done >"$work/sources"
echo "$newer/newer.c" >>"$work/sources"
mkdir "$work/objects"
CC=$CC INCLUDE="-I$newer/include -I$top/lib" OUT=$work/objects xargs -P "$(nproc 2>/dev/null || echo 2)" -n 12 sh -c '
    for file; do
        $CC -std=c11 -D_GNU_SOURCE -O0 -pthread -fPIC -fvisibility=hidden -w $INCLUDE -c "$file" -o "$OUT/$(echo "$file" | tr / _).o" || exit 255
    done' _ <"$work/sources" || problem 'the newer library cannot be built'
# shellcheck disable=SC2086
$CC -shared -pthread "-Wl,--version-script=$top/baton.map" -Wl,-soname,libbaton.so.0 -o "$newer/libbaton.so.0" "$work"/objects/*.o || problem 'the newer library cannot be linked'
ln -s libbaton.so.0 "$newer/libbaton.so"

# runs WHAT, PROGRAM, LIBRARY FOLDER
runs() {
    output=$(LD_LIBRARY_PATH=$3 timeout 60 "$2" 2>&1) || problem "$1: $output"
}

# shellcheck disable=SC2086
$CC $plain "-I$top/test/abi" -o "$work/client" "$top/test/abi/client.c" "-L$library" -lbaton || problem 'the program of the first version cannot be built'
# shellcheck disable=SC2086
$CC $plain "-I$newer/include" -o "$work/newer-client" "$top/test/abi/newer.c" "-L$library" -lbaton || problem 'the newer program cannot be built'
runs 'a program of the first version with the library of today' "$work/client" "$library"
runs 'a program of the first version with a newer library' "$work/client" "$newer"
runs 'a newer program with the library of today' "$work/newer-client" "$library"
# With the newer library it finds what it misses here: the checks of the newer program can fail.
! LD_LIBRARY_PATH=$newer timeout 60 "$work/newer-client" >/dev/null 2>&1 || problem 'the newer program does not notice a newer library'
finish
