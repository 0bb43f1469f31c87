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

SCRIPT = Path(__file__).parents[2] / "reference" / "interrupted.py"
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


@pytest.fixture(scope="module")
def searching():
    """A process that searches what it is asked for, with a pipe and a terminal that it may write errors to."""
    pipe, terminal = os.pipe(), pty.openpty()
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT)],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=(pipe[1], terminal[1]),
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    try:
        yield process, pipe, terminal
        process.stdin.close()
        assert process.wait(timeout=PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        for end in (*pipe, *terminal):
            os.close(end)


@pytest.mark.skipif(sys.platform == "win32", reason="signals as Unix has them")
@pytest.mark.parametrize("name", list(SHOWN))
def test_ctrl_c_stops_a_search_and_keeps_the_estimator_as_it_was(name, searching):
    process, (errors, theirs), _ = searching
    process.stdin.write(f"{theirs} {name}\n".encode())
    assert _read_until(process.stdout.fileno(), b"\n", PATIENCE * 4) == b"searching\n"
    process.send_signal(signal.SIGINT)
    pressed = time.monotonic()
    answer = _read_until(process.stdout.fileno(), b"\n", PATIENCE).decode()
    stopped = time.monotonic() - pressed
    noise = _read_until(errors, None, 0.0).decode()
    if not answer:
        process.kill()
        pytest.fail(f"{name} did not stop within {PATIENCE} s")
    assert answer == "interrupted 1 as it was\n"
    # No bar: standard error is no terminal. A long exact search says so beforehand.
    announced = "Exact search over 25 variables (20000 rows): about " if name == "exact" else ""
    assert noise.startswith(announced)
    assert len(noise.splitlines()) == (name == "exact")
    assert stopped < PATIENCE


@pytest.mark.skipif(sys.platform == "win32", reason="signals as Unix has them")
@pytest.mark.parametrize("name", list(SHOWN))
def test_a_terminal_sees_a_bar_and_is_left_in_order(name, searching):
    process, _, (terminal, theirs) = searching
    process.stdin.write(f"{theirs} {name}\n".encode())
    seen = _read_until(terminal, SHOWN[name].encode(), PATIENCE * 4)
    process.send_signal(signal.SIGINT)
    answer = _read_until(process.stdout.fileno(), b"as it was\n", PATIENCE)
    seen += _read_until(terminal, None, 0.0)
    if not answer:
        process.kill()
    assert answer.endswith(b"as it was\n")
    assert SHOWN[name].encode() in seen
    assert seen.rindex(b"\x1b[?25h") > seen.rindex(b"\x1b[?25l"), "the cursor is still hidden"
    assert b"Traceback" not in seen


def _read_until(terminal, wanted, seconds):
    """Return what comes out of a terminal or pipe until a text is seen, the time is up or it is closed."""
    seen, end = b"", time.monotonic() + seconds
    while wanted is None or (wanted not in seen and time.monotonic() < end):
        if not select.select([terminal], [], [], max(0.0, end - time.monotonic()))[0]:
            break  # nothing more
        try:
            got = os.read(terminal, 65536)
        except OSError:  # closed on the other side
            break
        if not got:
            break
        seen += got
    return seen
