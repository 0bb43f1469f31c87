"""What is wrong with a source is said in one sentence, before memory is gone and without wrong counts."""

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf._util.whole_files import DataFileError
from bayleaf.counts import ChangedDataError
from bayleaf.streams import batch_reader, open_source
from bayleaf.streams import first_look as label_counts


def frame(rows: int = 200) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    return pl.DataFrame(
        {
            "x": np.where(rng.random(rows) < 0.7, y, 1 - y).astype(str),
            "n": rng.normal(size=rows),
            "y": np.array(["no", "yes"])[y],
        }
    )


def fit(source, target="y", **settings):
    return bl.BayesNetClassifier(bl.TAN(), bl.Dirichlet(), n_jobs=1).fit_from(
        source, target, **{"sample_rows": 50, **settings}
    )


def folder_of(tmp_path, *frames):
    for number, each in enumerate(frames):
        each.write_parquet(tmp_path / f"part-{number}.parquet")
    return tmp_path


def test_a_file_that_is_cut_short(tmp_path):
    folder = folder_of(tmp_path, frame(), frame(), frame())
    path = folder / "part-1.parquet"
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(DataFileError, match=r"part-1\.parquet' is truncated or damaged: .*\.$"):
        fit(folder)


def test_a_file_whose_pages_are_damaged(tmp_path):
    folder = folder_of(tmp_path, frame(), frame())
    path = folder / "part-1.parquet"
    content = bytearray(path.read_bytes())
    content[100:2000] = bytes(1900)
    path.write_bytes(content)
    with pytest.raises(DataFileError, match=r"part-1\.parquet' is truncated or damaged"):
        fit(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop("n"), r"part-1\.parquet' lacks the column 'n' that '.*part-0\.parquet' has"),
        (lambda f: f.with_columns(z=1), r"part-1\.parquet' has a column 'z' that '.*part-0\.parquet' lacks"),
        (
            lambda f: f.with_columns(pl.col("n").cast(pl.String)),
            r"The column 'n' is String in '.*part-1\.parquet' and Float64 in '.*part-0\.parquet'",
        ),
    ],
)
def test_files_with_other_columns(tmp_path, change, message):
    with pytest.raises(DataFileError, match=message):
        fit(folder_of(tmp_path, frame(), change(frame())))


def test_text_files_with_other_columns(tmp_path):
    frame().write_csv(tmp_path / "a.csv")
    frame().drop("n").write_csv(tmp_path / "b.csv")
    with pytest.raises(DataFileError, match=r"b\.csv' has other columns than '.*a\.csv'"):
        fit(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "a.csv",
            b"x,y\na,no\nb,yes,2\n",
            r"a\.csv', line 3 has 3 fields separated by a comma; the header has 2",
        ),
        ("a.csv", b"", r"a\.csv' is empty"),
        ("a.csv", b"x,y\n", r"a\.csv' has a header but no rows"),
        ("a.csv", b"sep=;\nx;y\n", r"a\.csv' has a header but no rows"),
        ("a.csv.gz", b"", r"a\.csv\.gz' is empty"),
        ("a.xlsx", b"", r"a\.xlsx' cannot be read in batches: its name should end in \.parquet"),
        ("a.arrow", b"ARROW1", r"a\.arrow' is truncated or damaged"),
    ],
)
def test_bad_text_files(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataFileError, match=message):
        fit(tmp_path / name)


def test_files_of_different_formats(tmp_path):
    frame().write_csv(tmp_path / "a.csv")
    frame().write_parquet(tmp_path / "b.parquet")
    with pytest.raises(DataFileError, match="are of different formats"):
        fit(tmp_path)


def test_nothing_there(tmp_path):
    with pytest.raises(DataFileError, match=r"There is no file '.*none-\*\.parquet'"):
        fit(str(tmp_path / "none-*.parquet"))
    with pytest.raises(DataFileError, match="has no file that ends in"):
        fit(tmp_path)
    frame().clear().write_parquet(tmp_path / "a.parquet")
    with pytest.raises(DataFileError, match="has columns but no rows"):
        fit(tmp_path)


def test_wrong_columns():
    with pytest.raises(ValueError, match=r"The table has no column 'Y' \(the class\). Did you mean 'y'\?"):
        fit(frame(), "Y")
    with pytest.raises(ValueError, match=r"no column 'w' \(the weights\)"):
        fit(frame(), weight="w")
    with pytest.raises(ValueError, match=r"no column 'z' \(to be left out\)"):
        fit(frame(), drop=["z"])
    with pytest.raises(ValueError, match="no column besides those of the class"):
        fit(frame(), drop=["x", "n"])


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        (["a", "b"], TypeError, "must be numbers; the column holds String"),
        ([1.0, -2.0], ValueError, "must be finite numbers, zero or more"),
        ([1.0, None], ValueError, "must be finite numbers, zero or more"),
    ],
)
def test_wrong_weights(weights, error, message):
    rows = pl.concat([frame(), pl.DataFrame({"w": weights * 100})], how="horizontal")
    with pytest.raises(error, match=message):
        fit(rows, weight="w")
    with pytest.raises(ValueError, match="has no rows that count"):
        fit(frame().with_columns(w=0.0), weight="w")


