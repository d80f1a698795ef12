"""The programs of RECIPES.md and README.md run as they stand, and print what the page says."""

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import baton

HERE = Path(__file__).parent
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RANKS = 2
# Open MPI starts no more processes than there are cores, and none as root, unless it is told to.
MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "UCX_LOG_LEVEL": "fatal",  # which prints among the program's lines, where a machine has no network
}


def blocks(text):
    """[(program, what it prints or None)] of a page."""
    found = [(match[1], match[2], match.start(), match.end()) for match in BLOCK.finditer(text)]
    programs = []
    for i, (language, code, _, end) in enumerate(found):
        if language == "python":
            after = found[i + 1] if i + 1 < len(found) else ("", "", -1, -1)
            told = after[0] == "text" and text[end : after[2]].strip() == "It prints"
            programs.append((code, after[1] if told else None))
    return programs


def programs(page):
    """The programs of a page, each named by its heading."""
    found = []
    for section in (HERE.parent / page).read_text().split("\n## ")[1:]:
        title = section.split("\n", 1)[0]
        some = blocks(section)
        found += [
            pytest.param(code, prints, id=title + (f" {i + 1}" if len(some) > 1 else ""))
            for i, (code, prints) in enumerate(some)
        ]
    return found


def packages(code):
    """What a program imports, at any place."""
    names = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module.split(".")[0])
    return names


def mpiexec():
    beside = shutil.which("mpiexec", path=str(Path(sys.executable).parent))
    return beside or shutil.which("mpiexec") or pytest.skip("mpi4py is here, but mpiexec is not")


def command(code):
    """How the program is started; skips the test where something that it needs is missing."""
    names, python = packages(code), [sys.executable, "-X", "dev"]
    for name in sorted(names - sys.stdlib_module_names):
        if not importlib.util.find_spec(name):
            pytest.skip(f"{name} is not installed")
    if ("cupy" in names or needs_compiler(code)) and baton.info()["driver"] != "cuda":
        pytest.skip("this needs a GPU")
    if '"cc"' in code and baton.info()["driver"] == "soft" and not shutil.which("cc"):
        pytest.skip("no C compiler")
    return [mpiexec(), "-n", str(RANKS), *python] if "mpi4py" in names else python


def needs_compiler(code):
    """It compiles CUDA, and has nothing else for the software device."""
    return "baton.compile(" in code and "baton.host_kernel(" not in code


def run(code, tmp_path):
    program = tmp_path / "recipe.py"
    program.write_text(code)
    return subprocess.run(
        [*command(code), program],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
        env={**os.environ, **MPI, "PYTHONWARNINGS": "default"},
    )


def complaints(code, errors):
    """Other packages may warn when they are imported; a program without them says nothing. That a driver takes its time to begin is no complaint: asyncio tells
    in development mode when a task has kept the others waiting."""
    lines = [line for line in errors.splitlines() if not (line.startswith("Executing <") and line.endswith(" seconds"))]
    if packages(code) <= sys.stdlib_module_names | {"baton", "numpy"}:
        return lines
    return [line for line in lines if "recipe.py" in line or "baton" in line]


@pytest.mark.parametrize(("code", "prints"), programs("RECIPES.md"))
def test_a_recipe_runs_and_prints_what_the_page_says(code, prints, tmp_path):
    result = run(code, tmp_path)
    assert result.returncode == 0, result.stderr
    assert prints is not None and result.stdout.splitlines() == prints.splitlines()
    assert complaints(code, result.stderr) == []


@pytest.mark.parametrize(("code", "prints"), programs("README.md"))
def test_a_program_of_the_readme_runs(code, prints, tmp_path):
    result = run(code, tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout == (prints or "")
    assert complaints(code, result.stderr) == []


def test_the_page_has_ten_recipes_and_lists_each():
    page = (HERE.parent / "RECIPES.md").read_text()
    titles = re.findall(r"^## (.*)$", page, re.MULTILINE)
    listed = re.findall(r"\[([^]]*)\]\(#([^)]*)\)", page)
    assert len(titles) == 10 and sorted(title for title, _ in listed) == sorted(titles)
    for title, anchor in listed:  # as GitHub makes it
        assert anchor == re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def test_the_readme_has_programs_and_its_first_one_prints():
    found = programs("README.md")
    assert len(found) >= 6 and found[0].values[1]


def test_a_program_is_found_with_what_it_prints():
    text = "```python\na\n```\n\nIt prints\n\n```text\nb\n```\nOther\n\n```python\nc\n```\n\nwords\n\n```text\nd\n```\n"
    assert blocks(text) == [("a\n", "b\n"), ("c\n", None)]
