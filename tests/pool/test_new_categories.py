"""Where most values of a column occur once, a pool knows how good it is on rows whose values are new."""

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import log_loss

import bayleaf as bl

QUICK = {"cycles": 1, "seeds": 1, "n_jobs": 1}


def remarks(rows, seed):
    """A number and remarks by Zipf's law: frequent ones lean to a class each, rare ones are mostly of one."""
    rng = np.random.default_rng(seed)
    rank = np.floor(1e7 ** rng.random(rows)).astype(np.int64)
    number = rng.normal(size=rows)
    leans = np.random.default_rng(1).normal(0, 3, 200)
    score = number + np.where(rank < 200, leans[np.minimum(rank, 199)], 4.0)
    y = np.where(rng.random(rows) < 1 / (1 + np.exp(-score)), "yes", "no")
    least = np.logaddexp(0, np.where(y == "yes", -score, score))  # the log-loss of the true probabilities
    return pl.DataFrame({"number": number, "remark": [f"r{k}" for k in rank.tolist()]}), y, least.mean()


@pytest.fixture(scope="module")
def pools():
    X, y, _ = remarks(2000, 0)
    return {name: bl.NetworkPool(min_frequency=name, **QUICK).fit(X, y) for name in (1, None)}


@pytest.mark.filterwarnings("ignore:Column 'remark' has:UserWarning")
def test_its_own_figures_hold_on_new_rows(pools):
    X, _, least = remarks(2000, 0)
    assert X["remark"].n_unique() > 1000
    new, truth, least_new = remarks(20_000, 1)
    reached = {name: log_loss(truth, pool.predict_proba(new)) - least_new for name, pool in pools.items()}
    said = {name: pool.out_of_sample_.log_loss - least for name, pool in pools.items()}
    assert reached[None] < said[None] + 0.02
    assert reached[1] > said[1] + 0.03  # as it is where every value is learned as it is
    assert reached[None] < reached[1] - 0.03


def test_values_of_one_row_are_known_again_and_new_ones_are_not_gaps(pools):
    X = remarks(2000, 0)[0]
    pool = pools[None]
    variable = pool.schema_.features[1]
    counts = X["remark"].value_counts()
    single = counts.filter(pl.col("count") == 1)["remark"].to_list()
    rows = pl.DataFrame({"number": [0.0, 0.0, 0.0], "remark": [single[0], single[1], "never seen"]})
    codes = pool.encode(rows).codes[:, 1]
    assert [variable.states[code] for code in codes] == [single[0], single[1], "(other)"]
    seen, other, new = pool.predict_proba(rows)
    assert (seen == other).all()
    assert new[1] > 0.9  # like most rows with a remark of their own
    assert pool.explain(rows[2:]).evidence[0, 1] > 1


def test_files_and_tables_keep_it(pools, tmp_path):
    new, _, _ = remarks(200, 2)
    pools[None].save(tmp_path / "pool.json")
    again = bl.load(tmp_path / "pool.json")
    assert (again.predict_proba(new) == pools[None].predict_proba(new)).all()
    assert again.schema_ == pools[None].schema_
    score = again.scorer()
    assert (
        score({"number": 0.5, "remark": "never seen"})
        == again.predict_proba(pl.DataFrame({"number": [0.5], "remark": ["never seen"]}))[0]
    ).all()
