#!/bin/sh
# The Julia files are Julia, and use the generated calls as they are declared. scripts/julia-test installs the grammar.
. "$(dirname "$0")/common.sh"
sources_only
python=$build/julia/venv/bin/python
[ -x "$python" ] || python=${PYTHON3:-python3}
"$python" -c 'import tree_sitter, tree_sitter_julia' 2>/dev/null || skip "Julia's grammar is missing: scripts/julia-test"
"$python" "$top/test/julia/syntax.py" "$top/bindings/julia" || problem 'the Julia files are wrong'
finish
