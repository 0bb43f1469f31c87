"""Text files in pieces: the rows of the whole file, wherever it is cut, and no more of it in memory than needed."""

import csv
import gzip
import io
import re
import time

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bayleaf._util.whole_files import DataFileError
from bayleaf.tables import read_data
from bayleaf.tables import table_batches as text_pieces
from bayleaf.tables.table_batches import read_batches

NAMES = ["a", "b,c"]
FIELDS = st.text(alphabet="xy ,;\"\n'é", max_size=4)


def written(rows, header=True):
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows([*([NAMES] if header else []), *rows])
    return file.getvalue().encode()


def in_pieces(source, size, **reading):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_pieces, "PIECE_BYTES", size)
        return list(read_batches(source, **reading))


@given(st.lists(st.tuples(FIELDS, FIELDS), min_size=1, max_size=8), st.integers(1, 40), st.booleans())
@settings(max_examples=30, deadline=None)
def test_pieces_of_any_size_are_the_whole(rows, size, header):
    rows = rows if header else [("x,y", "z"), *rows]  # the first line shows what separates
    content = written(rows, header)
    names = NAMES if header else ["column_1", "column_2"]
    options = {"as_text": names, "header": header}
    whole = read_data(io.BytesIO(content), **options)
    batches = in_pieces(io.BytesIO(content), size, **options)
    assert all(batch.columns == names for batch in batches)
    assert pl.concat(batches).equals(whole)


@pytest.mark.parametrize("packed", [False, True])
def test_files_compressed_or_not(tmp_path, packed):
    content = b"sep=;\n" + written([("1", "2")] * 50).replace(b",", b";")
    path = tmp_path / ("a.tsv.gz" if packed else "a.tsv")
    path.write_bytes(gzip.compress(content) if packed else content)
    batches = in_pieces(path, 30)
    assert len(batches) > 5
    assert pl.concat(batches).equals(read_data(path))
    if packed:
        path.write_bytes(path.read_bytes()[:-12])
        with pytest.raises(DataFileError, match=r"a\.tsv\.gz' is truncated or damaged"):
            in_pieces(path, 30)


def test_other_formats_come_in_one_piece(tmp_path):
    frame = pl.DataFrame({"a": [1, 2, 3]})
    frame.write_parquet(tmp_path / "a.parquet")
    assert [batch.rows() for batch in in_pieces(tmp_path / "a.parquet", 5)] == [frame.rows()]
    opened = io.BytesIO((tmp_path / "a.parquet").read_bytes())
    assert [batch.rows() for batch in in_pieces(opened, 5)] == [frame.rows()]
    wide = io.BytesIO("a,b\n1,2\n3,4\n".encode("utf-16"))
    assert [batch.rows() for batch in in_pieces(wide, 5, encoding="utf-16")] == [[(1, 2), (3, 4)]]


@pytest.mark.parametrize("size", [7, 10**6])
def test_lines_are_counted_from_the_beginning_of_the_file(size):
    ragged = io.BytesIO(b"a,b\n" + b"1,2\n" * 20 + b"3\n" + b"1,2\n" * 5)
    with pytest.raises(DataFileError, match="line 22 has 1 field separated by a comma; the header has 2"):
        in_pieces(ragged, size)
    latin = io.BytesIO(b"a,b\n" + b"1,2\n" * 20 + b"\xe9,4\n")
    with pytest.raises(DataFileError, match="line 22 has the byte 0xe9"):
        in_pieces(latin, size)


def test_nothing_to_read():
    for content, message in [(b"", "is empty"), (b"a,b\n\n\n\n", "has a header but no rows")]:
        for size in (2, 10**6):
            with pytest.raises(DataFileError, match=message):
                in_pieces(io.BytesIO(content), size)


class Counted(io.BytesIO):
    """A file that counts what was read of it."""

    taken = 0

    def read(self, size=-1):
        found = super().read(size)
        self.taken += len(found)
        return found


def test_no_more_is_read_than_the_next_batch_needs(monkeypatch):
    monkeypatch.setattr(text_pieces, "PIECE_BYTES", 100)
    file = Counted(written([("1", "2")] * 1000))
    for number, _ in enumerate(read_batches(file), start=1):
        assert file.taken <= 100 * (number + 2)  # one piece ahead, to know whether it is the last
    assert file.taken == len(file.getvalue())


