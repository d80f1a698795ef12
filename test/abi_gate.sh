#!/bin/sh
# The binary interface against the kept one: what is added passes, what is removed or changed does not. Each kind of change is made here once, to see it told apart.
. "$(dirname "$0")/common.sh"
sources_only
for tool in abidiff abidw; do command -v $tool >/dev/null || skip "$tool is missing"; done
[ "$CTAGS" != no ] && "$CTAGS" --version 2>/dev/null | grep -q Universal || skip 'universal-ctags is missing'
export CC CTAGS
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

output=$("$top/scripts/abi" check "$top/include" 2>&1) || problem "the interface is not what it was:
$output"

# changed TEXT-PATTERN REPLACEMENT: include in $work with one change, which must be one.
changed() {
    rm -rf "$work/include"; cp -R "$top/test/abi" "$work/include"; chmod -R u+w "$work/include"
    sed "s/$1/$2/" "$top/test/abi/baton_ffi.h" >"$work/include/baton_ffi.h"
    ! cmp -s "$work/include/baton_ffi.h" "$top/test/abi/baton_ffi.h" || problem "nothing matches $1"
}
passes() { changed "$2" "$3"; output=$("$top/scripts/abi" check "$work/include" 2>&1) || problem "refused, but harmless: $1: $output"; }
refused() { changed "$2" "$3"; ! output=$("$top/scripts/abi" check "$work/include" 2>&1) || problem "not seen: $1: $output"; }

passes 'a new function' '^uint32_t baton_version' 'int32_t baton_newer(baton_stream *stream);\n&'
passes 'a new constant' 'BATON_ERR_COMPILE = -28' '&, BATON_ERR_NEWER = -1000'
passes 'a new struct' '^uint32_t baton_version' 'typedef struct baton_newer_info { uint32_t struct_size; int32_t more; } baton_newer_info;\n&'
passes 'a member at the end' '^} baton_stats;' 'uint64_t newer;\n&'
passes 'a reserved member put to use' '^} baton_graph_info;' 'uint64_t reserved[2];\n&'
passes 'another number of reserved bytes' '^ *uint64_t reserved\[4\];' 'uint64_t newer, reserved[3];'

refused 'a function less' '^int32_t baton_cast(.*' ''
refused 'a function renamed' 'baton_cast(' 'baton_convert('
refused 'a parameter less' '\(baton_cast(.*\), baton_stream \*stream' '\1'
refused 'a wider parameter' 'baton_module_load(baton_runtime \*runtime, int32_t' 'baton_module_load(baton_runtime *runtime, int64_t'
refused 'a result of another kind' '^int32_t baton_array_query' 'uint32_t baton_array_query'
refused 'an output of another sign' 'baton_device_count(baton_runtime \*runtime, int32_t' 'baton_device_count(baton_runtime *runtime, uint32_t'
refused 'a member less' '^ *uint64_t written;' ''
refused 'a member between others' '^ *uint64_t memories;' 'uint64_t newer;\n&'
refused 'a member renamed' '^ *uint64_t steps;' 'uint64_t written0;'
refused 'a member of another sign' '^ *uint64_t steps;' 'int64_t steps;'
refused 'a smaller struct' '^ *uint64_t reserved\[4\];' 'uint64_t reserved[1];'
refused 'a larger array' 'char  *message\[184\]' 'char message[192]'
refused 'a struct without struct_size that grows' '^} baton_operand;' 'uint64_t newer;\n&'
refused 'a callback with another parameter' '(\*baton_deleter)(void \*user, uint64_t' '(*baton_deleter)(void *user, uint32_t'
refused 'a constant of another value' 'BATON_ERR_BUSY = -26' 'BATON_ERR_BUSY = -36'
refused 'a constant less' 'BATON_ERR_BUSY = -26,' ''
finish
