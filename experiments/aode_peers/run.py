"""AODE and WAODE beside Weka's and scikit-bayes' on the same folds of discrete data sets.

Missing values are a category of their own, for all alike. ``apart`` is the largest difference of any probability from
bayleaf's. Seconds are CPU time on one thread, the shortest of three.

    python experiments/aode_peers/run.py --weka weka.jar --scikit-bayes OTHER_ENVIRONMENT/bin/python [SET ...]

Peers that are not named are left out. Each fold's line is appended to ``results/folds.csv``, and folds that are there
already are not run again; ``results/table.csv`` is made from it.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

import bayleaf as bl

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import datafolder  # noqa: E402

SETS = (
    "audiology",
    "breast-cancer",
    "car",
    "connect-4",
    "flare",
    "kr-vs-kp",
    "led7",
    "mofn-3-7-10",
    "mushroom",
    "nursery",
    "poker-hand-train",
    "primary-tumor",
    "sign",
    "soybean",
    "spect",
    "tic-tac-toe",
    "vote",
)
FOLDS = 5
MEASURES = ("accuracy", "log_loss", "apart", "fit_s", "predict_s")
FIELDS = ("dataset", "fold", "method", "rows", "features", *MEASURES)
# Methods of bayleaf, and what they are called in Weka.
OURS = {"AODE": "weka.classifiers.bayes.AODE", "WAODE": "weka.classifiers.bayes.WAODE"}
SMALLEST = 1e-15


def read(name: str) -> tuple[pl.DataFrame, NDArray[np.int64], list[list[str]]]:
    """Return a data set with a category for missing values, its classes as numbers, and all states of the columns."""
    frame = datafolder.read(name)
    texts = frame.select(pl.all().cast(pl.String).fill_null("?"))
    states = [sorted(texts[column].unique()) for column in texts.columns]
    enums = {column: pl.Enum(known) for column, known in zip(texts.columns, states, strict=True)}
    whole = texts.cast(enums)  # type: ignore[arg-type]
    return whole[:, :-1], whole[:, -1].to_physical().to_numpy().astype(np.int64), states


def ours(name: str, X: pl.DataFrame, y: Any, X_new: pl.DataFrame) -> tuple[NDArray[Any], float, float]:
    """Probabilities, and CPU seconds of fit and predict: the shortest of three."""
    fit = predict = np.inf
    for _ in range(3):
        model = bl.classifier(name, **datafolder.AS_PUBLISHED, n_jobs=1)
        start = time.process_time()
        model.fit(X, y)
        fit = min(fit, time.process_time() - start)
        start = time.process_time()
        found = model.predict_proba(X_new)
        predict = min(predict, time.process_time() - start)
    wide = np.zeros(
        (len(found), int(y.max()) + 1 if len(model.classes_) == 0 else int(model.classes_.max()) + 1)
    )
    wide[:, model.classes_] = found
    return wide, fit, predict


def write_arff(path: Path, X: pl.DataFrame, y: NDArray[np.int64], states: list[list[str]]) -> None:
    """Write codes as nominal values, with all states declared."""
    domains = [len(known) for known in states]
    lines = ["@relation fold"]
    for column, size in enumerate(domains):
        lines.append(f"@attribute a{column} {{{','.join(f's{state}' for state in range(size))}}}")
    lines.append("@data")
    codes = np.column_stack([X.select(pl.all().to_physical()).to_numpy(), y])
    lines += [",".join(f"s{code}" for code in row) for row in codes.tolist()]
    path.write_text("\n".join(lines) + "\n")


def run_peer(command: list[str], result: Path) -> tuple[NDArray[Any], float, float]:
    """Run a peer in its own process, on one thread."""
    environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"}
    subprocess.run(command, check=True, env=environment, capture_output=True)
    first, *rest = result.read_text().splitlines()
    fit, predict = map(float, first.split(","))
    return np.array([[float(p) for p in line.split(",")] for line in rest]), fit, predict


def fold_lines(
    name: str, fold: int, wanted: set[str], options: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """Measure the wanted methods on one fold."""
    X, y, states = read(name)
    classes = len(states[-1])
    train, test = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(y, y))[fold]
    found: dict[str, tuple[NDArray[Any], float, float]] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        result = folder / "probabilities.csv"
        for method in OURS:
            found[method] = ours(method, X[train], y[train], X[test])
        weka = {f"Weka {method}": kind for method, kind in OURS.items() if f"Weka {method}" in wanted}
        if weka:
            write_arff(folder / "train.arff", X[train], y[train], states)
            write_arff(folder / "test.arff", X[test], y[test], states)
        for method, kind in weka.items():
            files = [str(folder / "train.arff"), str(folder / "test.arff"), str(result)]
            command = ["java", "-cp", options.weka, str(HERE / "WekaProbabilities.java"), kind, *files]
            found[method] = run_peer(command, result)
        if "scikit-bayes AODE" in wanted:
            codes = X.select(pl.all().to_physical()).to_numpy().astype(np.int64)
            np.savez(folder / "fold.npz", X=codes[train], y=y[train], X_new=codes[test], classes=classes)
            command = [options.scikit_bayes, str(HERE / "scikit_bayes_worker.py")]
            found["scikit-bayes AODE"] = run_peer([*command, str(folder / "fold.npz"), str(result)], result)
    wide = {method: padded(found[method][0], classes) for method in found}
    for method, (_, fit, predict) in found.items():
        own = wide[method][np.arange(len(test)), y[test]]
        yield {
            "dataset": name,
            "fold": fold,
            "method": method,
            "rows": len(y),
            "features": X.width,
            "accuracy": float((wide[method].argmax(axis=1) == y[test]).mean()),
            "log_loss": float(-np.log(np.clip(own, SMALLEST, 1.0)).mean()),
            "apart": float(np.abs(wide[method] - wide[method.split()[-1]]).max()),
            "fit_s": fit,
            "predict_s": predict,
        }


def padded(probabilities: NDArray[Any], classes: int) -> NDArray[Any]:
    """Return probabilities of all classes: zero of those that come after the last in training."""
    wide = np.zeros((len(probabilities), classes))
    wide[:, : probabilities.shape[1]] = probabilities
    return wide


def summarise(folds: pl.DataFrame) -> pl.DataFrame:
    """Means over the folds, a line per data set and method that has them all."""
    whole = folds.filter(pl.len().over("dataset", "method") == FOLDS)
    means = whole.group_by("dataset", "method", maintain_order=True).agg(
        pl.col("rows", "features").first(), pl.col(MEASURES).exclude("apart").mean(), pl.col("apart").max()
    )
    rounded = [pl.col(MEASURES).exclude("apart").round(4), pl.col("apart").round_sig_figs(1)]
    return means.with_columns(rounded).sort("dataset", "method")


def main() -> None:
    """Run what is not there yet, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--weka", help="weka.jar of version 3.6, the last with AODE inside")
    parser.add_argument("--scikit-bayes", help="the Python of an environment that has scikit-bayes")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    options = parser.parse_args()
    methods = {*OURS, *(f"Weka {method}" for method in OURS if options.weka)}
    methods |= {"scikit-bayes AODE"} if options.scikit_bayes else set()
    options.results.mkdir(exist_ok=True)
    path = options.results / "folds.csv"
    known = pl.read_csv(path) if path.exists() else pl.DataFrame(schema=dict.fromkeys(FIELDS, pl.String))
    for name in options.sets:
        for fold in range(FOLDS):
            done = known.filter((pl.col("dataset") == name) & (pl.col("fold").cast(int) == fold))["method"]
            wanted = methods - set(done)
            if not wanted:
                continue
            measured = [line for line in fold_lines(name, fold, wanted, options) if line["method"] in wanted]
            lines = pl.DataFrame(measured).select(FIELDS)
            with path.open("a") as file:
                file.write(lines.write_csv(include_header=file.tell() == 0))
            print(lines)
    table = summarise(pl.read_csv(path))
    table.write_csv(options.results / "table.csv")
    print(
        table.group_by("method").agg(
            pl.col(MEASURES).exclude("apart").mean(), pl.col("apart").max(), pl.len()
        )
    )


if __name__ == "__main__":
    main()