NUMBERS = st.sampled_from(
    [
        "1",
        "12",
        "-3",
        "007",
        "1.5",
        "1.234",
        "12.500",
        "1,5",
        "1.234,5",
        "2,",
        "1,200",
        "high",
        "true",
        "",
        "?",
        "0",
    ]
)


@given(
    st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=9),
    st.integers(10, 40),
    st.sampled_from([";", "\t"]),
    st.sampled_from([None, ",", "."]),
)
@example([("1", "1")] * 2 + [("1", text) for text in ("-3", "007", "1.5", "1,5", "1")], 10, ";", None)
@settings(max_examples=15, deadline=None)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pieces_have_the_types_and_numbers_of_the_whole(rows, size, delimiter, decimal):
    content = "".join(f"{delimiter.join(row)}{delimiter}x\n" for row in [("a", "b"), *rows]).encode()
    options = {"decimal": decimal, "delimiter": delimiter}
    try:
        whole = read_data(io.BytesIO(content), **options)
    except DataFileError as error:  # points that may be decimal or of thousands
        with pytest.raises(DataFileError, match=re.escape(str(error))):
            in_pieces(io.BytesIO(content), size, settled=True, **options)
        return
    batches = in_pieces(io.BytesIO(content), size, settled=delimiter == "\t", **options)
    assert pl.concat(batches).equals(whole)
    assert pl.concat(batches).schema == whole.schema


@pytest.mark.parametrize("packed", [False, True])
def test_one_comma_decides_for_the_whole_file(tmp_path, packed):
    content = b"a;b\n" + b"1.234;x\n" * 20 + b"1,5;y\n"
    path = tmp_path / ("a.csv.gz" if packed else "a.csv")
    path.write_bytes(gzip.compress(content) if packed else content)
    batches = in_pieces(path, 30)
    assert len(batches) > 3
    assert pl.concat(batches)["a"].to_list() == [1234.0] * 20 + [1.5]
    assert pl.concat(in_pieces(io.BytesIO(content), 30))["a"].to_list() == [1234.0] * 20 + [1.5]


UNQUOTED = st.text(alphabet='x"', max_size=3).map(lambda text: f"x{text}")
QUOTED = st.text(alphabet='x",\n', max_size=4).map(lambda text: '"' + text.replace('"', '""') + '"')


@given(
    st.lists(st.tuples(*[UNQUOTED | QUOTED] * 2), min_size=1, max_size=8), st.integers(1, 40), st.booleans()
)
@settings(max_examples=25, deadline=None)
def test_a_quote_opens_a_field_only_at_its_beginning(rows, size, mark):
    content = b"\xef\xbb\xbf" * mark + b'"a",b\n' + "".join(f"{one},{two}\n" for one, two in rows).encode()
    whole = read_data(io.BytesIO(content), as_text=["a", "b"])
    assert pl.concat(in_pieces(io.BytesIO(content), size, as_text=["a", "b"])).equals(whole)


def test_a_row_of_many_blocks_is_looked_at_once():
    long = b'a,b\n1,"' + b"x\n" * 200_000 + b'"\n2,y\n'
    blocks = [long[start : start + 100] for start in range(0, len(long), 100)]
    start = time.process_time()
    assert b"".join(text_pieces.pieces(blocks, ",")) == long
    assert time.process_time() - start < 2.0  # each block again would take minutes


@pytest.mark.parametrize("encoding", ["utf_16", "UTF_16_LE", "U16", "utf32"])
def test_wide_characters_by_any_name_of_their_encoding(encoding):
    content = "a,b\n1,2\n3,4\n".encode(encoding)
    (batch,) = in_pieces(io.BytesIO(content), 5, encoding=encoding)
    assert batch.rows() == [(1, 2), (3, 4)]
    with pytest.raises(DataFileError, match="There is no encoding 'utf-17'"):
        in_pieces(io.BytesIO(b"a,b\n1,2\n"), 5, encoding="utf-17")
