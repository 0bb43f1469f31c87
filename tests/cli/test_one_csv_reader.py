"""`fit` and `fit --stream` read the same text file: the same columns, the same warnings, the same sentences."""

import gzip
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayleaf as bl
from bayleaf.tables.column_text import MixedColumnWarning

Run = Callable[..., Any]
ROWS = 400


def lines(separator: str = ",", decimal: str = ".", gap: str = "", quote: bool = False) -> list[str]:
    """Rows with numbers, whole numbers, categories and truth values, some missing, under a header."""
    rng = np.random.default_rng(5)
    out = [separator.join(["size", "visits", "town", "smoker", "class"])]
    for _ in range(ROWS):
        sick = rng.random() < 0.5
        fields = [
            f"{rng.normal(1 + sick, 0.5):.1f}".replace(".", decimal),
            str(rng.integers(0, 9) + 3 * sick),
            rng.choice(["Bath", "Ely", "Wells"]),
            "true" if rng.random() < (0.7 if sick else 0.3) else "False",
        ]
        fields = [gap if rng.random() < 0.1 else f'"{field}"' if quote else field for field in fields]
        out.append(separator.join([*fields, "sick" if sick else "well"]))
    return out


def with_town(text: list[str], row: int, town: str) -> list[str]:
    """The same rows with another town in one of them."""
    size, visits, _, smoker, label = text[row].split(",")
    return [*text[:row], ",".join([size, visits, town, smoker, label]), *text[row + 1 :]]


def with_last(text: list[str], column: int, value: str, rows: int = 1) -> list[str]:
    """The same rows with another value in a column of the last ones."""
    changed = [line.split(",") for line in text[-rows:]]
    for fields in changed:
        fields[column] = value
    return [*text[:-rows], *(",".join(fields) for fields in changed)]


def joined(text: list[str], end: str = "\n") -> bytes:
    return (end.join(text) + end).encode()


FILES = {
    "plain": joined(lines()),
    "byte order mark": b"\xef\xbb\xbf" + joined(lines()),
    "ends of Windows": joined(lines(), "\r\n"),
    "semicolons and decimal commas": joined(lines(";", ",")),
    "tabs": joined(lines("\t")),
    "announced": b"sep=|\n" + joined(lines("|")),
    "gaps that are written": joined(lines(gap=" NA ")),
    "quotes": joined(lines(quote=True)),
    "quoted gaps": joined(lines(gap='""', quote=True)),
    "quoted line end, at the end": joined(with_town(lines(), ROWS - 1, '"Market\nTown"')),
    "other alphabets": joined(with_town(lines(), ROWS - 1, "Zürich")),
    "nearly numbers": joined(with_last(lines(), 0, "over 9")),
    "nearly whole numbers": joined(with_last(lines(), 1, "many", 5)),
    "comma numbers": joined([line.replace(".", '"', 1).replace('"', ",") for line in lines(";")]).replace(
        b";", b"|"
    ),
    "a price": joined(with_last(lines(), 0, "$1.5")),
    "no name": joined([line if k else ",visits,town,smoker,class" for k, line in enumerate(lines())]),
    "compressed": gzip.compress(joined(lines())),
}


def with_thousands(text: list[str]) -> list[str]:
    """The same rows, with bars, and with visits that are written as 1,004."""
    rows = [line.split(",") for line in text[1:]]
    changed = [[size, visits and f"1,{int(visits):03}", *others] for size, visits, *others in rows]
    return [text[0].replace(",", "|"), *map("|".join, changed)]


# What says how to read them, on the command line and in Python.
SAID: dict[str, tuple[bytes, tuple[str, ...], dict[str, Any]]] = {
    "latin-1": (
        "\n".join(with_town(lines(), 300, "Zürich")).encode("latin-1"),
        ("--encoding", "latin-1"),
        {"encoding": "latin-1"},
    ),
    "UTF-16": (joined(lines()).decode().encode("utf-16"), ("--encoding", "utf-16"), {"encoding": "utf-16"}),
    "a delimiter": (joined(lines("#")), ("--delimiter", "#"), {"delimiter": "#"}),
    "decimal commas": (joined(lines("|", ",")), ("--decimal", "comma"), {"decimal": ","}),
    "decimal points": (joined(with_thousands(lines())), ("--decimal", "point"), {"decimal": "."}),
    "a missing value": (
        joined(with_last(lines(), 0, "unknown")),
        ("--missing-values", "unknown"),
        {"missing_values": ["unknown"]},
    ),
    "no header": (joined(lines()[1:]), ("--no-header", "--target", "column_5"), {"header": False}),
}
# Each must fail with the same sentence.
DAMAGED = {
    "latin-1": "\n".join(with_town(lines(), 300, "Zürich")).encode("latin-1"),
    "ragged": joined([*lines(), "1,2,Bath,true,sick,7"]),
    "open quote": joined(with_town(lines(), ROWS - 3, '"Bath')),
    "NUL": joined(with_town(lines(), 200, "Ba\0th")),
    "UTF-16": joined(lines()).decode().encode("utf-16"),
    "equal names": joined([line if k else "size,size,town,smoker,class" for k, line in enumerate(lines())]),
    "header alone": joined(lines()[:1]),
    "empty": b"",
}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bayleaf.tables.table_batches.PIECE_BYTES", 900)


def written(folder: Path, content: bytes) -> Path:
    path = folder / ("people.csv.gz" if content.startswith(b"\x1f\x8b") else "people.csv")
    path.write_bytes(content)
    return path


