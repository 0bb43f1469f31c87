"""Tables 1, 2, 5, 7, 8, 11 and 13: accuracy in per cent, ours beside the paper's.

Tables trained by CL are trained as in the paper where that was run, and our way elsewhere; a table says which.
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import numpy as np
import published
import steps
from compared import EXTENDED, MISSING_METHODS, ORDERINGS, RANDOM_ORDER, SCORED_BY_CL, TABLE_7, TRAINED_INSIDE
from data_sets import FIXED, UCI
from training import PUBLISHED

from bayleaf.benchmark import Cell, Results, ResultTable, paired_t_test

Accuracy = dict[str, dict[str, float]]  # method -> data set -> per cent
FAR = 1.5  # points
NONE = "–"
OVERVIEW = (
    *(
        "NB-ML",
        "NB-CL",
        "TAN-CMI-ML",
        "TAN-CMI-CL",
        "TAN-OMI-CR-ML",
        "TAN-OMI-CR-CL",
        "TAN-CR-ML",
        "TAN-CR-CL",
    ),
    *("2-tree-OMI-CR-ML", "2-tree-OMI-CR-CL"),
)
CHOICES = (
    ("tables", "NB-CL", "NB-ML"),
    ("tables", "TAN-CMI-CL", "TAN-CMI-ML"),
    ("tables", "TAN-OMI-CR-CL", "TAN-OMI-CR-ML"),
    ("tables", "TAN-CR-CL", "TAN-CR-ML"),
    ("graph", "TAN-CMI-ML", "NB-ML"),
    ("graph", "TAN-OMI-CR-ML", "TAN-CMI-ML"),
    ("graph", "TAN-CR-ML", "TAN-CMI-ML"),
    ("search", "TAN-CR-ML", "TAN-OMI-CR-ML"),
    ("search", "TAN-OMI-CR-Ext-ML", "TAN-OMI-CR-ML"),
    ("parents", "2-tree-OMI-CR-ML", "TAN-OMI-CR-ML"),
)
LARGE = 1500  # training rows
# The rows and columns of Table 2.
TESTED = ("NB-ML", "TAN-CMI-ML", "TAN-SuperParent-ML", "TAN-OMI-CR-ML", "TAN-CR-ML", "2-tree-SuperParent-ML")
TESTED += ("2-tree-OMI-CR-ML", "2-tree-CR-ML")
PARAMETER_PAIRS = (
    "NB",
    "TAN-CMI",
    "TAN-SuperParent",
    "TAN-OMI-CR",
    "TAN-CR",
    "2-tree-SuperParent",
    "2-tree-OMI-CR",
    "2-tree-CR",
)


def read(out: Path) -> Accuracy:
    """Mean accuracy of each method on each data set, trained as in the paper where that was run."""
    found = trained_our_way(out)
    for method, by_set in trained_as_published(out).items():
        found.setdefault(method, {}).update(by_set)
    return found


def trained_our_way(out: Path) -> Accuracy:
    """Mean accuracies with the library's own CL training: L-BFGS, stopped by held-out likelihood."""
    return _means(out, "uci.csv", "uci_crcl.csv", "digits.csv")


def trained_as_published(out: Path) -> Accuracy:
    """Mean accuracies with the paper's CL training: conjugate gradients, stopped by held-out errors."""
    ending = f", {PUBLISHED}"
    return {
        method.removesuffix(ending): by_set
        for method, by_set in _means(out, "training.csv", "training_inside.csv").items()
        if method.endswith(ending)
    }


def _means(out: Path, *files: str) -> Accuracy:
    """Mean accuracy of each method on each data set of which all folds are there."""
    found: Accuracy = {}
    for name in files:
        if not (out / name).exists():
            continue
        for line in Results.read(out / name).spread("accuracy").iter_rows(named=True):
            folds = 5 if line["dataset"] in CROSS_VALIDATED else 1
            if line["folds"] == folds and not line["failed"]:
                found.setdefault(line["method"], {})[line["dataset"]] = 100 * line["mean"]
    return found


CROSS_VALIDATED = {each.paper for each in UCI if each.training is None}
ALL_UCI = tuple(each.paper for each in UCI)


