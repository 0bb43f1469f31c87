"""Reading data files: every format gives the same table, and every bad file one clear sentence."""

import csv
import gzip
import io
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayleaf._util.whole_files import DataFileError
from bayleaf.tables import read_data

TABLE = pl.DataFrame(
    {
        "age": [31, None, 54, 8],
        "height": [1.5, 2.25, None, 0.1],
        "smoker": [True, False, None, True],
        "town": ["Bath", "Wells", None, "Bad Säckingen"],
    }
)
TEXT = "age,height,smoker,town\n31,1.5,true,Bath\n?,2.25,FALSE,Wells\n54,NA,,nan\n8,0.1,True,Bad Säckingen\n"


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def zipped(text: str) -> bytes:
    return gzip.compress(
        text.encode(), mtime=0
    )  # the same bytes, and so the same test names, in every process


# What is read


def test_csv_has_integers_floats_booleans_strings_and_nulls(tmp_path: Path) -> None:
    assert read_data(write(tmp_path, "a.csv", TEXT)).equals(TABLE, null_equal=True)
    assert read_data(tmp_path / "a.csv").dtypes == [pl.Int64, pl.Float64, pl.Boolean, pl.String]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", TEXT.replace(",", "\t")),
        ("a.csv", TEXT.replace(",", ";")),
        ("a.csv", TEXT.replace(",", "|")),
        ("a.txt", TEXT.replace(",", "\t")),
        ("a.data", TEXT),
        ("A.CSV", TEXT),
        ("a.csv", "\ufeff" + TEXT),
        ("a.csv", TEXT.replace("\n", "\r\n")),
        ("a.csv", TEXT.replace("\n", "\r")),
        ("a.csv", "\n\n" + TEXT + "\n\n"),
        ("a.csv", TEXT.replace("\n", "\n\n")),
        ("a.csv", TEXT.rstrip("\n")),
        ("a.csv", TEXT.replace(",", ", ")),
        ("a.csv", TEXT.replace("Bath", '"Bath"').replace("age", '"age"')),
        ("a.csv.gz", zipped(TEXT)),
        ("a.tsv.gz", zipped(TEXT.replace(",", "\t"))),
        ("a.csv", zipped(TEXT)),  # the content decides, not the name
        ("plain.csv.gz", TEXT),
    ],
)
def test_spellings_of_the_same_text_file(tmp_path: Path, name: str, content: str | bytes) -> None:
    assert read_data(write(tmp_path, name, content)).equals(TABLE, null_equal=True)


def test_parquet_and_arff_give_the_same_table(tmp_path: Path) -> None:
    TABLE.write_parquet(tmp_path / "a.parquet")
    lines = ["% people", "@relation people", "@attribute age numeric", "@ATTRIBUTE height real"]
    lines += ["@attribute smoker {true,false}", "@attribute town {Bath,Wells,'Bad Säckingen'}", "@data"]
    lines += ["31,1.5,true,Bath", "?,2.25,false,Wells", "54,?,?,?", "8,0.1,true,'Bad Säckingen'"]
    write(tmp_path, "a.arff", "\n".join(lines) + "\n")
    assert read_data(tmp_path / "a.parquet").equals(TABLE, null_equal=True)
    assert read_data(tmp_path / "a.arff").equals(TABLE, null_equal=True)


def test_arff_quotes_escapes_and_text(tmp_path: Path) -> None:
    lines = [
        "@relation r",
        "@attribute 'my label' {'it\\'s', \"a, b\", c}",
        "@attribute note string",
        "@data",
    ]
    lines += ["'it\\'s', 'x, y'", "\"a, b\",''", "c\tz", "?, 'said \"no\"'"]
    frame = read_data(write(tmp_path, "a.arff", "\n".join(lines)))
    assert frame.columns == ["my label", "note"]
    assert frame.rows() == [("it's", "x, y"), ("a, b", None), ("c", "z"), (None, 'said "no"')]


