"""CL training as the paper has it (conjugate gradients, stopped by held-out errors) beside ours (L-BFGS, by CLL)."""

from pathlib import Path
from typing import Any

import numpy as np
import published
from compared import TRAINED_INSIDE, classifiers
from data_sets import BY_COST

import bayleaf as bl
from bayleaf.benchmark import Cell, Results, ResultTable, evaluate
from bayleaf.models.published.pernkopf_bilmes_2010 import SEARCH_ITERATIONS

STRUCTURES = ("NB", "TAN-CMI", "TAN-SuperParent", "TAN-OMI-CR", "TAN-CR")
STRUCTURES += ("2-tree-SuperParent", "2-tree-OMI-CR", "2-tree-CR")
OURS, PUBLISHED = "ours", "as published"
MEASURES = ["accuracy", "log_loss", "fit_seconds"]


def as_published(max_iter: int = 200) -> bl.ConditionalLikelihood:
    """Return the training of the paper."""
    return bl.ConditionalLikelihood(max_iter, "error_tuning", optimizer="conjugate-gradient")


def trained(*, inside: bool) -> dict[str, Any]:
    """Build the classifiers with both trainings; ``inside``: those that train every candidate of the search."""
    if inside:
        found = classifiers(TRAINED_INSIDE, n_jobs=1)
        for name, model in found.items():
            model.set_params(structure__score__parameters=as_published(SEARCH_ITERATIONS))
            if name.endswith("-CL"):
                model.set_params(parameters=as_published())
        return {f"{name}, {PUBLISHED}": model for name, model in found.items()}
    names = tuple(f"{structure}-CL" for structure in STRUCTURES)
    ours, theirs = (classifiers(names, n_jobs=1) for _ in range(2))
    for model in theirs.values():
        model.set_params(parameters=as_published())
    ml = classifiers(tuple(f"{structure}-ML" for structure in STRUCTURES), n_jobs=1)
    return {
        **ml,
        **{f"{name}, {OURS}": model for name, model in ours.items()},
        **{f"{name}, {PUBLISHED}": model for name, model in theirs.items()},
    }


def run_training(out: Path, only: tuple[str, ...], jobs: int, *, costly: bool) -> None:
    """Measure both trainings on the UCI sets; inside the search, which takes long, only where that is asked for."""
    chosen = [each for each in BY_COST if not only or each.paper in only]
    for inside, file in ((False, "training.csv"), (True, "training_inside.csv")):
        if costly or not inside:
            evaluate(
                trained(inside=inside),
                {each.paper: each.load for each in chosen},
                {each.paper: each.protocol for each in chosen},
                MEASURES,
                n_jobs=jobs,
                out=out / file,
            )


def tables(out: Path) -> str:
    """Lay out how near each training comes to the paper, and its held-out log-loss."""
    if not (out / "training.csv").exists():
        return ""
    results = Results.read(out / "training.csv")
    means = {
        measure: {
            (li["dataset"], li["method"]): li["mean"] for li in results.spread(measure).iter_rows(named=True)
        }
        for measure in ("accuracy", "log_loss")
    }
    paper = published.read("table7_accuracy")
    sets = sorted({dataset for dataset, _ in means["accuracy"]})
    rows = []
    done = [
        each
        for each in STRUCTURES
        if all((name, f"{each}-CL, {PUBLISHED}") in means["accuracy"] for name in sets)
    ]
    for structure in done:
        theirs = np.array([paper[name][f"{structure}-CL"] for name in sets])
        same = sum(paper[name][f"{structure}-CL"] == paper[name][f"{structure}-ML"] for name in sets)
        for label in (OURS, PUBLISHED):
            method = f"{structure}-CL, {label}"
            own = np.array([100 * means["accuracy"][name, method] for name in sets])
            plain = np.array([100 * means["accuracy"][name, f"{structure}-ML"] for name in sets])
            loss = np.mean([means["log_loss"][name, method] for name in sets])
            equal = int((np.abs(own - plain) < 0.005).sum())
            near = int((np.abs(own - theirs) <= 2).sum())
            cells = (f"{np.abs(own - theirs).mean():.2f}", f"{near}", f"{equal} / {same}", f"{loss:.4f}")
            rows.append((method, tuple(map(Cell, cells))))
    header = (
        f"{len(sets)} sets",
        "mean |difference| to the paper, points",
        "within 2 points",
        "sets where CL is ML to the digit, ours / paper",
        "mean held-out log-loss",
    )
    return (
        "## CL training: L-BFGS stopped by held-out likelihood, or conjugate gradients by held-out errors\n\n"
        f"{ResultTable('', header, tuple(rows))}" + inside(out)
    )


def inside(out: Path) -> str:
    """Lay out CRCL with the paper's training of every candidate, beside ours and the paper's figures."""
    if not (out / "training_inside.csv").exists():
        return ""
    found: dict[tuple[str, str], float] = {}
    for name in ("training_inside.csv", "uci_crcl.csv"):
        for line in Results.read(out / name).spread("accuracy").iter_rows(named=True):
            found[line["dataset"], line["method"]] = 100 * line["mean"]
    paper = published.read("table7_accuracy")
    sets = sorted({dataset for dataset, method in found if method.endswith(PUBLISHED)})
    rows = []
    for dataset in sets:
        cells = []
        for method in TRAINED_INSIDE:
            values = (
                found[dataset, f"{method}, {PUBLISHED}"],
                found[dataset, method],
                paper[dataset][method],
            )
            cells.append(Cell(" / ".join(f"{value:.2f}" for value in values)))
        rows.append((dataset, tuple(cells)))
    table = ResultTable("", (f"{PUBLISHED} / {OURS} / paper, per cent", *TRAINED_INSIDE), tuple(rows))
    return f"\n\nTraining inside the search (CRCL):\n\n{table}"
