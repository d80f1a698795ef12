#!/bin/sh
# The fuzz targets over their seeds, and over many changed versions of each.
. "$(dirname "$0")/common.sh"
rounds=${BATON_FUZZ_ROUNDS:-3000}
for target in dlpack arrow; do
    output=$("$build/test/fuzz/$target" -m "$rounds" "$top"/test/fuzz/corpus/$target/*.seed 2>&1) || problem "$target: $output"
done
finish
