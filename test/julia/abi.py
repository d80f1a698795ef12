"""bindings/julia/src/api.jl against the header, which a C compiler reads, and against the built library: abi.py TOP BUILD.

The compiler is asked to agree to every function's name and types and to every constant; the library to every struct's layout."""
import ctypes
import os
import re
import subprocess
import sys

SIZES = {"Int32": 4, "UInt32": 4, "Int64": 8, "UInt64": 8, "UInt8": 1, "Cstring": 8}
C_TYPES = {"Int32": "int32_t", "UInt32": "uint32_t", "Int64": "int64_t", "UInt64": "uint64_t", "Cvoid": "void", "UInt8": "char"}
TOP, BUILD = sys.argv[1:3]
problems = []


def read(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as file:
        return file.read()


def c_type(kind):
    stars = 0
    while kind.startswith("Ptr{"):
        kind, stars = kind[4:-1], stars + 1
    if kind == "Cstring":
        kind, stars = "UInt8", stars + 1
    return f"{C_TYPES.get(kind, kind)} {'*' * stars}".strip()


def size_and_alignment(kind):
    repeated = re.fullmatch(r"NTuple\{(\d+), (.*)\}", kind)
    if repeated:
        size, alignment = size_and_alignment(repeated.group(2))
        return int(repeated.group(1)) * size, alignment
    size = 8 if kind.startswith("Ptr") else SIZES[kind]
    return size, size


def struct_layouts(text):
    """{name: (offset, size)} as Julia lays its structs out, which is C's way."""
    layout = {}
    for name, body in re.findall(r"^struct (\w+)\n(.*?)^end$", text, re.DOTALL | re.MULTILINE):
        at, most = 0, 1
        for member, kind in re.findall(r"^    (\w+)::(.*)$", body, re.MULTILINE):
            size, alignment = size_and_alignment(kind)
            at = -(-at // alignment) * alignment
            layout[f"{name}.{member}"] = (at, size)
            at, most = at + size, max(most, alignment)
        layout[name] = (0, -(-at // most) * most)
    return layout


def library_layouts(library):
    layout, index = {}, 0
    name, offset, size = ctypes.c_char_p(), ctypes.c_uint32(), ctypes.c_uint32()
    while library.baton_abi_layout(index, ctypes.byref(name), ctypes.byref(offset), ctypes.byref(size)) == 0:
        layout[name.value.decode()] = (offset.value, size.value)
        index += 1
    return layout


def calls(text):
    """(wrapper, its parameters, called, [(name, type)], result) of each function."""
    pattern = r"^(\w+)\(([^)]*)\) =\s+@ccall (?:gc_safe=true )?libbaton\.(\w+)\(([^)]*)\)::(\w+)$"
    for wrapper, names, called, arguments, result in re.findall(pattern, text, re.MULTILINE):
        pairs = [pair.strip().split("::") for pair in arguments.split(",")] if arguments.strip() else []
        yield wrapper, [n.strip() for n in names.split(",") if n.strip()], called, pairs, result


def compiler_agrees(functions, constants):
    lines = ["#include <stdint.h>", "#define const", '#include "baton_ffi.h"', "#undef const"]
    for _, _, called, pairs, result in functions:
        types = ", ".join(c_type(kind) for _, kind in pairs) or "void"
        lines.append(f'_Static_assert(__builtin_types_compatible_p(__typeof__({called}), {c_type(result)}({types})), "{called}");')
    lines += [f'_Static_assert({name} == {value}, "{name}");' for name, value in constants]
    command = os.environ.get("CC", "cc").split() + ["-std=gnu11", "-fsyntax-only", "-I", os.path.join(TOP, "include"), "-x", "c", "-"]
    done = subprocess.run(command, input="\n".join(lines) + "\n", text=True, capture_output=True)
    if done.returncode:
        problems.append(done.stderr)


def same(what, found, expected):
    for name in sorted(set(found) | set(expected)):
        if name not in found or name not in expected:
            problems.append(f"{what} {name} is only {'in api.jl' if name in found else 'in the header or library'}")
        elif isinstance(found, dict) and found[name] != expected[name]:
            problems.append(f"{what} {name}: api.jl has {found[name]}, the library {expected[name]}")


def main():
    text = read("bindings/julia/src/api.jl")
    header = re.sub(r"/\*.*?\*/", " ", read("include/baton_ffi.h"), flags=re.DOTALL)
    functions = list(calls(text))
    constants = re.findall(r"^const (BATON_\w+) = Int32\((-?\d+)\)$", text, re.MULTILINE)
    same("function", {f[2] for f in functions}, set(re.findall(r"^(?!typedef)[a-z][\w *]*?\b(baton_\w+)\(", header, re.MULTILINE)))
    same("constant", {name for name, _ in constants}, set(re.findall(r"\b(BATON_\w+) =", header)))
    for wrapper, names, called, pairs, _ in functions:
        if wrapper != called or names != [name for name, _ in pairs]:
            problems.append(f"{wrapper}({', '.join(names)}) calls {called} with {[name for name, _ in pairs]}")
    compiler_agrees(functions, constants)
    if os.environ.get("SANITIZE") != "yes":     # a sanitized library does not load into an ordinary interpreter
        library = ctypes.CDLL(os.path.abspath(os.path.join(BUILD, ".libs", "libbaton.so")))
        same("layout", struct_layouts(text), library_layouts(library))
        for f in functions:
            if not hasattr(library, f[2]):
                problems.append(f"the library has no {f[2]}")
    print(f"{len(functions)} functions, {len(constants)} constants, {len(struct_layouts(text))} structs and members compared")
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
