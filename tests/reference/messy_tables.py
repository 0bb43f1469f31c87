"""Nine messy tables, made by rule from data that come with scikit-learn, as people send them."""

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from sklearn import datasets


@dataclass(frozen=True)
class MessyTable:
    """A table in a file, what to predict, and the sentences that its user should meet."""

    file: str
    target: str
    text: bytes
    words: tuple[str, ...] = ()  # options of the command
    said: tuple[str, ...] = ()  # sentences of inspect or fit
    least: float = 0.0  # accuracy on held-out rows
    given: str = ""  # a question with what is known, as the file writes it


def _csv(frame: pl.DataFrame, **how: object) -> bytes:
    return frame.write_csv(**how).encode()  # type: ignore[arg-type]


def _of_sklearn(name: str) -> tuple[pl.DataFrame, np.ndarray, list[str]]:
    data = getattr(datasets, f"load_{name}")()
    columns = [column.replace(" (cm)", "") for column in data.feature_names]
    return pl.DataFrame(data.data, schema=columns), data.target, [str(each) for each in data.target_names]


def german(number: float, digits: int = 2) -> str:
    """Write a number with points between thousands and a decimal comma."""
    return f"{number:,.{digits}f}".translate(str.maketrans(",.", ".,"))


def messy_tables() -> list[MessyTable]:
    """Return the nine tables."""
    return [
        clinic(),
        loans(),
        shop(),
        wine_from_excel(),
        headerless_iris(),
        plants_with_units(),
        sensors_in_utc(),
        complaints(),
        copied_columns(),
    ]


def clinic() -> MessyTable:
    """Marks of missing values among numbers, in a quarter of the rows: -, n.d. and -99."""
    frame, y, names = _of_sklearn("breast_cancer")
    frame = frame[:, :8]
    rng = np.random.default_rng(0)
    marked = frame.with_columns(
        pl.Series("mean radius", ["-" if rng.random() < 0.25 else f"{x}" for x in frame["mean radius"]]),
        pl.Series("mean texture", ["n.d." if rng.random() < 0.1 else f"{x}" for x in frame["mean texture"]]),
        pl.Series("mean area", [-99.0 if rng.random() < 0.05 else x for x in frame["mean area"]]),
        pl.Series("diagnosis", [names[k] for k in y]),
    )
    said = ("'-' in", "'n.d.' in", "-99 in", "Read as missing values")
    return MessyTable(
        "clinic.csv", "diagnosis", _csv(marked), said=said, least=0.88, given="mean radius=18.5"
    )


def loans() -> MessyTable:
    """Percents, dollars, and an identifier of the loan."""
    frame, y, _ = _of_sklearn("breast_cancer")
    table = pl.DataFrame(
        {
            "loan_id": [f"LC{k:05d}" for k in range(len(y))],
            "int_rate": [f"{x:.2f}%" for x in frame["mean radius"]],
            "amount": [f"${x:,.0f}" for x in frame["mean area"] * 10],
            "paid": np.where(y == 1, "fully", "charged off"),
        }
    )
    said = ("loan_id (identifiers",)
    return MessyTable(
        "loans.csv.gz", "paid", gzip.compress(_csv(table)), said=said, least=0.8, given="int_rate=25%"
    )


def shop() -> MessyTable:
    """Semicolons, decimal commas, euro signs and German dates, with a byte-order mark."""
    frame, y, names = _of_sklearn("wine")
    days = [f"{k % 28 + 1:02d}.{k % 12 + 1:02d}.2023" for k in range(len(y))]
    table = pl.DataFrame(
        {
            "datum": days,
            "preis": [f"{german(x * 3)} €" for x in frame["proline"]],
            "alkohol": [german(x) for x in frame["alcohol"]],
            "sorte": [names[k] for k in y],
        }
    )
    text = b"\xef\xbb\xbf" + _csv(table, separator=";")
    return MessyTable("shop.csv", "sorte", text, least=0.75, given='datum=01.05.2023, "preis=3.105,00 €"')