def training_of(
    methods: Sequence[str], published_way: Accuracy, sets: Sequence[str] = ALL_UCI, *, digits: bool = False
) -> str:
    """Say in a sentence which CL training the methods of a table have; ``digits``: the table has them, too."""
    ours: dict[tuple[str, ...], list[str]] = {}  # data sets -> methods trained our way there
    for method in methods:
        if method.endswith("-CL") or method in TRAINED_INSIDE:
            without = tuple(name for name in sets if name not in published_way.get(method, {}))
            ours.setdefault(without, []).append(method)
    if set(ours) == {tuple(sets)}:
        return "CL training: ours."
    parts = [
        f"{', '.join(names)} on {', '.join(some) if len(some) < len(sets) else 'all UCI sets'}"
        for some, names in ours.items()
        if some
    ]
    parts += ["all on MNIST and USPS"] if digits else []
    return f"CL training: as in the paper{'; ours for ' if parts else ''}{'; '.join(parts)}."


def collections(ours: Accuracy, method: str) -> dict[str, float]:
    """Average over the UCI sets when all are there, MNIST, USPS."""
    own = ours.get(method, {})
    uci = {each.paper: own[each.paper] for each in UCI if each.paper in own}
    digits = {name: own[name] for name in ("MNIST", "USPS") if name in own}
    return ({"UCI": published.weighted(uci)} if len(uci) == len(UCI) else {}) | digits


def averages(
    title: str, methods: Sequence[str], ours: Accuracy, random: dict[str, float], training: str = ""
) -> str:
    """Lay out Table 1, 5 or 11: collections of data as columns."""
    paper = published.averages()
    rows = []
    for method in methods:
        own = {"UCI": random[method]} if method in random else collections(ours, method)
        cells = tuple(
            _pair(own.get(name), paper.get(method, {}).get(name)) for name in ("UCI", "MNIST", "USPS")
        )
        rows.append((method, cells))
    table = ResultTable("", ("ours / paper", "UCI", "MNIST", "USPS"), tuple(rows))
    return "\n\n".join(filter(None, (f"## {title}", training, str(table))))


def table_1(ours: Accuracy, published_way: Accuracy, random: dict[str, float]) -> str:
    """Averages of the classifiers; the paper's further collections are not available."""
    methods = (*TABLE_7[:4], *(name for name in random), *TABLE_7[4:], *SCORED_BY_CL)
    said = training_of(methods, published_way, digits=True)
    return averages("Table 1: averages, weighted by test rows", methods, ours, random, said)


def table_5(ours: Accuracy, published_way: Accuracy, our_way: Accuracy) -> str:
    """Compare parents chosen once and until nothing changes."""
    methods = ("TAN-OMI-CR-ML", "TAN-OMI-CR-CL", *EXTENDED)
    said = training_of(methods, published_way, digits=True)
    same = collections(our_way, "TAN-OMI-CR-CL").get("UCI")
    if same is not None:
        said += f" TAN-OMI-CR-CL has {same:.2f} on the UCI sets with our training."
    return averages("Table 5: parents chosen again until nothing changes", methods, ours, {}, said)


def table_11(ours: Accuracy) -> str:
    """Orders."""
    return averages("Table 11: orders", ORDERINGS, ours, {})


def per_data_set(
    title: str, methods: Sequence[str], ours: Accuracy, paper: published.Table, training: str = ""
) -> str:
    """Lay out Table 7 or 13: UCI sets as rows."""
    rows = []
    for each in UCI:
        row = paper[each.paper]
        rows.append((each.paper, tuple(_pair(ours.get(m, {}).get(each.paper), row.get(m)) for m in methods)))
    total = [_pair(collections(ours, m).get("UCI"), paper["AVERAGE"].get(m)) for m in methods]
    table = ResultTable("", ("ours / paper", *methods), tuple(rows), (("weighted average", tuple(total)),))
    return "\n\n".join(filter(None, (f"## {title}", training, str(table))))


def table_7(ours: Accuracy, published_way: Accuracy) -> str:
    """All classifiers on all sets."""
    said = training_of(TABLE_7, published_way)
    return per_data_set("Table 7: UCI sets", TABLE_7, ours, published.read("table7_accuracy"), said)


def table_13(ours: Accuracy) -> str:
    """Orders on all sets."""
    paper = {
        name: {f"TAN-{order}-ML": value for order, value in row.items()}
        for name, row in published.read("table13_orderings").items()
    }
    return per_data_set("Table 13: orders, UCI sets", ORDERINGS, ours, paper)


def trained_inside(ours: Accuracy, published_way: Accuracy) -> str:
    """CRCL against CR on the sets where both were run."""
    names = [each.paper for each in UCI if each.paper in ours.get(TRAINED_INSIDE[0], {})]
    if not names:
        return ""
    paper = published.read("table7_accuracy")
    rows = []
    methods = ("TAN-OMI-CR-ML", "TAN-OMI-CRCL-ML", "TAN-OMI-CR-CL", "TAN-OMI-CRCL-CL")
    for method in methods:
        own = {name: ours[method][name] for name in names if name in ours.get(method, {})}
        theirs = {name: paper[name][method] for name in names}
        rows.append((method, (_pair(published.weighted(own), published.weighted(theirs)),)))
    header = ("ours / paper", f"weighted average of {len(names)} sets")
    said = f"On {', '.join(names)}. {training_of(methods, published_way)}"
    return f"## Candidates trained by CL\n\n{said}\n\n{ResultTable('', header, tuple(rows))}"


