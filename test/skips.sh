#!/bin/sh
# doc/testing.md lists what is left out on a GPU. With --print, prints the lines of its table as the tests declare them.
. "$(dirname "$0")/common.sh"
sources_only
cd "$top"

declared() {
    grep -HoE '(soft_only\([a-z_0-9]+, "[^"]*"\)|two_devices\([a-z_0-9]+\)|soft_program\("[a-z_ 0-9]+", "[^"]*"\))' test/*.c |
        grep -v '^test/needs\.c:' |
        sed -E -e 's,^test/([a-z_0-9]+)\.c:soft_only\((.*)\, "(.*)"\)$,| \1 | \2 | the software device\, which \3 |,' \
            -e 's,^test/([a-z_0-9]+)\.c:two_devices\((.*)\)$,| \1 | \2 | two devices |,' \
            -e 's,^test/([a-z_0-9]+)\.c:soft_program\(".*"\, "(.*)"\)$,| \1 | all | the software device\, which \2 |,' |
        LC_ALL=C sort
}

if [ "${1:-}" = --print ]; then declared; exit 0; fi
said=$(grep -E '^\| [a-z_0-9]+ \| [a-z_0-9]+ \| (the software device, which|two devices)' doc/testing.md | LC_ALL=C sort)
[ -n "$said" ] || problem 'doc/testing.md has no table of what is left out'
[ "$said" = "$(declared)" ] || problem "the table in doc/testing.md differs from what test/skips.sh --print prints"
finish