def test_a_class_that_is_none():
    with pytest.raises(ValueError, match="'n' has more than 1,000 different values: it is not a class"):
        fit(frame(1500), "n")
    with pytest.raises(ValueError, match="only one class"):
        fit(frame().with_columns(y=pl.lit("no")))
    with pytest.raises(ValueError, match="None of the 200 rows has a class in 'y'"):
        fit(frame().with_columns(y=pl.lit(None, dtype=pl.String)))
    with pytest.raises(TypeError, match="y holds dates or times"):
        fit(frame().with_columns(y=pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 7, 18))))


def test_too_many_categories(monkeypatch):
    monkeypatch.setattr(label_counts, "MOST_LEVELS", 500)
    rows = 4000
    rng = np.random.default_rng(1)
    many = frame(rows).with_columns(pl.Series("street", [f"street {k}" for k in rng.integers(0, 900, rows)]))
    with pytest.raises(
        ValueError, match=r"'street' has about 1,000 different values in 4,000 rows, too many"
    ):
        fit(many)
    own = frame(rows).with_columns(pl.Series("key", [f"key {k}" for k in range(rows)]))
    with pytest.warns(UserWarning, match="'key' is left out: it looks like an identifier"):
        assert fit(own).schema_.features[2].dtype == "identifier"


class Turning(batch_reader.FrameReader):
    """A table with a column of another type in its last batch, as databases without types may have it."""

    def read(self, columns):
        batches = list(super().read(columns))
        yield from batches[:-1]
        yield batches[-1].with_columns(self.turned)


@pytest.mark.parametrize(
    ("turned", "message"),
    [
        (pl.lit("a").alias("n"), "Column 'n' holds numbers in its first rows and texts later: store it"),
        (pl.lit(1.5).alias("x"), "Column 'x' holds texts in its first rows and numbers later"),
        (
            pl.lit(True).alias("x"),
            "Column 'x' holds string values in its first rows and boolean values later",
        ),
    ],
)
def test_a_column_that_changes_its_type(turned, message):
    reader = Turning(frame(), batch_rows=60)
    reader.turned = turned
    with pytest.raises(ValueError, match=message):
        fit(reader)


class Growing(batch_reader.FrameReader):
    """A table that gets more rows each time it is read."""

    def __init__(self, rows, added):
        super().__init__(rows)
        self.added = added

    def read(self, columns):
        yield from super().read(columns)
        self._frame = pl.concat([self._frame, self.added])


@pytest.mark.parametrize(
    ("added", "message"),
    [
        (frame()[:3], "The table changed while it was read: 200 rows in the first pass, 203 in a later one"),
        (frame()[:3].with_columns(x=pl.lit("new")), "'new'"),
        (frame()[:3].with_columns(y=pl.lit("perhaps")), "the class 'perhaps' is new in 'y'"),
    ],
)
def test_a_table_that_grows(added, message):
    clf = bl.BayesNetClassifier(bl.KDB(k=2), bl.Dirichlet(), n_jobs=1).fit(frame().drop("y"), frame()["y"])
    before = clf.network_
    with pytest.raises(ChangedDataError, match=message):
        clf.fit_from(
            Growing(frame(), added),
            "y",
            sample_rows=50,
        )
    assert clf.network_ is before  # half a fit is none


def test_a_file_that_is_written_to_meanwhile(tmp_path):
    folder = folder_of(tmp_path, frame())
    reader = open_source(folder)
    read = reader.read

    def and_write(columns):
        yield from read(columns)
        frame(300).write_parquet(folder / "part-0.parquet")

    reader.read = and_write
    with pytest.raises(ChangedDataError, match=r"part-0\.parquet' was written to while it was read"):
        fit(reader)


def test_a_file_that_is_removed_meanwhile(tmp_path):
    folder = folder_of(tmp_path, frame(), frame())
    reader = open_source(folder)
    (folder / "part-1.parquet").unlink()
    with pytest.raises(DataFileError, match=r"Cannot read '.*part-1\.parquet' any more: it has been removed"):
        list(reader.read(reader.names))


def test_infinite_numbers():
    rows = frame().with_columns(n=pl.when(pl.int_range(pl.len()) == 7).then(np.inf).otherwise("n"))
    with pytest.raises(ValueError, match="'n' has 1 infinite value"):
        fit(rows)


def test_what_cannot_be_read_again():
    arrow = pytest.importorskip("pyarrow")
    with pytest.raises(TypeError, match="can be read once only"):
        fit(arrow.RecordBatchReader.from_batches(arrow.schema([]), []))
    with pytest.raises(TypeError, match="Cannot learn from dict"):
        fit({"x": [1], "y": [2]})
    with pytest.raises(ValueError, match="'sample_rows' parameter"):
        fit(frame(), sample_rows=0)
