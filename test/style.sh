#!/bin/sh
# The shape of the code: files of at most 350 lines, functions of at most 60, no tabs. Generated text has no shape.
. "$(dirname "$0")/common.sh"
sources_only
most_file=350
most_function=60
sources=$(project_files | grep -E '^(lib|include|tools|test|bench|examples|bindings)/.*\.(c|h|cc)$' | grep -v '_ptx\.h$')
cd "$top"

for file in $sources; do
    lines=$(wc -l <"$file")
    [ "${file##*/}" = baton_ffi.h ] || [ "$lines" -le $most_file ] || problem "$file has $lines lines (at most $most_file)"
    ! grep -q "$(printf '\t')" "$file" || problem "$file has tabs"
done

[ "$CTAGS" != no ] && "$CTAGS" --version 2>/dev/null | grep -q Universal || skip 'universal-ctags is missing'
long=$(echo "$sources" | "$CTAGS" -L - --languages=C,C++ --kinds-C=f --kinds-C++=f --fields=+ne -x --_xformat='%{input} %N %n %{end}' |
    awk -v most=$most_function '{ lines = $4 - $3 + 1; if (lines > most) print $1 ": " $2 " has " lines " lines (at most " most ")" }')
[ -z "$long" ] || problem "$long"
finish
