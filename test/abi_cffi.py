"""cffi reads include/baton_ffi.h unchanged and lays every struct out as the library does."""
import os
import re
import sys

import cffi

TOP = os.environ.get("top_srcdir", os.path.join(os.path.dirname(__file__), ".."))
BUILD = os.environ.get("top_builddir", ".")


def expected_layout(ffi):
    """{name: (offset, size)} of every public struct and member, as cffi computes it."""
    layout = {}
    for name in ffi.list_types()[0]:
        kind = ffi.typeof(name)
        if kind.kind != "struct" or kind.fields is None:
            continue
        layout[name] = (0, ffi.sizeof(kind))
        for member, field in kind.fields:
            layout[f"{name}.{member}"] = (field.offset, ffi.sizeof(field.type))
    return layout


def library_layout(ffi, lib):
    layout, index = {}, 0
    name, offset, size = ffi.new("const char **"), ffi.new("uint32_t *"), ffi.new("uint32_t *")
    while lib.baton_abi_layout(index, name, offset, size) == lib.BATON_OK:
        layout[ffi.string(name[0]).decode()] = (offset[0], size[0])
        index += 1
    return layout


def main():
    if os.environ.get("SANITIZE") == "yes":
        print("skipped: a sanitized library does not load into an ordinary interpreter")
        return 77
    with open(os.path.join(TOP, "include", "baton_ffi.h"), encoding="utf-8") as header:
        text = header.read()
    ffi = cffi.FFI()
    ffi.cdef(text)
    lib = ffi.dlopen(os.path.abspath(os.path.join(BUILD, ".libs", "libbaton.so")))

    problems = []
    expected, found = expected_layout(ffi), library_layout(ffi, lib)
    for name in sorted(set(expected) | set(found)):
        if expected.get(name) != found.get(name):
            problems.append(f"{name}: cffi has {expected.get(name)}, the library {found.get(name)}")
    if len(expected) < 100:
        problems.append(f"only {len(expected)} structs and members found in the header")

    # Every status has its name, every function can be found.
    for name in re.findall(r"\b(BATON_(?:OK|WOULD_BLOCK|NOT_READY|OOM_RETRY|TIMEOUT|ERR_[A-Z_]+)) = ", text):
        got = ffi.string(lib.baton_status_name(getattr(lib, name))).decode()
        if got != name:
            problems.append(f"baton_status_name of {name} is {got}")
    for name in re.findall(r"^[a-z][a-z0-9_ *]*?\b(baton_[a-z0-9_]+)\(", text, re.MULTILINE):
        try:
            getattr(lib, name)
        except AttributeError as error:
            problems.append(str(error))

    print(f"{len(found)} structs and members compared")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
