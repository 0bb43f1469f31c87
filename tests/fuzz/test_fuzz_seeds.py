"""Inputs on which something was wrong once, and a few of each kind; ``make fuzz`` runs new ones."""

import json
import multiprocessing
import time

import pytest

from fuzz import run

SEEDS = [(kind, seed) for kind, seeds in json.loads(run.SEEDS.read_text()).items() for seed in seeds]


@pytest.mark.parametrize(("kind", "seed"), SEEDS, ids=str)
def test_kept_inputs_are_taken_or_refused(kind, seed):
    assert run.one(kind, seed) in (True, False)


def test_every_kind_has_kept_inputs():
    assert {kind for kind, _ in SEEDS} == set(run.KINDS)


def test_planted_findings_are_found(tmp_path):
    assert run.control(tmp_path / "found.jsonl") == []


def test_planted_findings_that_nobody_notes_are_missed(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "watch", lambda *_, **__: None)
    assert run.control(tmp_path / "found.jsonl", seconds=0.1) == list(run.PLANTED_FINDINGS)


@pytest.fixture
def board(monkeypatch):
    """Two kinds of one input each round, which is all there is time for."""
    monkeypatch.setattr(run, "KINDS", {"texts": 1, "streams": 1})
    return run.Board(["texts", "streams"])


def test_findings_are_counted_and_noted(board, monkeypatch, tmp_path, capsys):
    outcomes = {("texts", 5): True, ("streams", 5): False}

    def one(kind, seed):
        if seed == 6:
            board_over[0] = True
            raise IndexError("beyond the end")
        return outcomes.get((kind, seed), True)

    board_over = [False]
    monkeypatch.setattr(run, "one", one)
    monkeypatch.setattr(run.time, "time", lambda: 2.0 if board_over[0] else 0.0)
    board.next_seed[:] = [5, 5]
    found = tmp_path / "found.jsonl"
    run.work(board, 1.0, str(found))
    assert (list(board.taken), list(board.refused), list(board.findings)) == ([1, 0], [0, 1], [1, 0])
    noted = json.loads(found.read_text())
    assert (noted["kind"], noted["seed"]) == ("texts", 6)
    assert "IndexError: beyond the end" in noted["what"]
    assert capsys.readouterr().out == "texts 6: IndexError: beyond the end\n"


def test_counts_of_runs_add_up(board, tmp_path):
    path = tmp_path / "fuzz.csv"
    board.taken[:], board.refused[:], board.findings[:] = [3, 0], [2, 1], [0, 1]
    run.add_counts(board, path)
    run.add_counts(board, path)
    assert path.read_text().splitlines() == [
        "kind,inputs,taken,refused,findings",
        "texts,10,6,4,0",
        "streams,4,0,2,2",
    ]


class Stuck:
    """A worker that is in one input for longer than allowed, until it is killed."""

    pid, exitcode = 1, None

    def __init__(self, target, args):
        self.board = args[0]

    def start(self):
        self.board.place[:] = [1, 77]
        self.board.since.value = time.monotonic() - 100

    def is_alive(self):
        return self.exitcode is None

    def join(self, seconds=None):
        pass

    def kill(self):
        self.exitcode = -9


def test_what_hangs_is_stopped_and_noted(board, monkeypatch, tmp_path, capsys):
    context = type("Context", (), {"Process": Stuck})
    monkeypatch.setattr(multiprocessing, "get_context", lambda kind: context)
    times = iter([0.0, 0.0, 9.0])
    monkeypatch.setattr(run.time, "time", lambda: next(times))
    run.watch(board, 1.0, str(tmp_path / "found.jsonl"))
    assert list(board.findings) == [0, 1]
    assert "streams 77: takes too long" in capsys.readouterr().out
