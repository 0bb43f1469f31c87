"""Made the files of this folder: ``python make_files.py FOLDER`` with the bayleaf that had format version 1 first.

They are kept as they are, so that every later bayleaf is asked to read them. Do not make them again: a new format
gets a folder of its own.
"""

import json
import sys
from pathlib import Path

import numpy as np
import polars as pl

import bayleaf as bl


def rows(n, seed, gaps):
    """Return months and their seasons, a truth value and numbers; the class depends on season and number."""
    rng = np.random.default_rng(seed)
    month = rng.integers(0, 6, n)
    season = np.array(["cold", "mild", "warm"])[month // 2]
    number = rng.normal(size=n).round(2) + (month // 2)
    columns = {
        "month": [f"m{code}" for code in month],
        "season": season.tolist(),
        "open": (rng.random(n) < 0.5).tolist(),
        "number": number.tolist(),
    }
    for values in columns.values():
        values[:] = [None if rng.random() < gaps else value for value in values]
    return pl.DataFrame(columns), np.where(number + rng.normal(size=n) / 2 > 1, "yes", "no")


def models():
    """Yield a fitted model of every kind, by the name of its file."""
    X, y = rows(60, 0, 0.05)
    yield "one_network", bl.BayesNetClassifier(loss={"yes": {"no": 3}}, unknown="error").fit(X, y)
    fkdb = bl.FKDB(2, functional_dependencies=True, min_count=3)
    yield "instance_network", bl.BayesNetClassifier(fkdb, bl.Laplace(), missing="impute").fit(X, y)
    yield "averaged", bl.AveragedClassifier(bl.AODE()).fit(X, y)
    member = bl.BayesNetClassifier(bl.TAN(), bl.Shrinkage(), bl.MDLP())
    yield "bagged", bl.BaggedClassifier(member, 3, "majority", random_state=0).fit(X, y)
    yield "pool", bl.NetworkPool(cycles=1, seeds=1).fit(X, y)
    batches = bl.BayesNetClassifier(bl.NaiveBayes(), half_life=50.0)
    batches.partial_fit(X[:40], y[:40], classes=["no", "yes"]).partial_fit(X[40:], y[40:])
    yield "partial_fit", batches


def main(folder):
    """Write the files, and beside them what each model answered in this process."""
    new, _ = rows(12, 1, 0.2)
    more = rows(30, 2, 0.05)
    expected = {"rows": new.to_dicts(), "more": [more[0].to_dicts(), more[1].tolist()], "answers": {}}
    for name, model in models():
        model.save(folder / f"{name}.bayleaf.json.gz")
        answer = {"predict_proba": model.predict_proba(new).tolist(), "predict": model.predict(new).tolist()}
        if name == "partial_fit":
            answer["after_more"] = model.partial_fit(*more).predict_proba(new).tolist()
        if name == "one_network":
            model.network_.save(folder / "network.json.gz")
            given = {"season": "warm", "open": True}
            answer["posterior"] = [given, model.network_.posterior("class", given)]
        expected["answers"][name] = answer
    (folder / "expected.json").write_text(json.dumps(expected) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