def test_missing_values_can_be_set(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "x,s\n-9,NA\n1,\n")
    assert read_data(path).rows() == [(-9, None), (1, None)]
    assert read_data(path, missing_values=["-9"]).rows() == [(None, "NA"), (1, None)]
    pl.DataFrame({"s": ["?", "a"]}).write_parquet(tmp_path / "a.parquet")
    assert read_data(tmp_path / "a.parquet")["s"].to_list() == ["?", "a"]
    assert read_data(tmp_path / "a.parquet", missing_values=["?"])["s"].to_list() == [None, "a"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1", "10", "2"], [1, 10, 2]),
        (["01", "10", "?"], ["01", "10", None]),
        (["1.5", "2.25"], [1.5, 2.25]),
        (["1.5", "2.50"], ["1.5", "2.50"]),
        (["+1", "1"], ["+1", "1"]),
        (["True", "FALSE"], [True, False]),
        (["a", "b"], ["a", "b"]),
    ],
)
def test_categories_are_numbers_only_where_nothing_is_lost(
    tmp_path: Path, values: list[str], expected: list[object]
) -> None:
    path = write(
        tmp_path, "a.csv", "\n".join(["x,n", f"{values[0]},7", *(f"{value},007" for value in values[1:])])
    )
    frame = read_data(path, categorical=["x"])
    assert frame["x"].to_list() == expected
    assert frame["n"].to_list() == [7] * len(values)


def test_columns_can_stay_text(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "zip,n\n007,007\n1,1\n")
    assert read_data(path, as_text=["zip"]).rows() == [("007", 7), ("1", 1)]


def test_quoted_fields_may_hold_delimiters_quotes_and_line_feeds(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", 'a,b\n"x, ""y""\nz",1\n5" disk,2\n')
    assert read_data(path).rows() == [('x, "y"\nz', 1), ('5" disk', 2)]


def test_delimiter_by_name_and_given(tmp_path: Path) -> None:
    assert read_data(write(tmp_path, "a.csv", "a\tb,c\n1\t2,3\n"), delimiter="tab").columns == ["a", "b,c"]
    assert read_data(write(tmp_path, "b.csv", "a:b\n1:2\n"), delimiter=":").rows() == [(1, 2)]


def test_one_column_and_an_all_missing_column(tmp_path: Path) -> None:
    assert read_data(write(tmp_path, "a.csv", "a\n1\n2\n")).rows() == [(1,), (2,)]
    frame = read_data(write(tmp_path, "b.csv", "a,b\n1,\n2,?\n"))
    assert frame["b"].null_count() == 2
    assert frame["b"].dtype == pl.String


def test_nameless_column_gets_a_name_and_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", ",x\n0,5\n1,6\n")
    with pytest.warns(UserWarning, match="without a name, called 'column_1' here; drop it"):
        assert read_data(path).columns == ["column_1", "x"]


def test_whole_numbers_beyond_64_bits_stay_texts(tmp_path: Path) -> None:
    """As floats, neighbours would be the same number; where other values are no whole numbers, all are floats."""
    frame = read_data(write(tmp_path, "a.csv", "a,b\n123456789012345678901,123456789012345678901\n1,1.5\n"))
    assert frame.dtypes == [pl.String, pl.Float64]


fields = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]) | st.sampled_from(',;"\n\t|'), max_size=6
)


@settings(deadline=None, max_examples=20)
@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(fields, min_size=n, max_size=n), min_size=1, max_size=6)
    )
)
def test_any_table_of_text_is_read_as_the_csv_module_wrote_it(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]
) -> None:
    names = [f"c{j}" for j in range(len(rows[0]))]
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL).writerows([names, *rows])
    path = write(tmp_path_factory.mktemp("csv"), "a.csv", file.getvalue())
    expected = [tuple(field.strip() or None for field in row) for row in rows]
    found = read_data(path, missing_values=[], as_text=names, delimiter=",").rows()
    # polars and Python differ on which exotic characters are blanks: compare what both call text.
    assert [tuple((v or "").strip() or None for v in row) for row in found] == expected


