#!/bin/sh
# No path of one machine and no blank at a line's end in the project's files.
. "$(dirname "$0")/common.sh"
sources_only
cd "$top"

# Where a path is the usual place that a user would look for something.
allowed() {
    case $1 in
    configure.ac:*/usr/local/cuda* | scripts/gpu:*/usr/local/cuda*) return 0 ;;
    lib/driver/nvrtc.c:*/usr/local/cuda* | doc/modules.md:*/usr/local/cuda*) return 0 ;;
    test/words.sh:*) return 0 ;;
    esac
    return 1
}

for file in $(project_files); do
    case $file in *.pgm|*.png|*.golden|*.seed) continue ;; esac
    grep -nE '(^|[^[:alnum:]_.])(/work/|/root/|/home/|/usr/local|/opt/)' "$file" 2>/dev/null | while read -r line; do
        allowed "$file:$line" || echo "$file:$line: a path of one machine"
    done
    grep -nE '[[:blank:]]+$' "$file" | sed "s,^,$file:," | sed 's/$/: blank at the end/'
    [ -z "$(tail -c 1 "$file")" ] || echo "$file: no newline at the end"
done >"${TMPDIR:-/tmp}/baton-words.$$" || :
output=$(cat "${TMPDIR:-/tmp}/baton-words.$$"); rm -f "${TMPDIR:-/tmp}/baton-words.$$"
[ -z "$output" ] || problem "$output"
finish
