# Shared by the test scripts. Run by hand, they look at the tree they stand in.
set -eu
LC_ALL=C; export LC_ALL
top=$(cd "${top_srcdir:-$(dirname "$0")/..}" && pwd)
build=$(cd "${top_builddir:-.}" && pwd)
: "${CC:=cc}" "${CTAGS:=ctags}" "${SANITIZE:=no}" "${QUICK:=no}"
failures=0

problem() {
    echo "$*"
    failures=$((failures + 1))
}

skip() {
    echo "skipped: $*"
    exit 77
}

# For what looks at the sources alone: one build in a row of several shows it.
sources_only() {
    [ "$QUICK" != yes ] || skip 'the sources are the same in every build'
}

finish() {
    [ "$failures" -eq 0 ] || { echo "$failures problems"; exit 1; }
    exit 0
}

# The project's own files, relative to the top: what git tracks, or, in an unpacked release, everything that no tool made.
project_files() {
    if [ -e "$top/.git" ] && git -C "$top" ls-files >/dev/null 2>&1; then
        git -C "$top" ls-files --cached --others --exclude-standard
    else
        (cd "$top" && find . -type f -not -path './build*' -not -path './_build/*' -not -path './m4/l*' -not -path '*/.*/*' |
            grep -vE '(^|/)(Makefile|Makefile\.in|aclocal\.m4|configure|config\.[a-z]*|libtool|baton\.pc)$|\.(o|lo|la|log|trs)$' |
            while read -r file; do head -c 4 "$file" | grep -q ELF || echo "$file"; done | sed 's,^\./,,')
    fi | sort | while read -r file; do [ -f "$top/$file" ] && echo "$file" || :; done
}

# The names of the functions that baton_ffi.h declares, sorted. Comments are removed first.
declared_functions() {
    tr '\n' ' ' <"$top/include/baton_ffi.h" | sed 's,/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/, ,g; s/;/;\n/g' |
        grep -v typedef | sed -n 's/.*[ *]\(baton_[a-z0-9_]*\)(.*);$/\1/p' | sort -u
}
