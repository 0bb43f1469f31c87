"""The paper's figures, in per cent."""

import csv

import datafolder

EXPECTED = datafolder.PROJECT / "experiments" / "expected"
Table = dict[str, dict[str, float]]  # row -> column -> figure


def read(table: str) -> Table:
    """Read a table; of "mean ± deviation" the mean, and nothing where nothing is printed."""
    with (EXPECTED / f"pernkopf_bilmes_2010_{table}.csv").open(encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    return {
        line[0]: {
            name: float(text.split(" ")[0])
            for name, text in zip(header[1:], line[1:], strict=True)
            if text != "-"
        }
        for line in lines
    }


def by_method() -> Table:
    """Read data set -> classifier -> accuracy: Table 7, other orders (Table 13), random ones on average (Table 8)."""
    found = read("table7_accuracy")
    for name, row in read("table13_orderings").items():
        found[name] |= {f"TAN-{order}-ML": value for order, value in row.items()}
    for name, row in read("table8_random_order").items():
        found[name]["TAN-RO-CR-ML"] = row["RO mean±std"]
    return found


def averages() -> Table:
    """Classifier -> collection -> accuracy, of Tables 1, 5 and 11 together, by the names of the classifiers."""
    names = {name.upper(): name for name in read("table7_accuracy")["AVERAGE"]}
    table_1 = {names.get(name, name): row for name, row in read("table1_accuracy").items()}
    return {**read("table11_orderings"), **read("table5_extended"), **table_1}


def _data_sets() -> list[dict[str, str]]:
    with (EXPECTED / "pernkopf_bilmes_2010_table6_datasets.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def training_rows() -> dict[str, int]:
    """Return the training rows of each UCI set, all rows in cross-validation."""
    return {line["dataset"]: int(line["train"]) for line in _data_sets()}


def test_rows() -> dict[str, int]:
    """Return the weight of each UCI set in an average: its test rows, all rows in cross-validation."""
    return {
        line["dataset"]: int(line["train"] if line["test"] == "CV-5" else line["test"])
        for line in _data_sets()
    }


def weighted(accuracy: dict[str, float]) -> float:
    """Average over data sets, weighted as in the paper."""
    weights = test_rows()
    return sum(weights[name] * value for name, value in accuracy.items()) / sum(
        weights[name] for name in accuracy
    )
