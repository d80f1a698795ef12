#!/bin/sh
# Headers compile alone, in C and with the enum size of small ABIs; a layer includes only itself and the layers below it.
. "$(dirname "$0")/common.sh"
sources_only
layers='base driver stream memory array work exchange'
flags="-std=c11 -D_GNU_SOURCE -fsyntax-only -I$top/include -I$top/lib"

compiles() {    # what, compiler arguments
    what=$1; shift
    # shellcheck disable=SC2086
    output=$("$@" 2>&1) || problem "$what: $output"
}

cd "$top"
# shellcheck disable=SC2086
for header in include/baton.h $(find lib -name '*.h' | sort); do
    compiles "$header does not compile alone" $CC $flags -Wall -Wextra -Werror -x c "$header"
done

# The FFI header is read by programs that have no preprocessor.
grep -n '^[[:space:]]*#' include/baton_ffi.h && problem 'baton_ffi.h has a preprocessor line'
grep -nE '(^|[^_[:alnum:]])(long|short|bool|_Bool|size_t|inline|static|\.\.\.)([^_[:alnum:]]|$)' include/baton_ffi.h |
    grep -vE '^[0-9]+:( \*|.*/\*.*(long|static|short).*)|^[0-9]+:/\*' && problem 'baton_ffi.h uses a type or a word that bindings cannot read'

# Other ABIs, where the compiler has them.
for other in -m32 -fshort-enums; do
    printf '#include <stdint.h>\nint main(void) { return 0; }\n' | $CC -fsyntax-only $other -x c - 2>/dev/null || continue
    # shellcheck disable=SC2086
    compiles "baton.h does not compile with $other" $CC $flags $other -Wall -Wextra -Werror -x c include/baton.h
done

below() {       # the layers that $1 may include
    for layer in $layers; do
        printf '%s ' "$layer"
        [ "$layer" = "$1" ] && return
    done
}

for layer in $layers; do
    allowed=$(below "$layer")
    for file in $(find "lib/$layer" -name '*.[ch]' | sort); do
        for included in $(sed -n 's,^[[:space:]]*#[[:space:]]*include "\([^"]*\)".*,\1,p' "$file"); do
            case $included in
            baton.h) ;;
            */*) case " $allowed " in
                *" ${included%%/*} "*) [ -f "lib/$included" ] || problem "$file includes lib/$included, which is missing" ;;
                *) problem "$file includes $included, which is above lib/$layer" ;;
                esac ;;
            *) problem "$file includes \"$included\": write it from lib/" ;;
            esac
        done
    done
done

for file in $(find tools examples -name '*.[ch]' | sort); do
    grep -nE '#[[:space:]]*include "[a-z]+/' "$file" && problem "$file sees more than the public header"
done

# What is not listed is neither built nor released.
for file in $(find lib -name '*.[ch]' | sort); do
    grep -qE "^ +$file( |\$)" "$(dirname "$file")/local.mk" || problem "$file is not in $(dirname "$file")/local.mk"
done
for file in $(find test -name '*.c' | sort); do
    grep -qE "(^| )${file%.c}(\.c)?( |\$)" test/local.mk || problem "$file is not in test/local.mk"
done
finish
