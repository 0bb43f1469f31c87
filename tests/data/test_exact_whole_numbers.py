"""Whole numbers beyond 2^53 keep all their digits, wherever they come from."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import bayleaf as bl
from bayleaf.cli.app import app
from bayleaf.data import IdentifierWarning, Variable
from bayleaf.data.categories import UNKNOWN, KnownValues
from bayleaf.data.columns import read_columns
from bayleaf.data.raw_columns import EXACT, LabelColumn, NumberColumn
from bayleaf.page.assemble import page_data
from bayleaf.tables import read_data

SHOP = 1234567890123456780  # as doubles, this and the next hundred are one number
SHOPS = [SHOP + k for k in (1, 2, 3)]
LARGE = [2**63 + k for k in (1, 2, 3)]
ROWS = 20

DOORS = {
    "int64 array": lambda shops: np.array(shops)[:, None],
    "uint64 array": lambda shops: np.array(shops, dtype=np.uint64)[:, None],
    "objects": lambda shops: np.array(shops, dtype=object)[:, None],
    "texts": lambda shops: np.array(list(map(str, shops)))[:, None],
    "lists": lambda shops: [[shop] for shop in shops],
    "pandas": lambda shops: pd.DataFrame({"shop": shops}),
    "pandas Int64": lambda shops: pd.DataFrame({"shop": pd.array(shops, dtype="Int64")}),
    "Decimal": lambda shops: pd.DataFrame({"shop": list(map(Decimal, shops))}),
    "polars": lambda shops: pl.DataFrame({"shop": shops}),
    "polars Decimal": lambda shops: pl.DataFrame({"shop": list(map(Decimal, shops))}),
    "polars Int128": lambda shops: pl.DataFrame({"shop": pl.Series(shops, dtype=pl.Int128)}),
    "Arrow": lambda shops: pa.table({"shop": pa.array(shops)}),
}


@pytest.mark.parametrize("door", DOORS)
def test_the_class_is_the_column(door):
    shops = SHOPS * ROWS
    model = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Dirichlet()).fit(
        DOORS[door](shops), ["a", "b", "c"] * ROWS
    )
    assert model.schema_.features[0].arity == 3
    assert model.predict(DOORS[door](SHOPS)).tolist() == ["a", "b", "c"]
    if "texts" not in door:
        assert model.scorer()((SHOPS[1],)).argmax() == 1


@pytest.mark.parametrize(
    "model", [bl.BayesNetClassifier(), bl.NetworkPool(cycles=1, seeds=1)], ids=["default", "pool"]
)
def test_the_default_and_the_pool(model):
    shops = np.array(SHOPS * ROWS)[:, None]
    assert model.fit(shops, ["a", "b", "c"] * ROWS).score(shops, ["a", "b", "c"] * ROWS) == 1.0


GAPS = {
    "pandas": lambda values: pd.DataFrame({"shop": pd.array(values, dtype="Int64")}),
    "polars": lambda values: pl.DataFrame({"shop": values}),
    "Arrow": lambda values: pa.table({"shop": pa.array(values)}),
    "objects": lambda values: np.array(values, dtype=object)[:, None],
    "polars UInt64": lambda values: pl.DataFrame({"shop": pl.Series(values, dtype=pl.UInt64)}),
    "pandas UInt64": lambda values: pd.DataFrame({"shop": pd.array(values, dtype="UInt64")}),
}


@pytest.mark.parametrize("door", GAPS)
def test_beside_missing_values(door):
    shops = LARGE if "UInt64" in door else SHOPS
    [column] = read_columns(GAPS[door]([*shops, None] * ROWS))
    assert isinstance(column, LabelColumn)
    assert sorted(column.levels) == shops
    assert column.missing.sum() == ROWS


@pytest.mark.parametrize(
    "shops", [SHOPS, LARGE, [10**20 + k for k in (1, 2, 3)]], ids=["19 digits", "unsigned", "21 digits"]
)
def test_a_csv_file_and_its_commands(shops, tmp_path):
    lines = [f"{shop},{label}" for shop, label in zip(shops, "abc", strict=True)]
    path, model = tmp_path / "shops.csv", tmp_path / "shops.json"
    path.write_text("\n".join(["shop,region", *lines * ROWS]))
    data = read_data(path)
    X, y = data.drop("region"), data["region"]
    assert bl.BayesNetClassifier().fit(X, y).score(X, y) == 1.0
    assert run("fit", path, "--target", "region", "-o", model).exit_code == 0
    # A number that no integer of 64 bits holds makes the new column a text: the others stay what they are.
    path.write_text("\n".join(["shop", *map(str, shops), str(10**30)]))
    predicted = run("predict", model, path)
    assert [line.split(",")[0] for line in predicted.stdout.split()[1:4]] == ["a", "b", "c"]
    assert "1 value that was not seen in fit" in predicted.stderr


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


@pytest.mark.parametrize("ending", ["parquet", "csv", "arrow"])
def test_files_that_are_counted(tmp_path, ending):
    table = pl.DataFrame({"shop": SHOPS * ROWS, "region": ["a", "b", "c"] * ROWS})
    path = tmp_path / f"shops.{ending}"
    {"parquet": table.write_parquet, "csv": table.write_csv, "arrow": table.write_ipc}[ending](path)
    model = bl.BayesNetClassifier().fit_from(path, "region", sample_rows=10)
    assert model.score(table[["shop"]], table["region"]) == 1.0


def test_batches_of_which_only_some_have_such_numbers(tmp_path):
    low, high = [
        pl.DataFrame({"shop": shops * ROWS, "region": ["a", "b", "c"] * ROWS}) for shops in ([1, 2, 3], SHOPS)
    ]
    for number, part in enumerate([low, high, low]):
        part.write_parquet(tmp_path / f"part-{number}.parquet")
    sentence = r"'shop' has whole numbers beyond 2\^53.* only in later rows: say in column_types"
    with pytest.raises(ValueError, match=sentence):
        bl.BayesNetClassifier().fit_from(tmp_path, "region")
    said = bl.BayesNetClassifier(column_types={"shop": "category"}).fit_from(tmp_path, "region")
    assert said.schema_.features[0].states == (1, 2, 3, *SHOPS)
    (tmp_path / "part-0.parquet").unlink()
    assert bl.BayesNetClassifier().fit_from(tmp_path, "region").schema_.features[0].states == (
        1,
        2,
        3,
        *SHOPS,
    )


def test_many_of_them_are_identifiers_and_others_categories():
    cards = pl.DataFrame({"card": [SHOP + k for k in range(200)], "x": ["a", "b"] * 100})
    with pytest.warns(IdentifierWarning, match="Column 'card' is left out"):
        model = bl.BayesNetClassifier().fit(cards, [0, 1] * 100)
    assert model.predict(cards[:2]).tolist() == [0, 1]
    twice = bl.BayesNetClassifier().fit(pl.concat([cards, cards, cards]), [0, 1] * 300)
    assert twice.schema_.features[0].arity == 200


def test_more_than_there_can_be_states():
    some = np.repeat(np.arange(70_000) + SHOP, 2)
    with pytest.raises(
        ValueError, match=r"Column 'x0' has 70000 categories, more than 65535: an identifier\? Drop"
    ):
        bl.BayesNetClassifier(bl.NaiveBayes()).fit(some[:, None], [0, 1] * 70_000)


@pytest.mark.parametrize(
    "settings",
    [{"column_types": {"shop": "number"}}, {"discretizer": bl.Cuts({"shop": [SHOP + 1e6]})}],
    ids=["number", "cuts"],
)
def test_numbers_where_the_user_says_so(settings):
    shops = [SHOP, SHOP + 1, SHOP + 2_000_000] * ROWS
    model = bl.BayesNetClassifier(**settings).fit(pl.DataFrame({"shop": shops}), ["a", "a", "b"] * ROWS)
    assert len(model.schema_.features[0].cuts) == 1
    assert model.predict(pl.DataFrame({"shop": [SHOP, SHOP + 3_000_000]})).tolist() == ["a", "b"]


def test_the_last_numbers_that_doubles_keep():
    """The midpoint of two neighbours there is the upper one: a cut has to lie at the lower."""
    numbers = [EXACT - 2, EXACT - 1, EXACT]
    [column] = read_columns(np.array(numbers)[:, None])
    assert isinstance(column, NumberColumn)
    rows = np.repeat(numbers, 40)[:, None]
    model = bl.BayesNetClassifier().fit(rows, np.repeat(["a", "b", "c"], 40))
    assert model.predict(np.array(numbers)[:, None]).tolist() == ["a", "b", "c"]
    [column] = read_columns(np.array([*numbers, EXACT + 1])[:, None])
    assert isinstance(column, LabelColumn)


def test_unseen_values_are_unknown_however_they_are_spelled():
    numbers = KnownValues(Variable("shop", tuple(SHOPS), None, "integer"))
    assert numbers.codes([SHOPS[0], str(SHOPS[2]), SHOP, str(SHOP)]) == [0, 2, UNKNOWN, UNKNOWN]
    assert numbers.codes([float(SHOP), "9" * 5000])[0] == UNKNOWN
    texts = KnownValues(Variable("shop", tuple(map(str, SHOPS)), None, "string"))
    assert texts.codes([SHOPS[1], str(SHOP), SHOP]) == [1, UNKNOWN, UNKNOWN]


def test_class_labels():
    X = pl.DataFrame({"x": ["a", "b", "c"] * ROWS})
    for labels in (SHOPS, LARGE):
        for y in (labels * ROWS, np.array(labels * ROWS), pl.Series(labels * ROWS), pd.Series(labels * ROWS)):
            assert bl.BayesNetClassifier().fit(X, y).predict(X[:3]).tolist() == labels
    with pytest.raises(TypeError, match="y holds int"):
        bl.BayesNetClassifier().fit(X, [2**64 + 1, -1, 5] * ROWS)


def test_saved_models_and_queries(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    table = pl.DataFrame({"shop": SHOPS * ROWS})
    model = bl.BayesNetClassifier().fit(table, ["a", "b", "c"] * ROWS)
    model.save(tmp_path / "shops.json")
    assert bl.load(tmp_path / "shops.json").predict(table[:3]).tolist() == ["a", "b", "c"]
    shops = table[:3]  # noqa: F841 - duckdb finds it by its name
    found = duckdb.sql(model.to_sql("shops", dialect="duckdb")).pl()
    assert found.get_column("prediction").to_list() == ["a", "b", "c"]


def test_onnx_says_why_not():
    pytest.importorskip("onnx")
    model = bl.BayesNetClassifier().fit(pl.DataFrame({"shop": SHOPS * ROWS}), ["a", "b", "c"] * ROWS)
    with pytest.raises(ValueError, match=r"Column 'shop' has whole numbers beyond 2\^53"):
        model.to_onnx()


def test_the_model_page_shows_all_digits():
    table = pl.DataFrame({"shop": SHOPS * ROWS})
    model = bl.BayesNetClassifier().fit(table, ["a", "b", "c"] * ROWS)
    shown = str(page_data(model, table, ["a", "b", "c"] * ROWS))
    assert all(f"'{shop}'" in shown for shop in SHOPS)
