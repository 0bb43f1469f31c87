"""How far the figures that a fit gives of itself hold on new rows where most values of a column occur once.

    python experiments/probabilities/rare_values.py

The tables are made by rule: two numbers, a department, a clerk and a remark, in words of syllables. Remarks are
drawn by Zipf's law (the k-th most frequent with a chance of 1 / k), so that some are frequent and most occur once.
Each frequent remark leans to a class, and rare ones are more frequent in one class. ``out_of_sample_`` of a fit is
compared with the log-loss on 20,000 new rows of the same source. With ``min_frequency=1`` the pool learns every
remark as it is, those of one row too.

Training rows differ by chance: of all figures, what the true probabilities reach on the same rows is subtracted.
Means over several tables are written to results/rare_values.csv.
"""

import warnings
from pathlib import Path

import numpy as np
import polars as pl
import protocol

import bayleaf as bl

RESULTS = Path(__file__).parent / "results" / "rare_values.csv"
SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "vu", "wa")
# How many remarks there are to draw from, how much frequent ones say of the class, and rare ones.
KINDS = {
    "silent": (1e9, 0.0, 0.0),
    "telling": (1e9, 1.5, 1.5),
    "fewer": (1e5, 1.5, 1.5),
    "strong": (1e7, 3.0, 4.0),
}
FREQUENT = 200
# Rows of a table, and how many tables.
SIZES = {1_000: 10, 3_000: 5, 15_000: 3}
NEW_ROWS = 20_000
MODELS = {
    "one network": bl.BayesNetClassifier(),
    "one network, min_frequency=2": bl.BayesNetClassifier(min_frequency=2),
    "pool, min_frequency=1": bl.NetworkPool(min_frequency=1),
    "pool": bl.NetworkPool(),
}


def spelled(number: int) -> str:
    """Return a word of syllables for a number, another one for each."""
    word = ""
    while number or len(word) < 6:
        number, digit = divmod(number, len(SYLLABLES))
        word += SYLLABLES[digit]
    return word


def made(kind: str, rows: int, seed: int) -> tuple[pl.DataFrame, np.ndarray, float]:
    """Return a table, whether each row has the class, and the log-loss of the true probabilities."""
    remarks, leans, tells = KINDS[kind]
    rng = np.random.default_rng(seed)
    rank = np.floor(remarks ** rng.random(rows)).astype(np.int64)
    department, clerk = rng.integers(6, size=rows), rng.integers(40, size=rows)
    age, amount = rng.normal(50, 15, rows), rng.lognormal(4, 1, rows)
    # What a department, a clerk and a remark say is the same in all tables.
    own = np.random.default_rng(1)
    of_department, of_clerk, of_remark = (
        own.normal(0, 0.8, 6),
        own.normal(0, 0.5, 40),
        own.normal(0, 1, FREQUENT),
    )
    score = 0.05 * (age - 50) - 0.7 * (np.log(amount) - 4) * (department < 3)
    score += of_department[department] + of_clerk[clerk]
    score += np.where(rank < FREQUENT, leans * of_remark[np.minimum(rank, FREQUENT - 1)], tells)
    has_class = rng.random(rows) < 1 / (1 + np.exp(-score))
    columns = {
        "age": age,
        "amount": amount,
        "department": [spelled(each) for each in department.tolist()],
        "clerk": [spelled(1000 + each) for each in clerk.tolist()],
        "remark": [spelled(each) for each in rank.tolist()],
    }
    return pl.DataFrame(columns), has_class, float(np.logaddexp(0, np.where(has_class, -score, score)).mean())


def main() -> None:
    warnings.simplefilter("ignore")
    RESULTS.unlink(missing_ok=True)
    for kind in KINDS:
        new_rows, new_classes, least_new = made(kind, NEW_ROWS, seed=0)
        for rows, tables in SIZES.items():
            remarks, found = 0.0, {name: np.zeros(2) for name in MODELS}
            for seed in range(rows, rows + tables):
                X, y, least = made(kind, rows, seed)
                remarks += X["remark"].n_unique() / tables
                for name, model in MODELS.items():
                    said = model.fit(X, y).out_of_sample_.log_loss
                    reached = protocol.measures(model.predict_proba(new_rows), new_classes.astype(int))[0]
                    found[name] += np.array([said - least, reached - least_new]) / tables
            for name, (said, reached) in found.items():
                line = {"table": kind, "rows": rows, "remarks": round(remarks), "model": name}
                line |= {"said": f"{said:.4f}", "new_rows": f"{reached:.4f}"}
                protocol.append(RESULTS, line)
                print(*line.values(), flush=True)


if __name__ == "__main__":
    main()
