"""What an exact search says before it starts and while it runs, and how it stops."""

import logging
import os
import pty
import re
import sys
import threading
import tracemalloc
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from bayleaf._native import _core
from bayleaf._util import progress
from bayleaf._util.progress import Steps
from bayleaf.data import Table, Variable
from bayleaf.learn.scores import K2, BDeu
from bayleaf.learn.search import ExactLimits
from bayleaf.learn.search.exact_search import estimate, make_problem
from bayleaf.learn.structure import Exact
from reference.scored_networks import random_table


def many(n):
    return Table.from_codes(
        tuple(Variable(f"v{j}", (0, 1), None, "integer") for j in range(n)), np.zeros((2, n), dtype=int)
    )


def needs(n, limit=None, augmented=False):
    table = random_table(np.random.default_rng(0), n, 100, target=n - 1)
    problem = make_problem(table, ExactLimits(augmented=augmented))
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


def memory_of_rows(rows, n_jobs=1, limit=None, kinds=4):
    variables = tuple(Variable(f"v{j}", tuple(range(kinds)), None, "integer") for j in range(10))
    codes = np.random.default_rng(0).integers(0, kinds, (rows, 10))
    table = Table.from_codes(variables, codes, n_jobs=n_jobs)
    return estimate(make_problem(table, ExactLimits()), BDeu().set_form(table), limit).memory


def test_many_rows_take_memory_too():
    assert memory_of_rows(100) == memory_of_rows(10)  # the search for the best network takes more
    assert memory_of_rows(200_000) > 200_000 * 10 * 4
    assert memory_of_rows(200_000, n_jobs=2) > memory_of_rows(200_000)
    # Of ten variables with two states there are at most 1024 different rows.
    assert memory_of_rows(200_000, kinds=2) < 200_000 * 20 + 1024 * 300
    with pytest.raises(ValueError, match=r"10 variables needs about \d+ MiB; the limit of 1.0 MiB"):
        memory_of_rows(200_000, limit=2.0**20)


def test_single_precision_is_announced_when_double_does_not_fit():
    double = needs(20)
    assert not double.single_precision
    single = needs(20, limit=0.7 * double.memory)
    assert single.single_precision
    assert single.memory < double.memory


def test_too_many_variables_are_refused_with_advice_before_the_start(caplog):
    message = (
        r"30 variables needs about 13 GiB; the limit of 1.0 GiB \(memory_limit, in bytes\) is enough for 26. "
        "Keep fewer"
    )
    with caplog.at_level(logging.INFO, logger="bayleaf"), pytest.raises(ValueError, match=message):
        Exact(memory_limit=float(2**30)).learn(many(30), np.random.default_rng(0))
    assert "Exact search" not in caplog.text
    # As many as the message promises:
    assert needs(26, limit=2.0**30).memory <= 2**30
    for n in (41, 2000):
        with pytest.raises(ValueError, match=f"takes at most 40 variables. Got {n}. Keep fewer"):
            Exact(memory_limit=np.inf).learn(many(n), np.random.default_rng(0))


def test_a_limit_that_was_not_meant_in_bytes_is_shown_as_what_it_is():
    message = r"the limit of 10 bytes \(memory_limit, in bytes\) is enough for none\. "
    with pytest.raises(ValueError, match=message):
        Exact(memory_limit=10).learn(many(5), np.random.default_rng(0))


def test_a_long_search_is_announced_as_a_warning(caplog, monkeypatch):
    table = random_table(np.random.default_rng(0), 5, 50)
    Exact().learn(table, np.random.default_rng(0))
    assert caplog.text == ""
    monkeypatch.setattr("bayleaf.learn.search.exact_search._LONG", 0.0)
    Exact().learn(table, np.random.default_rng(0))
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_the_time_grows_with_rows_states_weights_and_sums():
    def seconds(score=None, rows=5000, states=3, **limits):
        rng = np.random.default_rng(0)
        weights = rng.random(rows) if limits.pop("real", False) else None
        variables = tuple(Variable(f"v{j}", tuple(range(states)), None, "integer") for j in range(16))
        table = Table.from_codes(variables, rng.integers(0, states, (rows, 16)), weights)
        form = (score or BDeu()).set_form(table)
        return estimate(make_problem(table, ExactLimits(**limits)), form, None).seconds

    usual = seconds()
    assert seconds(rows=50_000) > 5 * usual
    assert seconds(real=True) > 10 * usual
    assert seconds(K2()) > 1.5 * usual
    assert seconds(max_parents=2) < 0.5 * usual


def test_single_precision_gives_up_the_double_sums_before_the_search(monkeypatch):
    live = []

    def watched(joint, *others):
        live.append((joint.dtype, tracemalloc.get_traced_memory()[0]))
        return _core.best_network(joint, *others)

    monkeypatch.setattr(
        "bayleaf.learn.search.exact_search._core",
        SimpleNamespace(**{**vars(_core), "best_network": watched}),
    )
    table = random_table(np.random.default_rng(0), 18, 100)
    double = needs(18).memory
    tracemalloc.start()
    try:
        Exact(memory_limit=double - 1).learn(table, np.random.default_rng(0))
    finally:
        tracemalloc.stop()
    [(dtype, bytes_live)] = live
    assert dtype == np.float32
    assert bytes_live < 1.5 * 4 * 2**18


def search(n, rows):
    codes = np.random.default_rng(0).integers(0, 2, (rows, n))
    table = Table.from_codes(many(n).variables, codes)
    return Exact().learn(table, np.random.default_rng(0))


def test_a_terminal_shows_progress_with_the_time_remaining(monkeypatch):
    # As in a search that takes longer: a bar at once, moved often.
    monkeypatch.setattr(progress, "Steps", lambda *given, patience: Steps(*given))
    monkeypatch.setattr(progress, "_POLL_SECONDS", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    master, slave = pty.openpty()
    shown = []
    reading = threading.Thread(target=lambda: shown.extend(iter(partial(_read, master), b"")))
    reading.start()
    with open(slave, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        search(18, 20000)
    reading.join()
    os.close(master)
    text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", b"".join(shown).decode())
    assert "Counting sets of variables" in text
    # Elapsed time, then the time remaining.
    assert re.search(r"Counting sets of variables .*\d:\d\d:\d\d \d:\d\d:\d\d", text)


def _read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other side is closed
        return b""


def test_without_a_terminal_nothing_is_shown(capfd, monkeypatch):
    monkeypatch.setattr(progress, "Steps", lambda *given, patience: Steps(*given))
    search(18, 20000)
    assert capfd.readouterr() == ("", "")