def t_tests(ours: Accuracy, published_way: Accuracy) -> str:
    """Lay out Table 2: the p-value that the better of two classifiers is no better, over the UCI sets."""
    theirs: Accuracy = {}
    for name, row in published.read("table7_accuracy").items():
        for method, value in row.items():
            if name != "AVERAGE":
                theirs.setdefault(method, {})[name] = value
    rows = []
    for i, first in enumerate(TESTED[:-1]):
        cells = [Cell(NONE)] * i
        cells += [
            Cell(f"{_arrow(ours, first, second)} / {_arrow(theirs, first, second)}")
            for second in TESTED[i + 1 :]
        ]
        rows.append((first, tuple(cells)))
    structures = ResultTable("", ("", *TESTED[1:]), tuple(rows))
    pairs = [
        (
            name,
            (
                Cell(_arrow(ours, f"{name}-ML", f"{name}-CL")),
                Cell(_arrow(theirs, f"{name}-ML", f"{name}-CL")),
            ),
        )
        for name in PARAMETER_PAIRS
    ]
    parameters = ResultTable("", ("ML (←) or CL (↑) better", "ours", "paper"), tuple(pairs))
    said = training_of([f"{name}-CL" for name in PARAMETER_PAIRS], published_way)
    return (
        "## Table 2: one-sided paired t-tests over the UCI sets\n\nAn arrow points to the better classifier "
        "(↑ the column's, ← the row's), doubled at a p-value below 0.05. Ours / from the paper's Table 7.\n\n"
        f"{structures}\n\nTables that describe against tables that classify. {said}\n\n{parameters}"
    )


def _arrow(accuracy: Accuracy, row: str, column: str) -> str:
    """Say which is better over the data sets that both have, and how surely."""
    one, other = accuracy.get(row, {}), accuracy.get(column, {})
    names = [each.paper for each in UCI if each.paper in one and each.paper in other]
    if len(names) < 3:
        return NONE
    up = np.mean([other[name] - one[name] for name in names]) > 0
    better, worse = (other, one) if up else (one, other)
    p = paired_t_test([better[name] for name in names], [worse[name] for name in names]).p_value
    arrow = ("⇑" if p < 0.05 else "↑") if up else ("⇐" if p < 0.05 else "←")
    return f"{arrow} {p:.3f}"


def random_orders(out: Path) -> dict[str, dict[str, float]]:
    """Summarise the orders of each data set; min and max by training accuracy, chosen fold by fold."""
    found: dict[str, dict[str, float]] = {}
    lines = steps.read(out / "random_orders.csv")
    for name in dict.fromkeys(line["dataset"] for line in lines):
        own = [line for line in lines if line["dataset"] == name]
        folds = 1 + max(int(line["fold"]) for line in own)
        shape = (folds, -1)
        right = np.array([int(line["test_right"]) for line in own]).reshape(shape)
        rows = np.array([int(line["test_rows"]) for line in own]).reshape(shape)
        training = np.array([int(line["training_right"]) for line in own]).reshape(shape)
        test = 100 * right / rows
        by_order = test.mean(axis=0)
        every = np.arange(folds)
        found[name] = {
            "mean": by_order.mean(),
            "deviation": by_order.std(ddof=1),
            "median": float(np.median(by_order)),
            "min": test[every, training.argmin(axis=1)].mean(),
            "max": test[every, training.argmax(axis=1)].mean(),
            "orders": test.shape[1],
        }
    return found


def random_averages(out: Path) -> dict[str, float]:
    """Rows of Table 1 about random orders."""
    found = random_orders(out)
    if len(found) < len(UCI):
        return {}
    return {
        f"{RANDOM_ORDER} ({label.upper()})": published.weighted(
            {name: row[label] for name, row in found.items()}
        )
        for label in ("mean", "min", "max")
    }


