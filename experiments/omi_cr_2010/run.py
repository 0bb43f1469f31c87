"""Pernkopf & Bilmes (2010): discriminative k-trees, in one command that resumes where it was interrupted.

python experiments/omi_cr_2010/run.py [section3] [section63] [section64] [uci] [mnist] [missing] [tables]
"""

import csv
import json
import os
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from problems import section_3, section_6_3, section_6_4
from scipy.stats import ttest_rel

import bayleaf as bl
from bayleaf.evaluation import CrossValidation, TrainTest, evaluate
from bayleaf.evaluation.missing_features import accuracy_with_missing_features

HERE = Path(__file__).parent
RESULTS = HERE / "results"
EXPECTED = HERE.parent / "expected"
DATA = Path(os.environ.get("BAYLEAF_DATA", HERE.parents[2] / "shared" / "data"))

# Paper's name: file, training rows (None: five-fold cross-validation), shuffle before the split.
DATASETS: dict[str, tuple[str, int | None, bool]] = {
    "AUSTRALIAN": ("australian", None, False),
    "BREAST": ("breast-cancer-wisconsin", None, False),
    "CHESS": ("kr-vs-kp", 2130, True),
    "CLEVE": ("cleve", None, False),
    "CORRAL": ("corral", None, False),
    "CRX": ("crx", None, False),
    "DIABETES": ("pima", None, False),
    "FLARE": ("flare", None, False),
    "GERMAN": ("german", None, False),
    "GLASS": ("glass", None, False),
    "GLASS2": ("glass2", None, False),
    "HEART": ("heart", None, False),
    "HEPATITIS": ("hepatitis", None, False),
    "IRIS": ("iris", None, False),
    "LETTER": ("letter", 15_000, False),
    "LYMPHOGRAPHY": ("lymphography", None, False),
    "MOFN-3-7-10": ("mofn-3-7-10", 300, False),
    "PIMA": ("pima", None, False),
    "SHUTTLE-SMALL": ("shuttle-small", 3866, False),
    "VOTE": ("vote", None, False),
    "SATIMAGE": ("satimage", 4435, False),
    "SEGMENT": ("segment", 1540, True),
    "SOYBEAN-LARGE": ("soybean", None, False),
    "VEHICLE": ("vehicle", None, False),
    "WAVEFORM-21": ("waveform-21", 300, False),
}
METHODS = [
    "NB-ML", "NB-CL", "TAN-CMI-ML", "TAN-CMI-CL", "TAN-SuperParent-ML", "TAN-SuperParent-CL", "TAN-OMI-CR-ML",
    "TAN-OMI-CR-CL", "TAN-CR-ML", "TAN-CR-CL", "2-tree-SuperParent-ML", "2-tree-OMI-CR-ML", "2-tree-OMI-CR-CL",
    "2-tree-CR-ML", "2-tree-CR-CL", "TAN-OMI-CR-Ext-ML", "TAN-OMI-CR-Ext-CL", "TAN-OMISP-CR-ML", "TAN-OCR-CR-ML",
    "TAN-RO-CR-ML", "TAN-OMI-CRCL-ML", "TAN-OMI-CRCL-CL",
]  # fmt: skip
# Training the parameters of every candidate by CL is for small data, as in the paper.
SMALL_ONLY = {"TAN-OMI-CRCL-ML", "TAN-OMI-CRCL-CL"}


def load(file: str, shuffle: bool) -> tuple[pl.DataFrame, pl.Series]:
    """Complete rows (votes: missing is a value, as in the paper), categories as text."""
    schema = json.loads((DATA / "SCHEMA.json").read_text())[file]
    frame = pl.read_csv(DATA / f"{file}.csv.gz", infer_schema=False)
    frame = frame.fill_null("missing") if file == "vote" else frame.drop_nulls()
    frame = frame.with_columns(pl.col(schema["numeric"]).cast(pl.Float64))
    if shuffle:
        frame = frame[np.random.default_rng(0).permutation(len(frame))]
    return frame[:, :-1], frame[:, -1]


def mnist() -> tuple[np.ndarray, np.ndarray]:
    arrays = np.load(DATA / "mnist14.npz")
    return arrays["X"].astype(np.float64), arrays["y"]


def uci(methods: list[str], names: list[str]) -> None:
    """Table 7; also 5, 8 and 13 by their methods."""
    for name in names:
        file, training, shuffle = DATASETS[name]
        chosen = [m for m in methods if m not in SMALL_ONLY or training is None]
        protocol = CrossValidation(folds=5, stratified=True) if training is None else TrainTest(training)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*fewer than the .* folds")
            evaluate(
                {method: bl.classifier(method) for method in chosen},
                {name: partial(load, file, shuffle)},
                protocol,
                ["accuracy"],
                out=RESULTS / f"uci_{name.lower()}.csv",
            )