# What is refused


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", r"a\.csv' is empty\.$"),
        ("a.csv", " \n\n", r"is empty\.$"),
        ("a.csv", "\ufeff", r"is empty\.$"),
        ("a.csv", "a,b\n", r"has a header but no rows\.$"),
        ("a.csv", "a,b\n1,2\n3\n", r"line 3 has 1 field separated by a comma; the header has 2\.$"),
        ("a.csv", "a,b\n1,2\n\n3,4,5\n", r"line 4 has 3 fields separated by a comma; the header has 2\.$"),
        ("a.csv", 'a,b\n"1\n2",3\n4\n', r"line 4 has 1 field"),
        ("a.csv", 'a,b\n1,"2\n3,4\n', r"the row that starts in line 2: a quote is never closed\.$"),
        ("a.csv", "a,b,a\n1,2,3\n", r"more than one column named 'a': give each its own name\.$"),
        (
            "a.csv",
            b"a,b\n1,x\n2,caf\xe9\n",
            r"not UTF-8 text: line 3 has the byte 0xe9\. Save the file as UTF-8, or name its encoding\.$",
        ),
        ("a.csv", "a,b\n1,2\nx\0,3\n", r"has a NUL character in line 3: it is damaged, no text file"),
        ("a.xlsx", b"PK\x03\x04", r"is an Excel file: install 'bayleaf\[excel\]'|Cannot read '"),
        (
            "a.csv",
            "a,b\n1,2\n".encode("utf-16"),
            r"is UTF-16 text: save it as UTF-8, or name the encoding utf-16\.$",
        ),
        ("a.csv.gz", zipped(TEXT)[:-12], r"is truncated or damaged: .*[^.]\.$"),
        ("a.parquet", "a,b\n1,2\n", r"is not a Parquet file\.$"),
        ("a.parquet", b"", r"is empty\.$"),
        ("a.parquet", b"PAR1 and nothing else", r"is truncated or damaged: "),
        ("a.arff", "a,b\n1,2\n", r"is not an ARFF file: line 1 is neither @attribute nor @data\.$"),
        ("a.arff", "@data\n1,2\n", r"is not an ARFF file: it declares no @attribute\.$"),
        ("a.arff", "@relation r\n@attribute x numeric\n", r"it has no @data section\.$"),
        ("a.arff", "@relation r\n@attribute x numeric\n@data\n", r"has a header but no rows\.$"),
        (
            "a.arff",
            "@relation r\n@attribute x numeric\n@data\n1\nabc\n",
            r"line 5: 'abc' of 'x' is not a number\.$",
        ),
        (
            "a.arff",
            "@relation r\n@attribute x {a,b}\n% c\n@data\nc\n",
            r"line 5: 'c' of 'x' is not among the labels",
        ),
        (
            "a.arff",
            "@relation r\n@attribute x real\n@data\n1,2\n",
            r"line 4 has 2 fields; the header declares 1\.$",
        ),
        ("a.arff", "@relation r\n@attribute x real\n@data\n{0 1}\n", r"line 4 is a sparse row"),
        (
            "a.arff",
            "@relation r\n@attribute x string\n@data\n'c\n",
            r"line 4 has a quote that is never closed",
        ),
        (
            "a.arff",
            "@relation r\n@attribute x relational\n@data\nc\n",
            r"of type 'relational', which is not supp",
        ),
        ("a.arff", "@relation r\n@attribute x\n@data\nc\n", r"line 2 is not an attribute of an ARFF file"),
        ("a.arff", "@attribute x real\n@attribute x real\n@data\n1,2\n", r"more than one column named 'x'"),
        ("a.docx", "PK", r"does not tell its format: it should end in \.csv, "),
        ("a.parquet.gz", "", r"does not tell its format"),
    ],
)
def test_bad_files_get_one_sentence(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    path = write(tmp_path, name, content)
    with pytest.raises(DataFileError, match=message) as caught:
        read_data(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=r"^There is no file '.*nothing\.csv'\.$"):
        read_data(tmp_path / "nothing.csv")
    with pytest.raises(DataFileError, match=r"is a folder, not a data file\.$"):
        read_data(tmp_path)


def test_wrong_delimiter_names_the_right_one(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "a;b;c\n1;2;3\n")
    with pytest.raises(
        DataFileError,
        match=r"With the delimiter a comma, the whole header of '.*' is one column; it seems "
        r"to be separated by a semicolon\.$",
    ):
        read_data(path, delimiter=",")
    with pytest.raises(DataFileError, match=r"must be one character, such as ',' or ';' or 'tab'. Got '::'"):
        read_data(path, delimiter="::")


def test_empty_parquet_table(tmp_path: Path) -> None:
    pl.DataFrame({"a": []}, schema={"a": pl.Int64}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(DataFileError, match=r"has columns but no rows\.$"):
        read_data(tmp_path / "a.parquet")
