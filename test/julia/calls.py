#!/usr/bin/env python3
"""Writes test/julia/calls.h from api.jl, or compares it: calls.py TOP [FILE]. Compares the declarations with the header's own words first.

gc_safe must be said of each function that the header marks DRIVER or BLOCKS, and of no other; retain and release never wait."""
import os
import re
import sys

TOP = sys.argv[1]
HEAD = """/* Generated from bindings/julia/src/api.jl by test/julia/calls.py: do not edit. How Julia calls each function: 1 is gc_safe. */
#ifndef BATON_TEST_JULIA_CALLS_H
#define BATON_TEST_JULIA_CALLS_H

#define JULIA_CALLS(CALL) \\
"""


def read(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as file:
        return file.read()


def declared_safe():
    """{function: whether Julia declares it gc_safe}, in api.jl's order."""
    found = re.findall(r"@ccall (gc_safe=true )?libbaton\.(\w+)\(", read("bindings/julia/src/api.jl"))
    return {name: bool(safe) for safe, name in found}


def marks():
    """{function: the header's marks}: those of the last comment above it that has any, in its paragraph; else none."""
    found, above, inside = {}, set(), False
    for line in read("include/baton_ffi.h").splitlines():
        comment = inside or line.startswith("/*")
        if comment:
            above = set() if not inside else above
            above |= set(re.findall(r"\b(FAST|DRIVER|BLOCKS)\b", line))
            inside = "*/" not in line
            continue
        if not line.strip():
            above = set()
        name = re.match(r"(?:const )?\w+ \**(baton_\w+)\(", line)
        if name:
            found[name.group(1)] = above
    return found


def problems(safe, marked):
    for name in sorted(set(safe) ^ set(marked)):
        yield f"{name} is only in {'api.jl' if name in safe else 'the header'}"
    for name, words in marked.items():
        counted = re.search(r"_(retain|release|release_n)$", name)
        waits = bool(words & {"DRIVER", "BLOCKS"}) and not counted
        if not words and not counted:
            yield f"{name}: the header does not say whether it waits"
        if name in safe and safe[name] != waits:
            yield f"{name} is {'' if safe[name] else 'not '}gc_safe, and the header says {' '.join(sorted(words)) or 'nothing'}"


def main(kept=None):
    safe = declared_safe()
    found = list(problems(safe, marks()))
    print("\n".join(found), file=sys.stderr)
    rows = [f"    CALL({name}, {int(value)})" for name, value in safe.items()]
    made = HEAD + " \\\n".join(rows) + "\n\n#endif\n"
    if kept is None:
        sys.stdout.write(made)
    elif read(kept) != made:
        print(f"{kept} is out of date: test/julia/calls.py . >{kept}", file=sys.stderr)
        found.append(kept)
    return 1 if found else 0


sys.exit(main(*sys.argv[2:]))
