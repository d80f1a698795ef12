#!/bin/sh
# The fuzz targets over their seeds, and over many changed versions of each. No target is without seeds.
. "$(dirname "$0")/common.sh"
rounds=${BATON_FUZZ_ROUNDS:-3000}
BATON_CUDA_LIBRARY=$build/test/.libs/fake_cuda.so BATON_NVRTC_LIBRARY=$build/test/.libs/fake_nvrtc.so
export BATON_CUDA_LIBRARY BATON_NVRTC_LIBRARY
[ -f "$BATON_CUDA_LIBRARY" ] || skip 'the stand-ins for the CUDA libraries are not built'
[ ! -w /dev/shm ] || { TMPDIR=/dev/shm; export TMPDIR; }

# Some inputs cost a process or files: fewer of them.
rounds_of() {
    case $1 in
    loader | environment) echo $((rounds / 50)) ;;
    cache | structs | views) echo $((rounds / 15)) ;;
    *) echo "$rounds" ;;
    esac
}

targets=$(sed -n 's,^test_fuzz_\([a-z]*\)_LDADD.*,\1,p' "$top/test/local.mk")
[ "$(echo "$targets" | wc -w)" -ge 12 ] || problem "only these targets: $targets"
for target in $targets; do
    ls "$top/test/fuzz/corpus/$target"/*.seed >/dev/null 2>&1 || { problem "$target has no seeds"; continue; }
    output=$(timeout 250 "$build/test/fuzz/$target" -m "$(rounds_of "$target")" "$top/test/fuzz/corpus/$target"/*.seed 2>&1) || problem "$target: $output"
done
finish
