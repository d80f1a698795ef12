#!/usr/bin/env python3
"""Baton beside the CUDA driver and runtime APIs, PyTorch, CuPy and cuda.core in one process: memory and streams both ways.

usage: neighbours.py [--driver cuda|soft] [--library PATH] [NAME ...]      (the driver: else BATON_DRIVER, else soft)

Where order matters, a stream stands still while arrays pass: a host that waited would be counted, and work that ran too early
would give wrong numbers. Each check prints 'ok NAME', 'FAILED NAME' or 'skipped NAME'; the last line counts them. With
--driver soft only the checks run that need no GPU.
"""
import argparse
import faulthandler
import importlib
import os
import sys
import traceback

from baton_ctypes import BatonError, Library
from neighbours_world import CHECKS, Skipped, World

IMPORTS_S, LIMIT_S = 120, 60        # a hang ends the program, with every thread's stack

for part in ("soft", "torch", "cupy", "core"):      # the order in which their checks run
    importlib.import_module(f"neighbours_{part}")


def run(w, function, needs):
    """'ok', 'FAILED' or 'skipped'; says which, and why."""
    try:
        for name in needs:
            if name in w.missing:
                raise Skipped(w.missing[name])
        function(w)
    except Skipped as reason:
        print(f"skipped {function.__name__}: {reason}", flush=True)
        return "skipped"
    except Exception as problem:
        print(f"FAILED {function.__name__}: {problem}", flush=True)
        traceback.print_exc()
        return "FAILED"
    print(f"ok {function.__name__}", flush=True)
    return "ok"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--driver", default=os.environ.get("BATON_DRIVER") or "soft")
    parser.add_argument("--library", help="libbaton.so; else BATON_LIBRARY, else the one in build/")
    parser.add_argument("names", nargs="*", help="only these checks")
    choice = parser.parse_args()
    if os.environ.get("SANITIZE") == "yes":
        print("this Python is not sanitized")
        return 77
    faulthandler.enable()
    faulthandler.dump_traceback_later(IMPORTS_S, exit=True)
    try:
        world = World(Library(choice.library), choice.driver)
    except BatonError as problem:
        print(f"no device: {problem}")
        return 77
    faulthandler.dump_traceback_later(LIMIT_S, exit=True)
    results = [run(world, function, needs) for function, needs, soft in CHECKS
               if (soft or choice.driver == "cuda") and (not choice.names or function.__name__ in choice.names)]
    print(f"{results.count('skipped')} skipped")
    print(f"{results.count('ok')} passed, {results.count('FAILED')} failed", flush=True)
    return 1 if "FAILED" in results or "ok" not in results else 0


if __name__ == "__main__":
    sys.exit(main())
