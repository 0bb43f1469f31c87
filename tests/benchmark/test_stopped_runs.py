"""Ctrl-C ends a run in several processes. They end with it: so this comes after the other tests that use them."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from bayleaf.benchmark import CrossValidation, Results, evaluate


class Slow(DummyClassifier):
    def fit(self, X, y, sample_weight=None):
        time.sleep(0.1)
        return super().fit(X, y)


def test_control_c_stops_cleanly_and_keeps_what_is_done(tmp_path):
    out = tmp_path / "results.csv"

    over = threading.Event()

    def press_after_two_folds():
        while not over.wait(0.02):
            if out.exists() and out.read_text().count("\n") >= 3:
                os.kill(os.getpid(), signal.SIGINT)
                return

    data = (np.zeros((100, 2)), np.arange(100) % 2)
    user = threading.Thread(target=press_after_two_folds)
    user.start()
    try:
        with pytest.raises(KeyboardInterrupt) as stopped:
            evaluate({"slow": Slow()}, {"zeros": data}, CrossValidation(100), n_jobs=2, out=out)
    finally:
        over.set()
        user.join()
    assert "of 100 units of work" in stopped.value.__notes__[-1]
    assert 2 <= Results.read(out).frame.height < 100
