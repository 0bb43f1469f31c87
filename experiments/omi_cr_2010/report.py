"""Tables and figures of the experiment from the files of results."""

from collections.abc import Sequence
from pathlib import Path

import accuracy_tables
import figures
import numpy as np
import published
import steps
import training
from checks import CHECKS
from data_sets import UCI
from synthetic import MINIMAL, OWN_TABLES, SAME_TABLES

from bayleaf.benchmark import Cell, ResultTable, paired_t_test

TITLES = {
    "split": "Other rows for training, as many as in the paper",
    "seeds": "Other folds inside the search of 2-trees",
    "folds": "Other folds on the small sets that are furthest from the paper",
    "smoothing": "What replaces a zero",
    "cuts": "Discretisation",
    "ties": "Order of features that tell nothing more about the class, in OMI",
    "first arc": "The first arc of the order-based search",
    "iterations": "Iterations of CL training (here without cross tuning)",
    "iterations inside": "Iterations of CL training for each candidate of the search (CRCL)",
}


def write(out: Path) -> None:
    """Write README.md and the figures into the folder."""
    ours, our_way = accuracy_tables.read(out), accuracy_tables.trained_our_way(out)
    published_way = accuracy_tables.trained_as_published(out)
    random = accuracy_tables.random_averages(out)
    parts = [
        "# Results\n\nMade by `run.py report` from the files of this folder; see [the notes](../README.md). CL "
        "training is ours (L-BFGS, stopped by held-out likelihood) unless a table says that it is the paper's "
        "(conjugate gradients, stopped by held-out errors).",
        "## Overview\n\nCL training: ours.\n\n"
        f"{accuracy_tables.overview(our_way)}\n\n{accuracy_tables.gains(our_way)}",
        accuracy_tables.fixed(ours, published_way),
        accuracy_tables.table_1(ours, published_way, random),
        accuracy_tables.t_tests(ours, published_way),
        run_times(out),
        accuracy_tables.table_5(ours, published_way, our_way),
        accuracy_tables.table_7(ours, published_way),
        accuracy_tables.trained_inside(ours, published_way),
        training.tables(out),
        accuracy_tables.table_8(ours, out),
        accuracy_tables.table_11(ours),
        accuracy_tables.table_13(ours),
        section_3(out),
        figure_7(out),
        section_63(out),
        section_64(out),
        *missing(out),
        *checks(out),
    ]
    (out / "README.md").write_text("\n\n".join(part for part in parts if part) + "\n", encoding="utf-8")
    figures.write(out)


def run_times(out: Path) -> str:
    """Table 4: seconds, and per cent of the greedy search."""
    lines = steps.read(out / "timing.csv")
    if not lines:
        return ""
    seconds: dict[str, dict[str, float]] = {}
    for line in lines:
        seconds.setdefault(line["dataset"], {})[line["search"]] = float(line["seconds"])
    searches = ("TAN-CMI", "TAN-OMI-CR", "TAN-CR")
    uci = [name for name in (each.paper for each in UCI) if len(seconds.get(name, {})) == len(searches)]
    total = {search: sum(seconds[name][search] for name in uci) for search in searches}
    shown = {f"UCI, sum of {len(uci)} sets": total} | {
        name: seconds[name] for name in ("LETTER", "SATIMAGE", "CHESS", "MNIST") if name in seconds
    }
    paper = published.read("table4_runtime_percent")
    rows = []
    for name, row in shown.items():
        theirs = paper.get(name.split(",")[0], {})
        cells = [Cell(f"{row[search]:.3g}" if search in row else "–") for search in searches]
        for search in searches[:2]:
            own = f"{100 * row[search] / row['TAN-CR']:.2f} %" if "TAN-CR" in row else "–"
            cells.append(Cell(f"{own} / {theirs[search]} %" if theirs else own))
        rows.append((name, tuple(cells)))
    header = ("seconds; per cent of TAN-CR, ours / paper", *searches, "TAN-CMI %", "TAN-OMI-CR %")
    return (
        "## Table 4: run-time of structure learning\n\nEncoded training rows (of the first fold), processor time of "
        "one thread, best of 3.\n\n"
        f"{ResultTable('', header, tuple(rows))}"
    )


def _grid(title: str, found: dict[str, figures.Curve], corner: str, digits: int, picture: str) -> str:
    return f"## {title}\n\n![{title}]({picture})\n\n{_table(found, corner, digits)}"


def _table(found: dict[str, figures.Curve], corner: str, digits: int) -> ResultTable:
    columns = sorted({at for curve in found.values() for at in curve})
    rows = tuple(
        (
            name,
            tuple(Cell(accuracy_tables.half_up(curve[at], digits) if at in curve else "–") for at in columns),
        )
        for name, curve in found.items()
    )
    return ResultTable("", (corner, *(f"{at:.0f}" for at in columns)), rows)


def section_3(out: Path) -> str:
    """Figures 3 and 4."""
    lines = steps.read(out / "section3.csv")
    if not lines:
        return ""
    accuracy = _grid(
        "Section 3 (Figure 3)",
        figures.curves(lines, "rows", "accuracy", 100),
        "accuracy, per cent, by training rows",
        1,
        "section3.png",
    )
    joined = figures.curves([line for line in lines if line["method"] != "SVM"], "rows", "joins_x1_x3")
    corner = f"runs of {lines[0]['runs']} that join X1 and X3"
    return f"{accuracy}\n\n{_table(joined, corner, 0)}"


