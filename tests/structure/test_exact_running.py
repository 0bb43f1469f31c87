"""What an exact search says before it starts and while it runs, and how it stops."""

import logging
import os
import pty
import re
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from bayleaf.scores import BDeu
from bayleaf.search import Limits
from bayleaf.search.optimal import estimate
from bayleaf.search.problem import make_problem
from bayleaf.structure import Exact
from bayleaf.table import Table, Variable
from reference.scored_networks import random_table

SEARCH = textwrap.dedent(
    """
    import threading
    import numpy as np
    from bayleaf.structure import Exact
    from bayleaf.table import Table, Variable

    def search(n, rows):
        codes = np.random.default_rng(0).integers(0, 2, (rows, n))
        table = Table.from_codes(tuple(Variable(f"v{j}", (0, 1), None, "integer") for j in range(n)), codes)
        return Exact().learn(table, np.random.default_rng(0))
    """
)


def many(n):
    return Table.from_codes(
        tuple(Variable(f"v{j}", (0, 1), None, "integer") for j in range(n)), np.zeros((2, n), dtype=int)
    )


def needs(n, limit=None, augmented=False):
    table = random_table(np.random.default_rng(0), n, 100, target=n - 1)
    problem = make_problem(table, Limits(augmented=augmented))
    return estimate(problem, BDeu().set_form(table), limit)


def test_time_and_memory_are_stated_before_the_start(caplog):
    with caplog.at_level(logging.INFO, logger="bayleaf"):
        Exact().learn(random_table(np.random.default_rng(0), 5, 50), np.random.default_rng(0))
    assert re.search(
        r"Exact search over 5 variables \(50 rows\): about [\d.]+ \w+ and [\d.]+ s\.", caplog.text
    )


def test_needs_grow_with_the_variables_and_shrink_with_the_class():
    assert needs(20).memory > 1.9 * needs(19).memory
    assert needs(20).seconds > 1.9 * needs(19).seconds
    assert needs(20, augmented=True).memory == needs(19).memory


def test_single_precision_is_announced_when_double_does_not_fit():
    double = needs(20)
    assert not double.single_precision
    single = needs(20, limit=0.7 * double.memory)
    assert single.single_precision
    assert single.memory < double.memory


def test_too_many_variables_are_refused_with_advice_before_the_start(caplog):
    message = (
        r"30 variables needs about .* GiB \(limit 1.0 GiB\). Use a selector, fewer columns, or HillClimbing."
    )
    with caplog.at_level(logging.INFO, logger="bayleaf"), pytest.raises(ValueError, match=message):
        Exact(memory_limit=float(2**30)).learn(many(30), np.random.default_rng(0))
    assert "Exact search" not in caplog.text
    with pytest.raises(ValueError, match=r"over 100 variables needs about .* TiB"):
        Exact().learn(many(100), np.random.default_rng(0))


def test_ctrl_c_stops_the_search_and_leaves_no_thread_behind():
    script = SEARCH + textwrap.dedent(
        """
        print("ready", flush=True)
        try:
            search(25, 20000)
        except KeyboardInterrupt:
            print("stopped", threading.active_count(), search(4, 50) is not None, flush=True)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    try:
        process.wait(1.0)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert out == "stopped 1 True\n"
    assert process.returncode == 0


def test_a_terminal_shows_progress_with_the_time_remaining():
    master, slave = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        [sys.executable, "-c", SEARCH + "search(21, 20000)"], stderr=slave, stdout=slave, env=environment
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        shown += part
    os.close(master)
    assert process.wait(60) == 0
    text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown.decode())
    assert "Counting sets of variables" in text
    # Elapsed time, then the time remaining.
    assert re.search(r"Counting sets of variables .*\d:\d\d:\d\d \d:\d\d:\d\d", text)


def test_without_a_terminal_nothing_is_shown():
    done = subprocess.run(
        [sys.executable, "-c", SEARCH + "search(19, 20000)"], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")
