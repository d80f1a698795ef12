"""Parses every Julia file with tree-sitter, and compares what they use of the generated calls: syntax.py FOLDER.

A call of API must have the function's number of arguments, a record only members that it has, and each name must be declared. A finalizer is a release!,
and that only releases: it may run on any thread, in the middle of anything."""
import os
import re
import sys

import tree_sitter
import tree_sitter_julia

FOLDER = sys.argv[1]
OWN = {"zeros_of", "libbaton"}      # of the module API, written by hand
problems = []


def nodes(node):
    yield node
    for child in node.children:
        yield from nodes(child)


def text(node):
    return node.text.decode()


def parsed():
    """{name: tree} of every file; what the grammar does not take is a problem."""
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_julia.language()))
    trees = {}
    for folder, _, files in sorted(os.walk(FOLDER)):
        for name in sorted(file for file in files if file.endswith(".jl")):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                tree = trees[os.path.relpath(path, FOLDER)] = parser.parse(file.read()).root_node
            for node in nodes(tree):
                if node.type == "ERROR" or node.is_missing:
                    problems.append(f"{path}:{node.start_point[0] + 1}: not Julia: {text(node)[:60]}")
    return trees


def declared(api):
    """({function: number of arguments}, {struct: members}, all names)."""
    functions = {name: len([a for a in arguments.split(",") if a.strip()])
                 for name, arguments in re.findall(r"^(baton_\w+)\(((?!;)[^)]*)\) =\s+@ccall", api, re.MULTILINE)}
    structs = {name: set(re.findall(r"^    (\w+)::", body, re.MULTILINE))
               for name, body in re.findall(r"^struct (\w+)\n(.*?)^end$", api, re.DOTALL | re.MULTILINE)}
    others = re.findall(r"^(?:const|mutable struct) (\w+)", api, re.MULTILINE)
    return functions, structs, set(functions) | set(structs) | set(others) | OWN


def check_call(where, name, arguments, functions, structs):
    kinds = [child.type for child in arguments.named_children if "comment" not in child.type]
    if name in functions and len(kinds) != functions[name]:
        problems.append(f"{where}: {name} takes {functions[name]} arguments, not {len(kinds)}")
    if name in structs:
        for child in arguments.named_children:
            member = text(child.named_children[0]) if child.type == "named_argument" else None
            if child.type == "named_argument" and member not in structs[name]:
                problems.append(f"{where}: {name} has no {member}")


def check_use(file, tree, functions, structs, names):
    used = 0
    for node in nodes(tree):
        where = f"{file}:{node.start_point[0] + 1}"
        found = re.fullmatch(r"(?:Baton\.)?API\.(\w+)", text(node)) if node.type == "field_expression" else None
        if not found:
            continue
        used += 1
        if found.group(1) not in names:
            problems.append(f"{where}: API has no {found.group(1)}")
        call = node.parent
        if call.type == "call_expression" and call.children[0] == node:
            check_call(where, found.group(1), call.children[1], functions, structs)
    return used


def check_finalizers(file, tree):
    """How many there are."""
    count = 0
    for node in nodes(tree):
        where = f"{file}:{node.start_point[0] + 1}"
        if node.type == "call_expression" and text(node).startswith("finalizer("):
            count += 1
            if not text(node).startswith("finalizer(release!,"):
                problems.append(f"{where}: a finalizer that is no release!")
        if node.type == "function_definition" and text(node).startswith("function release!("):
            calls = [text(call.children[0]) for call in nodes(node) if call.type == "call_expression"][1:]      # the first is its own head
            if len(calls) != 1 or not re.fullmatch(r"API\.baton_\w+_release", calls[0]):
                problems.append(f"{where}: a finalizer that calls {', '.join(calls) or 'nothing'}")
    return count


def main():
    trees = parsed()
    with open(os.path.join(FOLDER, "src", "api.jl"), encoding="utf-8") as file:
        functions, structs, names = declared(file.read())
    used = sum(check_use(file, tree, functions, structs, names) for file, tree in trees.items())
    finalizers = sum(check_finalizers(file, tree) for file, tree in trees.items())
    included = set(re.findall(r'include\("(\w+\.jl)"\)', text(trees["src/Baton.jl"])))
    for name in (name for name in trees if name.startswith("src/") and name != "src/Baton.jl"):
        if name[4:] not in included:
            problems.append(f"{name} is not included")
    if len(functions) < 100 or used < 100 or finalizers < 7:
        problems.append(f"only {len(functions)} functions, {used} uses and {finalizers} finalizers found")
    print(f"{len(trees)} files parsed, {used} uses of {len(names)} names and {finalizers} finalizers compared")
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
