"""packaging/watched.sh keeps the reports of sanitizers, and trusts them only once they noticed planted faults."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "packaging" / "watched.sh"
# In place of Python: a process that ends with a report where the sanitizers notice something, as theirs do.
STAND_IN = """#!/bin/sh
place=${ASAN_OPTIONS##*log_path=}
case "$*" in
    *beyond_the_end*) %s echo "ERROR: AddressSanitizer: heap-buffer-overflow" > $place.1; exit 1 ;;
    *overflow*) %s echo "runtime error: signed integer overflow" >&2; exit 1 ;;
esac
%s
"""


@pytest.mark.parametrize(
    ("first", "second", "then", "code", "words"),
    [
        ("", "", "exit 0", 0, ""),
        ("", "", "exit 1", 1, ""),  # a test failed, without a report
        (
            "",
            "",
            "echo 'use after free' > $place.9; exit 1",
            1,
            "use after free\nThe sanitizers found a fault; the rep",
        ),
        ("", "", "echo 'in a child' > $place.9; exit 0", 1, "in a child\n"),
        ("exit 0;", "", "exit 0", 3, "did not notice a planted fault (heap-buffer-overflow)"),
        (
            "exit 1;",
            "",
            "exit 0",
            3,
            "did not notice a planted fault (heap-buffer-overflow)",
        ),  # it ends otherwise
        ("", "exit 0;", "exit 0", 3, "did not notice a planted fault (signed integer overflow)"),
    ],
)
def test_reports_are_shown_and_planted_faults_must_be_noticed(first, second, then, code, words, tmp_path):
    python = tmp_path / "python"
    python.write_text(STAND_IN % (first, second, then))
    python.chmod(python.stat().st_mode | stat.S_IEXEC)
    found = subprocess.run(
        [SCRIPT, python, "tests"],
        cwd=tmp_path,
        env={**os.environ, "WATCHERS": ""},
        capture_output=True,
        text=True,
    )
    assert found.returncode == code
    assert words in found.stderr
    assert words or not found.stderr