def fitted(run: Run, path: Path, *options: str) -> tuple[Any, list[str]]:
    """The model that the command line learns, and what it warns of."""
    out = path.parent / "model.json"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        done = run("fit", path, "--target", "class", "-o", out, "--method", "TAN", *options)
    assert done.code == 0, done.err
    said = [line for line in done.err.splitlines() if "Warning" in line or "column" in line.lower()]
    return bl.load(out), said + [str(warning.message) for warning in caught]


@pytest.mark.parametrize("name", FILES)
def test_both_doors_read_the_same(tmp_path: Path, run: Run, name: str) -> None:
    path = written(tmp_path, FILES[name])
    (whole, said), (streamed, said_too) = fitted(run, path), fitted(run, path, "--stream")
    assert streamed.schema_ == whole.schema_
    assert [each.n_missing for each in streamed.schema_.columns] == [
        each.n_missing for each in whole.schema_.columns
    ]
    assert sorted(said_too) == sorted(said)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = bl.tables.read_data(path).drop("class")
    np.testing.assert_array_equal(streamed.predict_proba(rows), whole.predict_proba(rows))


@pytest.mark.parametrize("name", SAID)
def test_both_doors_read_as_they_are_told(tmp_path: Path, run: Run, name: str) -> None:
    content, options, reading = SAID[name]
    path = written(tmp_path, content)
    (whole, said), (streamed, said_too) = fitted(run, path, *options), fitted(run, path, "--stream", *options)
    frame = bl.tables.read_data(path, **reading)
    target = frame.columns[-1]
    model = bl.classifier("TAN").fit_from(path, target, **reading)
    assert streamed.schema_ == whole.schema_ == model.schema_
    assert sorted(said_too) == sorted(said) == []
    rows = frame.drop(target)
    np.testing.assert_array_equal(streamed.predict_proba(rows), whole.predict_proba(rows))
    sampled = bl.BayesNetClassifier("tan", "shrinkage").fit_from(path, target, **reading, sample_rows=100)
    assert [each.dtype for each in sampled.schema_.columns] == [each.dtype for each in whole.schema_.columns]


@pytest.mark.parametrize("options", [("--categorical", "visits"), ("--types", "visits=category")])
def test_categories_keep_the_way_they_are_written(tmp_path: Path, run: Run, options: tuple[str, ...]) -> None:
    for last, states in (("07", {"07", "7"}), ("8.0", {"8.0", "8"}), ("9", {8, 9}), ("many", {"many", "8"})):
        path = written(tmp_path, joined(with_last(lines(), 1, last)))
        (whole, said), (streamed, said_too) = (
            fitted(run, path, *options),
            fitted(run, path, *options, "--stream"),
        )
        assert streamed.schema_ == whole.schema_
        assert states <= set(whole.schema_.features[1].states)
        assert said == said_too == []


def test_settings_of_text_are_refused_elsewhere(tmp_path: Path, run: Run) -> None:
    path = written(tmp_path, FILES["plain"])
    frame = bl.tables.read_data(path)
    with pytest.raises(ValueError, match="A DataFrame is not read as text: leave out 'encoding'"):
        bl.BayesNetClassifier().fit_from(frame, "class", encoding="latin-1")
    frame.write_parquet(tmp_path / "people.parquet")
    arguments = ("fit", tmp_path / "people.parquet", "--target", "class", "-o", tmp_path / "model.json")
    done = run(*arguments, "--stream", "--delimiter", ";")
    assert done.code != 0
    assert "people.parquet' is not read as text: leave out 'delimiter', which is for text files" in " ".join(
        done.err.split()
    )


@pytest.mark.parametrize("name", ["nearly numbers", "nearly whole numbers"])
def test_files_that_are_warned_of(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, FILES[name])
    with pytest.warns(MixedColumnWarning) as caught:
        bl.BayesNetClassifier().fit_from(path, "class")
    assert len(caught) == 1
    with pytest.warns(MixedColumnWarning) as again:
        bl.tables.read_data(path)
    assert [str(each.message) for each in again] == [str(each.message) for each in caught]


def test_samples_know_the_types_of_all_rows(tmp_path: Path) -> None:
    # The only text of a column of numbers is in the last piece: all rows are texts.
    path = written(tmp_path, FILES["nearly whole numbers"])
    with pytest.warns(MixedColumnWarning, match="'visits'"):
        frame = bl.tables.read_data(path)
    whole = bl.BayesNetClassifier("tan", "shrinkage").fit(frame.drop("class", "size"), frame["class"])
    with pytest.warns(MixedColumnWarning, match="'visits'"):
        model = bl.BayesNetClassifier("tan", "shrinkage").fit_from(
            path, "class", drop=["size"], sample_rows=100
        )
    assert model.training_.sampled
    assert model.schema_.features[0].states == whole.schema_.features[0].states
    rows = frame.drop("class", "size")
    np.testing.assert_array_equal(model.predict_proba(rows), whole.predict_proba(rows))


def test_the_class_and_what_is_left_out_are_no_warning(tmp_path: Path) -> None:
    path = written(tmp_path, FILES["nearly whole numbers"])
    with warnings.catch_warnings():
        warnings.simplefilter("error", MixedColumnWarning)
        bl.BayesNetClassifier("tan", "shrinkage").fit_from(path, "class", drop=["visits"])


@pytest.mark.parametrize("name", DAMAGED)
def test_both_doors_refuse_in_the_same_words(tmp_path: Path, run: Run, name: str) -> None:
    path = written(tmp_path, DAMAGED[name])
    arguments = ("fit", path, "--target", "class", "-o", tmp_path / "model.json")
    whole, streamed = run(*arguments), run(*arguments, "--stream")
    assert whole.code == streamed.code != 0
    assert streamed.err == whole.err
