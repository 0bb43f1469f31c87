"""Ctrl-C ends a long search at once, wherever it is, and leaves nothing half done. Bars are for terminals only."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "reference" / "interrupted.py"
SHOWN = {
    "order-based": "Ordering features",
    "greedy": "Adding arcs",
    "superparent": "Adopting children",
    "climbing": "Hill-climbing",
    "conditional likelihood": "Maximising conditional likelihood",
    "exact": "Counting sets of variables",
}
# A second is what a user gets; a loaded machine with slow tests beside gets more. The searches take minutes.
PATIENCE = 30.0


def test_the_script_knows_these_searches():
    from reference import interrupted

    assert list(interrupted.METHODS) == list(SHOWN)


@pytest.mark.skipif(sys.platform == "win32", reason="signals as Unix has them")
@pytest.mark.parametrize("name", list(SHOWN))
def test_ctrl_c_stops_a_search_and_keeps_the_estimator_as_it_was(name):
    with subprocess.Popen(
        [sys.executable, str(SCRIPT), name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "searching\n"
        process.send_signal(signal.SIGINT)
        pressed = time.monotonic()
        try:
            answer, noise = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            pytest.fail(f"{name} did not stop within {PATIENCE} s")
        stopped = time.monotonic() - pressed
    assert answer == "interrupted as it was 1\n"
    # No bar: standard error is no terminal. A long exact search says so beforehand.
    announced = "Exact search over 25 variables (20000 rows): about " if name == "exact" else ""
    assert noise.startswith(announced)
    assert len(noise.splitlines()) == (name == "exact")
    assert process.returncode == 0
    assert stopped < PATIENCE


@pytest.mark.skipif(sys.platform == "win32", reason="signals as Unix has them")
@pytest.mark.parametrize("name", list(SHOWN))
def test_a_terminal_sees_a_bar_and_is_left_in_order(name):
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(
        [sys.executable, str(SCRIPT), name],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=environment,
    ) as process:
        os.close(theirs)
        seen = _read_until(ours, SHOWN[name].encode(), PATIENCE * 4)
        process.send_signal(signal.SIGINT)
        seen += _read_until(ours, None, PATIENCE)
        process.wait(timeout=PATIENCE)
    os.close(ours)
    assert SHOWN[name].encode() in seen
    assert seen.rindex(b"\x1b[?25h") > seen.rindex(b"\x1b[?25l"), "the cursor is still hidden"
    assert b"Traceback" not in seen


def _read_until(terminal, wanted, seconds):
    """Return what comes out of a terminal until a text is seen, or until it is closed."""
    seen, end = b"", time.monotonic() + seconds
    while time.monotonic() < end and (wanted is None or wanted not in seen):
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            got = os.read(terminal, 65536)
        except OSError:  # closed on the other side
            break
        if not got:
            break
        seen += got
    return seen