def figure_7(out: Path) -> str:
    """Figure 7: training CLL by the order of the features."""
    found = figures.orders_summary(steps.read(out / "figure7.csv"))
    if not found:
        return ""
    rows = tuple(
        (
            name,
            (
                Cell(f"{each.omi:.1f}", best=each.omi_is_best),
                Cell(f"{each.least:.1f}"),
                Cell(f"{each.random:.1f} ± {each.deviation:.1f}"),
            ),
        )
        for name, each in found.items()
    )
    best = sum(each.omi_is_best for each in found.values())
    header = ("training CLL, nats", "OMI order", "least order", "100 random orders")
    return (
        "## Figure 7\n\n![Figure 7](figure7.png)\n\n"
        f"The OMI order is above the least order and the mean of the random ones on {best} of {len(found)} sets "
        f"(paper: 28 of 31, TIMIT among them).\n\n{ResultTable('', header, rows)}"
    )


def section_63(out: Path) -> str:
    """Figure 9, and the paper's tests."""
    lines = steps.read(out / "section63.csv")
    if not lines:
        return ""
    grid = _grid(
        "Section 6.3 (Figure 9)",
        figures.curves(lines, "variables", "cll"),
        "training CLL, nats, by variables",
        0,
        "section63.png",
    )
    omi = "TAN-OMI-CL-ML"
    pairs = (("TAN-CL-ML", omi), (omi, "TAN-RO-CL-ML"), (omi, MINIMAL), (omi, "TAN-CMI-ML"))
    said = _tests(lines, "variables", "cll", pairs)
    return f"{grid}\n\n{said}"


def section_64(out: Path) -> str:
    """Figure 10, and the paper's tests; last the other meaning that the text can have."""
    lines = steps.read(out / "section64.csv")
    if not lines:
        return ""
    main, other = (
        [line for line in lines if line["confusion"] == which] for which in (SAME_TABLES, OWN_TABLES)
    )
    corner = "accuracy, per cent, by features"
    curves = figures.curves(main, "features", "accuracy", 100)
    parts = [_grid("Section 6.4 (Figure 10)", curves, corner, 2, "section64.png")]
    pairs = (("TAN-OMI-CR-ML", "TAN-CMI-ML"), ("TAN-CR-ML", "TAN-OMI-CR-ML"))
    parts.append(_tests(main, "features", "accuracy", pairs))
    if other:
        parts.append("When the confusing rows have the first class's structure, but tables of their own:")
        parts.append(str(_table(figures.curves(other, "features", "accuracy", 100), corner, 2)))
        parts.append(_tests(other, "features", "accuracy", pairs))
    return "\n\n".join(parts)


def _tests(lines: list[dict[str, str]], x: str, y: str, pairs: Sequence[Sequence[str]]) -> str:
    """One-sided paired t-tests over the runs."""
    values: dict[tuple[str, int], list[float]] = {}
    for line in lines:
        values.setdefault((line["method"], int(line[x])), []).append(float(line[y]))
    columns = sorted({at for _, at in values})
    rows = []
    for better, worse in pairs:
        cells = []
        for at in columns:
            gain = np.mean(values[better, at]) - np.mean(values[worse, at])
            p = paired_t_test(values[better, at], values[worse, at]).p_value
            cells.append(Cell(f"{gain:+.1f} ({p:.3f})" if y == "cll" else f"{100 * gain:+.2f} ({p:.3f})"))
        rows.append((f"{better} over {worse}", tuple(cells)))
    runs = max(len(some) for some in values.values())
    header = (f"gain (p-value, one-sided paired t-test, {runs} runs)", *(str(at) for at in columns))
    return str(ResultTable("", header, tuple(rows)))


def missing(out: Path) -> list[str]:
    """Figures 11 to 13."""
    lines = steps.read(out / "missing.csv")
    return [
        _grid(
            f"Missing features, {name.lower()} (Figures 11 to 13)",
            figures.curves([line for line in lines if line["dataset"] == name], "missing", "accuracy", 100),
            "accuracy, per cent, by missing features per row",
            1,
            f"missing_{name.lower()}.png",
        )
        for name in dict.fromkeys(line["dataset"] for line in lines)
    ]


def checks(out: Path) -> list[str]:
    """Show what our figures depend on."""
    lines = steps.read(out / "checks.csv")
    parts = []
    paper = published.by_method()
    for check in CHECKS:
        own = [line for line in lines if line["check"] == check]
        if not own:
            continue
        found = {(line["dataset"], line["method"], line["variant"]): line for line in own}
        variants = list(dict.fromkeys(line["variant"] for line in own))
        rows = []
        for dataset, method in dict.fromkeys((line["dataset"], line["method"]) for line in own):
            cells = [_check_cell(found[dataset, method, variant]) for variant in variants]
            rows.append((f"{dataset} {method}", (*cells, Cell(f"{paper[dataset][method]:.2f}"))))
        parts.append(
            f"## {TITLES[check]}\n\n{ResultTable('', ('per cent', *variants, 'paper'), tuple(rows))}"
        )
    return parts


def _check_cell(line: dict[str, str]) -> Cell:
    mean, deviation, lowest, highest = (
        100 * float(line[name]) for name in ("accuracy", "deviation", "lowest", "highest")
    )
    if line["runs"] == "1":
        return Cell(f"{mean:.2f}")
    return Cell(f"{mean:.2f} ± {deviation:.2f} ({lowest:.2f} to {highest:.2f})")