def table_8(ours: Accuracy, out: Path) -> str:
    """Compare the OMI order with random orders."""
    found = random_orders(out)
    if not found:
        return ""
    paper = published.read("table8_random_order")
    columns = {"mean": "RO mean±std", "median": "RO median", "min": "RO min", "max": "RO max"}
    rows = []
    for name in (each.paper for each in UCI if each.paper in found):
        cells = [_pair(ours.get("TAN-OMI-CR-ML", {}).get(name), paper[name]["OMI-CR"])]
        cells += [_pair(found[name][own], paper[name][column]) for own, column in columns.items()]
        rows.append((name, (*cells, Cell(f"{found[name]['deviation']:.2f}"))))
    orders = int(next(iter(found.values()))["orders"])
    header = ("ours / paper", "OMI-CR", "mean", "median", "min", "max", "std, ours")
    return (
        f"## Table 8: random orders\n\n{orders} orders per fold, 1000 in the paper. min and max: test accuracy of "
        f"the order with the lowest and the highest accuracy in training.\n\n{ResultTable('', header, tuple(rows))}"
    )


def overview(ours: Accuracy) -> str:
    """Our figures alone, for those who want to know what pays; docs/discriminative.md shows the same table.

    They are asked of the library as it is, so that this table and the gains have our training.
    """
    columns = ("CHESS", "SEGMENT", "SATIMAGE", "LETTER", "USPS", "MNIST")
    rows = []
    for method in OVERVIEW:
        own = collections(ours, method) | {name: ours.get(method, {}).get(name) for name in columns}
        values = [own.get(name) for name in ("UCI", *columns)]
        rows.append((method, tuple(Cell(NONE if value is None else half_up(value)) for value in values)))
    header = ("test accuracy, per cent", "25 UCI sets", *(name.lower() for name in columns[:4]), *columns[4:])
    return str(ResultTable("", header, tuple(rows)))


def with_missing_features(out: Path) -> str:
    """Satimage, for those who expect gaps; docs/discriminative.md shows the same table."""
    found = {
        (line["method"], line["missing"]): 100 * float(line["accuracy"])
        for line in steps.read(out / "missing.csv")
        if line["dataset"] == "SATIMAGE"
    }
    numbers = ("0", "4", "8", "16", "24")
    rows = [
        (method, tuple(Cell(half_up(found[method, number])) for number in numbers))
        for method in MISSING_METHODS
    ]
    return str(ResultTable("", ("satimage, features missing (of 36)", *numbers), tuple(rows)))


def half_up(value: float, digits: int = 1) -> str:
    """Round halves up, as readers do: in binary, 86.95 may be a little less."""
    return str(Decimal(f"{value:.6f}").quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def gains(ours: Accuracy) -> str:
    """Show what a choice gains on small and on larger sets; docs/discriminative.md shows the same table."""
    sizes = published.training_rows()
    large = [name for name, rows in sizes.items() if rows >= LARGE]
    groups = ([name for name in sizes if name not in large], large, ["USPS"], ["MNIST"])
    rows = []
    for what, better, worse in CHOICES:
        own, other = ours.get(better, {}), ours.get(worse, {})
        cells = []
        for names in groups:
            differences = np.array(
                [own[name] - other[name] for name in names if name in own and name in other]
            )
            if len(differences) < len(names):
                cells.append(Cell(NONE))
                continue
            record = f" ({(differences > 0).sum()} : {(differences < 0).sum()})" if len(names) > 1 else ""
            cells.append(Cell(f"{differences.mean():+.1f}{record}"))
        rows.append((f"{what}: {better} over {worse}", tuple(cells)))
    header = (
        "mean gain in points (sets won : lost)",
        f"{len(groups[0])} sets below {LARGE} rows",
        f"{len(large)} sets above",
        "USPS",
        "MNIST",
    )
    return str(ResultTable("", header, tuple(rows)))


def fixed(ours: Accuracy, published_way: Accuracy) -> str:
    """Compare figures one by one on the sets that have a test set."""
    paper = published.read("table7_accuracy")
    methods = [name for name in TABLE_7 if name in ours]
    rows = [(m, tuple(_difference(ours[m].get(name), paper[name][m]) for name in FIXED)) for m in methods]
    table = ResultTable("", ("ours − paper, points", *FIXED), tuple(rows))
    said = f"Bold: further than {FAR} points from the paper. {training_of(methods, published_way, FIXED)}"
    return f"## Fixed test sets\n\n{said}\n\n{table}"


def _difference(own: float | None, paper: float) -> Cell:
    if own is None:
        return Cell(NONE)
    return Cell(f"{own - paper:+.2f}", best=abs(own - paper) > FAR, value=own - paper)


def _pair(own: float | None, paper: float | None) -> Cell:
    texts = [NONE if value is None else f"{value:.2f}" for value in (own, paper)]
    return Cell(" / ".join(texts), value=own)
