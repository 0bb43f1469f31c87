"""Text files: decimal marks, columns that are nearly numbers, and the line by which Excel names the delimiter."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayleaf._util.whole_files import DataFileError
from bayleaf.tables import read_data


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_bytes(content.encode())
    return path


# Decimal marks


def column(folder: Path, values: list[str], *, separator: str = ";", **options: object) -> list[object]:
    """Read a file with these values, quoted, in one column beside another one of text."""
    text = "\n".join([f"x{separator}s", *(f'"{value}"{separator}a' for value in values)])
    return read_data(write(folder, "a.csv", text), **options)["x"].to_list()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1,5", "-2", "", "3,25e2"], [1.5, -2.0, None, 325.0]),
        (["0,125", "1,250", "2", "?"], [0.125, 1.25, 2.0, None]),
        (["1,500", "20"], [1.5, 20.0]),
        (["1,234"], [1.234]),
        (["1.234,5", "7"], [1234.5, 7.0]),
        (["1.234.567,5", "1.200", "-0,5"], [1234567.5, 1200.0, -0.5]),
        ([",5", "5,"], [0.5, 5.0]),
        (["1.5", "2"], [1.5, 2.0]),
        (["1.200", "950"], [1.2, 950.0]),  # no column has decimal commas
        (["1,5", "1,5,2"], ["1,5", "1,5,2"]),
        (["1,5", "2.5"], ["1,5", "2.5"]),
        (["12.34,5", "2"], ["12.34,5", "2"]),
        ([",", "2"], [",", "2"]),
    ],
)
def test_files_with_semicolons_may_have_decimal_commas(
    tmp_path: Path, values: list[str], expected: list[object]
) -> None:
    assert column(tmp_path, values) == expected


def test_one_row_is_read_like_many(tmp_path: Path) -> None:
    values = ["0,874", "1,234", "1.234,5", "2"]
    assert [column(tmp_path, [value])[0] for value in values] == column(tmp_path, values)


@pytest.mark.parametrize("separator", [",", "\t", "|"])
def test_other_files_have_decimal_points(tmp_path: Path, separator: str) -> None:
    assert column(tmp_path, ["1,5", "2"], separator=separator) == ["1,5", "2"]
    assert column(tmp_path, ["1,5", "2"], separator=separator, decimal=",") == [1.5, 2.0]
    assert column(tmp_path, ["1.5", "2"], separator=separator) == [1.5, 2.0]


@pytest.mark.parametrize(
    ("values", "decimal", "expected"),
    [
        (["1.234,5", "1.200", "950"], ",", [1234.5, 1200.0, 950.0]),
        (["1.200", "950"], ",", [1200, 950]),
        (["1.200", "950"], "Comma", [1200, 950]),
        (["1.5", "950"], ",", ["1.5", "950"]),
        (["1,5", "nan"], ",", [1.5, "nan"]),
        (["1,5", "2"], ".", ["1,5", "2"]),
        (["1.200", "950"], "point", [1.2, 950.0]),
    ],
)
def test_the_decimal_mark_can_be_given(
    tmp_path: Path, values: list[str], decimal: str, expected: list[object]
) -> None:
    found = column(tmp_path, values, decimal=decimal, missing_values=[])
    assert str(found) == str(expected).replace("'nan'", "nan")


def test_points_that_may_be_thousands_beside_decimal_commas_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", "x;price\n1;950\n2,5;1.200\n")
    message = (
        r"a\.csv' has decimal commas \('2,5' in column 'x'\), so '1\.200' in column 'price' may have decimals or "
        r"thousands: say which with decimal=',' or decimal='\.' \(--decimal comma or --decimal point\)\.$"
    )
    with pytest.raises(DataFileError, match=message):
        read_data(path)
    assert read_data(path, decimal=",").rows() == [(1.0, 950), (2.5, 1200)]
    assert read_data(path, decimal=".").rows() == [("1", 950.0), ("2,5", 1.2)]
    assert read_data(path, as_text=["price"]).rows() == [(1.0, "950"), (2.5, "1.200")]


@pytest.mark.parametrize(
    "values", [["0.950", "1.200"], ["1.2", "1.200"], ["1.200", "x"], ["12.3456", "1.200"]]
)
def test_points_that_cannot_all_be_thousands_stay_points(tmp_path: Path, values: list[str]) -> None:
    path = write(tmp_path, "a.csv", "\n".join(["x;y", *(f"2,5;{value}" for value in values)]))
    expected = values if "x" in values else [float(value) for value in values]
    assert read_data(path)["y"].to_list() == expected


def test_another_decimal_mark_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=r"must be ',' \(comma\) or '\.' \(point\)\. Got ';'\.$"):
        read_data(write(tmp_path, "a.csv", "a,b\n1,2\n"), decimal=";")


numbers = st.floats(-1e6, 1e6).map(lambda value: round(value, 3)) | st.integers(-(10**6), 10**6)


@settings(deadline=None, max_examples=20)
@given(st.lists(numbers, min_size=1, max_size=5))
def test_numbers_come_back_from_the_way_they_are_written_with_commas(
    tmp_path_factory: pytest.TempPathFactory, values: list[float]
) -> None:
    german = [f"{value:,}".translate(str.maketrans(",.", ".,")) for value in values]
    assert column(tmp_path_factory.mktemp("comma"), german, decimal=",") == values


# Text that is nearly numbers


def test_text_that_is_nearly_numbers_is_a_warning(tmp_path: Path) -> None:
    values = [str(k) for k in range(18)]
    text = "\n".join(["x,s", *(f"{value},a" for value in [*values, "?", "over 9", "-"])])
    path = write(tmp_path, "a.csv", text)
    message = (
        r"^Column 'x' of '.*a\.csv' is taken as text: 18 of its 20 values are numbers, but 'over 9' in row 20 is "
        r"not; if that means missing, name it in missing_values= \(--missing-values\), and if these are categories, "
        r"name the column in categorical= .*\(--categorical\)\.$"
    )
    with pytest.warns(UserWarning, match=message):
        assert read_data(path)["x"].dtype == pl.String
    assert read_data(path, missing_values=["?", "over 9", "-"])["x"].dtype == pl.Int64
    assert read_data(path, as_text=["x"])["x"].dtype == pl.String
    assert read_data(path, categorical=["x"])["x"].dtype == pl.String
    marked = write(tmp_path, "b.csv", text.replace("over 9", "unknown"))
    assert read_data(marked)["x"].dtype == pl.String  # numbers to a classifier, which names the marks


def test_nearly_numbers_go_by_the_decimal_mark(tmp_path: Path) -> None:
    values = [*["1,5"] * 19, "high"]
    with pytest.warns(UserWarning, match="19 of its 20 values are numbers, but 'high' in row 20"):
        column(tmp_path, values)
    assert column(tmp_path, values, decimal=".") == values
    assert column(tmp_path, values, separator="\t") == values


def test_numbers_with_commas_that_are_taken_as_text_are_a_warning(tmp_path: Path) -> None:
    values = [*["20"] * 9, "1,500"]
    message = (
        r"^Column 'x' of '.*' is taken as text: its values, such as '1,500', are numbers, but their commas may be "
        r"decimal or separate thousands; say which with decimal=',' or decimal='\.' \(--decimal comma or --decimal "
        r"point\), and if these are categories, name the column in categorical= .*\(--categorical\)\.$"
    )
    with pytest.warns(UserWarning, match=message):
        assert column(tmp_path, values, separator="\t") == values  # and not that '1,500' may mean missing
    assert column(tmp_path, values, separator="\t", decimal=".") == [20] * 9 + [1500]
    assert column(tmp_path, values, separator="\t", decimal=",") == [20] * 9 + [1.5]
    assert column(tmp_path, values, separator="\t", as_text=["x"]) == values
    assert column(tmp_path, [*["20"] * 8, "1,500"], separator="\t") == [
        *["20"] * 8,
        "1,500",
    ]  # too few to tell


def test_text_that_a_classifier_reads_as_numbers_is_no_warning(tmp_path: Path) -> None:
    for values in (["1,5", "20"] * 10, ["$1,200", "$30"] * 10, ["12 %"] * 20):
        assert column(tmp_path, values, separator="\t") == values
    assert column(tmp_path, ["1,5"] * 10, separator="\t", decimal=".") == ["1,5"] * 10


def test_whole_numbers_that_look_like_codes_stay_text(tmp_path: Path) -> None:
    assert column(tmp_path, ["01234", "99501", "?"]) == ["01234", "99501", None]
    assert column(tmp_path, ["01234", "9950"]) == [1234, 9950]
    assert column(tmp_path, ["0", "1"]) == [0, 1]


def test_few_values_or_few_numbers_are_no_warning(tmp_path: Path) -> None:
    for values in ([*["1"] * 8, "x"], [*["1"] * 17, "x", "y"], [*["x"] * 20, "1"]):
        assert column(tmp_path, values) == values


# The first line of Excel


@pytest.mark.parametrize("line", ["sep=;", "SEP=;", '"sep=;"', "sep=; "])
def test_a_first_line_that_names_the_delimiter_is_no_header(tmp_path: Path, line: str) -> None:
    for end in ("\n", "\r\n"):
        path = write(tmp_path, "a.csv", end.join([line, "a,b;c", "1;x", "2;y", ""]))
        assert read_data(path).to_dict(as_series=False) == {"a,b": [1, 2], "c": ["x", "y"]}
    assert read_data(path, delimiter=";").columns == ["a,b", "c"]
    with pytest.raises(
        DataFileError, match=r"line 3 has 1 field separated by a semicolon; the header has 2\.$"
    ):
        read_data(write(tmp_path, "b.csv", f"{line}\na;b\n1\n"))
    with pytest.raises(DataFileError, match=r"has neither a header nor rows\.$"):
        read_data(write(tmp_path, "c.csv", f"{line}\n"))


def test_a_column_named_like_that_line_stays_a_column(tmp_path: Path) -> None:
    assert read_data(write(tmp_path, "a.csv", "sep=;,b\n1,2\n")).columns == ["sep=;", "b"]
