#!/bin/sh
# The version stands in configure.ac; the header's macros, the pkg-config file, NEWS and the bindings repeat it.
. "$(dirname "$0")/common.sh"
sources_only
: "${VERSION:=$(sed -n 's/^AC_INIT(\[baton\], \[\(.*\)\])$/\1/p' "$top/configure.ac")}"
macro() { sed -n "s/^#define BATON_VERSION_$1 \([0-9]*\)\$/\1/p" "$top/include/baton.h"; }
header=$(macro MAJOR).$(macro MINOR).$(macro PATCH)
[ "$header" = "$VERSION" ] || problem "baton.h says $header, configure.ac $VERSION"
grep -qx "Version: $VERSION" "$build/baton.pc" || problem "baton.pc is not of version $VERSION"
[ "$(sed -n 's/^Baton \([0-9.]*\).*/\1/p' "$top/NEWS" | head -n 1)" = "$VERSION" ] || problem "NEWS does not begin with Baton $VERSION"
python=$top/bindings/python
grep -qx "version = \"$VERSION\"" "$python/pyproject.toml" || problem "bindings/python/pyproject.toml is not of version $VERSION"
grep -qx "__version__ = \"$VERSION\"" "$python/baton/__init__.py" || problem "bindings/python/baton is not of version $VERSION"
finish