def run_mnist(methods: list[str]) -> None:
    evaluate(
        {method: bl.classifier(method) for method in methods},
        {"MNIST": mnist},
        TrainTest(60_000),
        ["accuracy"],
        out=RESULTS / "mnist.csv",
    )


def _append(file: Path, rows: list[dict[str, object]]) -> None:
    fresh = not file.exists()
    with file.open("a", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        if fresh:
            writer.writeheader()
        writer.writerows(rows)


def _done(file: Path, *keys: str) -> set[tuple[str, ...]]:
    if not file.exists():
        return set()
    with file.open() as lines:
        return {tuple(row[key] for key in keys) for row in csv.DictReader(lines)}


def _fit_score(method: str, training: tuple, test: tuple) -> tuple[float, bl.BayesNetClassifier]:
    mask = np.ones(training[0].shape[1], dtype=bool)
    model = bl.classifier(method, categorical_features=mask, random_state=0).fit(*training)
    return float(model.score(*test)), model


def run_section_3(runs: int = 100) -> None:
    """Figure 3 and Figure 4."""
    file = RESULTS / "section3.csv"
    done = _done(file, "rows", "run")
    methods = [
        "NB-ML",
        "NB-CL",
        "TAN-CMI-ML",
        "TAN-CMI-CL",
        "TAN-OMI-CR-ML",
        "TAN-OMI-CR-CL",
        "TAN-CR-ML",
        "TAN-SuperParent-ML",
        "TAN-OMI-CL-ML",
    ]
    for size in (20, 50, 100, 200, 500, 1000):
        for run in range(runs):
            if (str(size), str(run)) in done:
                continue
            rng = np.random.default_rng([3, size, run])
            training, test = section_3(size, rng), section_3(1000, rng)
            rows = []
            for method in methods:
                accuracy, model = _fit_score(method, training, test)
                arcs = {frozenset(arc) for arc in model.network_.arcs}
                found = int(frozenset(("x0", "x2")) in arcs)
                rows.append(
                    {"rows": size, "run": run, "method": method, "accuracy": accuracy, "x1_x3": found}
                )
            _append(file, rows)


def run_section_63(runs: int = 20, rows: int = 100_000) -> None:
    """Figure 9: training CLL of one-trees on random distributions."""
    file = RESULTS / "section63.csv"
    done = _done(file, "variables", "run")
    for variables in range(10, 15):
        for run in range(runs):
            if (str(variables), str(run)) in done:
                continue
            X, y = section_6_3(variables, rows, np.random.default_rng([63, variables, run]))
            mask = np.ones(X.shape[1], dtype=bool)
            models = {
                m: bl.classifier(m, categorical_features=mask, random_state=run)
                for m in ("NB-ML", "TAN-CMI-ML", "TAN-RO-CL-ML", "TAN-OMI-CL-ML", "TAN-CL-ML")
            }
            lines = []
            for method, model in models.items():
                posterior = model.fit(X, y).predict_log_proba(X)
                lines.append(
                    {
                        "variables": variables,
                        "run": run,
                        "method": method,
                        "cll": float(posterior[np.arange(rows), y].sum()),
                    }
                )
            order = bl.classifier("TAN-OMI-CL-ML").structure
            reverse = _omi_order(models["TAN-OMI-CL-ML"], X, y)[::-1]
            minimal = bl.BayesNetClassifier(
                bl.OrderBased(reverse, score=order.score), bl.MaximumLikelihood(), categorical_features=mask
            )
            posterior = minimal.fit(X, y).predict_log_proba(X)
            lines.append(
                {
                    "variables": variables,
                    "run": run,
                    "method": "reversed OMI",
                    "cll": float(posterior[np.arange(rows), y].sum()),
                }
            )
            _append(file, lines)


def _omi_order(model: bl.BayesNetClassifier, X: np.ndarray, y: np.ndarray) -> list[str]:
    from bayleaf.structure.orders import omi

    features = model.encode(X)
    table = bl.Table.from_codes(
        (*features.variables, model.schema_.target), np.column_stack([features.codes, y]), target=X.shape[1]
    )
    return [table.names[k] for k in omi(table, np.random.default_rng(0))]


def run_section_64(runs: int = 5) -> None:
    """Figure 10."""
    file = RESULTS / "section64.csv"
    done = _done(file, "features", "run")
    for features in (5, 10, 15, 20, 25, 30):
        for run in range(runs):
            if (str(features), str(run)) in done:
                continue
            training, test = section_6_4(features, np.random.default_rng([64, features, run]))
            rows = [
                {
                    "features": features,
                    "run": run,
                    "method": method,
                    "accuracy": _fit_score(method, training, test)[0],
                }
                for method in ("NB-ML", "TAN-CMI-ML", "TAN-OMI-CR-ML", "TAN-CR-ML")
            ]
            _append(file, rows)


def run_missing(names: tuple[str, ...] = ("SATIMAGE", "LETTER"), repeats: int = 10) -> None:
    """Figures 11-13: accuracy against the number of missing features."""
    methods = ["NB-ML", "NB-CL", "TAN-CMI-ML", "TAN-OMI-CR-ML", "TAN-CR-ML", "TAN-CR-CL"]
    for name in names:
        target = RESULTS / f"missing_{name.lower()}.csv"
        if target.exists():
            continue
        file, training, shuffle = DATASETS[name]
        X, y = load(file, shuffle)
        models = {m: bl.classifier(m).fit(X[:training], y[:training]) for m in methods}
        most = X.shape[1]
        numbers = sorted({*range(0, min(most, 11)), *range(0, most, max(1, most // 8)), most - 1})
        accuracy_with_missing_features(
            models, X[training:], y[training:].to_numpy(), numbers, repeats=repeats
        ).write_csv(target)


def tables() -> None:
    """Our accuracies beside the paper's (Table 7) and the one-sided paired t-tests of Table 2."""
    published = {
        row["dataset"]: row
        for row in csv.DictReader((EXPECTED / "pernkopf_bilmes_2010_table7_accuracy.csv").open())
    }
    lines = [
        "# Accuracy in per cent: ours / paper's (Table 7)",
        "",
        "| data | " + " | ".join(METHODS) + " |",
        "|---" * (len(METHODS) + 1) + "|",
    ]
    ours: dict[str, dict[str, float]] = {method: {} for method in METHODS}
    for name in DATASETS:
        path = RESULTS / f"uci_{name.lower()}.csv"
        if not path.exists():
            continue
        frame = pl.read_csv(path, infer_schema=False).with_columns(
            pl.col("accuracy").cast(pl.Float64, strict=False)
        )
        means = dict(frame.group_by("method").agg(pl.col("accuracy").mean()).iter_rows())
        cells = []
        for method in METHODS:
            known = published.get(name, {}).get(method, "").split(" ")[0]
            if means.get(method) is not None:
                ours[method][name] = means[method]
            own = f"{100 * means[method]:.2f}" if means.get(method) is not None else "-"
            cells.append(f"{own} / {known or '-'}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "# One-sided paired t-tests over the data sets that both have",
        "",
        "| better | worse | sets | p |",
        "|---|---|---|---|",
    ]
    for better, worse in (
        ("TAN-CMI-ML", "NB-ML"),
        ("TAN-OMI-CR-ML", "NB-ML"),
        ("TAN-OMI-CR-ML", "TAN-CMI-ML"),
        ("TAN-CR-ML", "TAN-OMI-CR-ML"),
        ("NB-CL", "NB-ML"),
        ("TAN-OMI-CR-CL", "TAN-OMI-CR-ML"),
    ):
        both = sorted(set(ours[better]) & set(ours[worse]))
        if len(both) > 2:
            p = ttest_rel(
                [ours[better][n] for n in both], [ours[worse][n] for n in both], alternative="greater"
            ).pvalue
            lines.append(f"| {better} | {worse} | {len(both)} | {p:.4f} |")
    (RESULTS / "tables.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, key in (("section3", "rows"), ("section64", "features"), ("section63", "variables")):
        path = RESULTS / f"{name}.csv"
        if path.exists():
            frame = pl.read_csv(path)
            value = "cll" if name == "section63" else "accuracy"
            frame.pivot("method", index=key, values=value, aggregate_function="mean").write_csv(
                RESULTS / f"{name}_means.csv", float_precision=4
            )


def main(parts: list[str]) -> None:
    RESULTS.mkdir(exist_ok=True)
    actions = {
        "section3": run_section_3,
        "section63": run_section_63,
        "section64": run_section_64,
        "fixed": lambda: uci(
            ["NB-ML", "TAN-CMI-ML", "TAN-OMI-CR-ML", "TAN-CR-ML", "NB-CL"],
            ["CHESS", "SEGMENT", "SATIMAGE", "LETTER"],
        ),
        "uci": lambda: uci(METHODS, list(DATASETS)),
        "mnist": lambda: run_mnist(
            [
                "NB-ML",
                "NB-CL",
                "TAN-CMI-ML",
                "TAN-CMI-CL",
                "TAN-OMI-CR-ML",
                "TAN-OMI-CR-CL",
                "TAN-OMI-CR-Ext-ML",
                "TAN-CR-ML",
            ]
        ),
        "missing": run_missing,
        "tables": tables,
    }
    for part in parts or list(actions):
        actions[part]()


if __name__ == "__main__":
    main(sys.argv[1:])