def wine_from_excel() -> MessyTable:
    """Errors of a spreadsheet among numbers, in latin-1."""
    frame, y, names = _of_sklearn("wine")
    table = frame[:, :5].with_columns(
        pl.Series("Säure", ["#N/A" if k % 9 == 0 else f"{x}" for k, x in enumerate(frame["malic_acid"])]),
        pl.Series("Klasse", [names[k] for k in y]),
    )
    text = _csv(table).decode().encode("latin-1")
    said = ("'#N/A' in 20 rows",)
    return MessyTable("weine.csv", "Klasse", text, ("--encoding", "latin-1"), said, 0.8, "Säure=1.7")


def headerless_iris() -> MessyTable:
    """No header."""
    frame, y, names = _of_sklearn("iris")
    table = frame.with_columns(pl.Series("species", [names[k] for k in y]))
    text = _csv(table, include_header=False)
    return MessyTable("iris.data.csv", "column_5", text, ("--no-header",), least=0.85, given="column_3=1.4")


def plants_with_units() -> MessyTable:
    """The same lengths in two units, and an identifier that repeats."""
    frame, y, names = _of_sklearn("iris")
    table = frame.with_columns(
        (pl.col("petal length") / 2.54).alias("petal inches"),
        pl.Series("plant_id", [(7 * k) % 135 for k in range(150)]),
        pl.Series("species", [names[k] for k in y]),
    )
    said = (
        "'petal inches' says the same as 'petal length', one to one",
        "'plant_id' looks like an identifier",
    )
    return MessyTable("plants.csv", "species", _csv(table), said=said, least=0.85, given="petal length=1.4")


def sensors_in_utc() -> MessyTable:
    """Times in UTC by ISO 8601, and whole numbers that are codes."""
    frame, y, names = _of_sklearn("wine")
    table = pl.DataFrame(
        {
            "seen": [
                f"2024-{k % 12 + 1:02d}-{k % 28 + 1:02d}T{8 + 4 * c:02d}:00:00Z" for k, c in enumerate(y)
            ],
            "station": [k % 3 + 1 for k in range(len(y))],
            "flavanoids": frame["flavanoids"],
            "kind": [names[k] for k in y],
        }
    )
    return MessyTable(
        "sensors.csv", "kind", _csv(table), least=0.8, given="seen=2024-05-01T12:00:00Z, station=2"
    )


def complaints() -> MessyTable:
    """Free text beside a number."""
    frame, y, _ = _of_sklearn("breast_cancer")
    rng = np.random.default_rng(0)
    filling = ["parcel", "late", "early", "box", "street", "order", "phone", "called", "asked", "again"]
    telling = np.array(["refund", "thanks"])
    remarks = [" ".join([*rng.choice(filling, 5), telling[k] if rng.random() < 0.7 else "door"]) for k in y]
    table = pl.DataFrame(
        {"remarks": remarks, "days": frame["mean smoothness"], "settled": np.where(y, "yes", "no")}
    )
    said = ("remarks (free text; --types remarks=text makes features",)
    return MessyTable("complaints.csv", "settled", _csv(table), said=said, least=0.55, given="days=0.1")


def copied_columns() -> MessyTable:
    """A code and its name, and truth values with a question mark among them."""
    frame, y, names = _of_sklearn("iris")
    rng = np.random.default_rng(1)
    code = (frame["petal width"].to_numpy() * 2).astype(int)
    table = pl.DataFrame(
        {
            "size_code": code,
            "size": [f"size {chr(97 + k)}" for k in code],
            "indoors": ["?" if rng.random() < 0.2 else "yes" if k else "no" for k in y],
            "species": [names[k] for k in y],
        }
    )
    said = ("'size' says the same as 'size_code', one to one",)
    return MessyTable(
        "copies.csv", "species", _csv(table), said=said, least=0.85, given="size_code=1, indoors=yes"
    )


def written(table: MessyTable, folder: Path) -> Path:
    """Write the file of a table."""
    path = folder / table.file
    path.write_bytes(table.text)
    return path
