#!/bin/sh
# What the linker made: no executable stack, nothing writable and executable, no text to relocate, no path of its own to search; everything bound at the start.
# The library imports no call that runs a program, asks the environment where it should not, or makes a descriptor in a way that test/descriptors.c does not see.
. "$(dirname "$0")/common.sh"
command -v readelf >/dev/null && command -v nm >/dev/null || skip 'readelf or nm is missing'
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

# faults FILE: one line for each fault of an ELF file.
faults() {
    readelf -lW "$1" >"$work/segments"
    readelf -dW "$1" >"$work/dynamic"
    grep -q 'GNU_STACK.* RW  *0x' "$work/segments" || echo 'the stack is executable, or nothing is said of it'
    ! grep -q 'LOAD.* RWE ' "$work/segments" || echo 'a segment is writable and executable'
    grep -q 'GNU_RELRO' "$work/segments" || echo 'relocated data stay writable'
    ! grep -q 'TEXTREL' "$work/dynamic" || echo 'text has to be relocated'
    ! grep -qE 'RPATH|RUNPATH' "$work/dynamic" || echo 'it has a search path of its own'
    grep -qE 'BIND_NOW|Flags:.*NOW' "$work/dynamic" || echo 'functions are bound late'
}

# calls FILE: one line for each import that the library must not have.
calls() {
    nm -D --undefined-only "$1" | sed 's/@.*//' | awk '{ print $2 }' | grep -xE \
'getenv|system|popen|exec[lv].*|posix_spawn.*|dlmopen|mmap.*|mprotect|mremap|fopen.*|freopen.*|tmpfile.*|mk[so]*temp.*|creat.*|dup[23]?|pipe2?|socket.*|accept.*|'\
'epoll_create.*|inotify.*|signalfd|timerfd_create|memfd_create|opendir|strcpy|strcat|sprintf|vsprintf|gets|scanf|sscanf|alloca|rand|tmpnam|mktemp' || :
}

check() {       # what, FILE
    output=$(faults "$2"); [ -z "$output" ] || problem "$1: $output"
}

library=$build/.libs/libbaton.so
check libbaton.so "$library"
readelf -dW "$library" | grep -q 'NODELETE' || problem 'libbaton.so can be unloaded: threads and deleters would be left without code'
[ -f "$build/.libs/baton" ] && program=$build/.libs/baton || program=$build/baton
# Only the installed program has no path of its own: that of the build tree finds its library there.
output=$(faults "$program" | grep -v 'search path' || :); [ -z "$output" ] || problem "baton: $output"
readelf -hW "$program" | grep -q 'Type:.*DYN' || problem 'baton: its code cannot be moved'

if [ "$SANITIZE" = no ] && ! nm "$library" | grep -q gcov; then
    output=$(calls "$library"); [ -z "$output" ] || problem "libbaton.so calls $output"
    nm -D --undefined-only "$library" | grep -q __stack_chk_fail || problem 'libbaton.so has no stack protector'
    ! grep -q '^BATON_DEFINES.*-D_FORTIFY_SOURCE' "$build/Makefile" || nm -D --undefined-only "$library" | grep -q '__[a-z]*_chk' ||
        problem 'libbaton.so has no fortified calls'
fi

# The same checks refuse what is wrong.
printf '#include <stdlib.h>\nint main(void) { return !getenv("A"); }\nint data; int *where(void) { return &data; }\n' >"$work/a.c"
refuses() {     # what, flags...
    what=$1; shift
    $CC -shared -fPIC -Wl,-z,relro -Wl,-z,now "$@" -o "$work/a.so" "$work/a.c"
    faults "$work/a.so" | grep -q "$what" || problem "not seen in a library made with $*: $what"
}
refuses 'the stack is executable' -Wl,-z,execstack
refuses 'relocated data' -Wl,-z,norelro
refuses 'bound late' -Wl,-z,lazy
refuses 'search path' -Wl,-rpath,/nowhere
refuses 'writable and executable' -nostdlib -Wl,-N
[ "$(uname -m)" != x86_64 ] || refuses 'text has to be relocated' -fno-pic -mcmodel=large -Wl,-z,notext
$CC -shared -fPIC -o "$work/a.so" "$work/a.c" && [ "$(calls "$work/a.so")" = getenv ] || problem 'a call of getenv is not seen'
finish
