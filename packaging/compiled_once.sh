#!/usr/bin/env bash
# compiled_once.sh TREE PYTHON -m pip install|wheel ...: run pip on the source tree TREE. Where ccache is installed, what
# was compiled before, in this tree or in another, is taken from its store. For that the compiler must be called with
# the same words: what builds the package is put beside pip, not into an environment of its own for every build, and
# paths to our sources count as relative. Without ccache pip works as usual.
set -euo pipefail
tree=$(cd "$1" && pwd)
shift
command -v ccache > /dev/null || exec "$@"
read -ra needed <<< "$("$1" "$(dirname "$0")/build_needs.py")"
"$1" -m pip install --quiet --disable-pip-version-check "${needed[@]}"
export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR="$tree/cpp" CCACHE_NOHASHDIR=1
exec "$@" --no-build-isolation
