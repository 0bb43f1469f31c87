"""A project: a folder of plain files that hold what was asked and what came of it.

=============================  ==========================================================================
``project.json``               the data file, by path and digest, and the settings
``wishes.json``                arcs that the network must have, and must not have
``data.csv``, ``rows.csv``     tables that were dropped on the page: to learn from, to score
``versions/1/version.json``    the settings and wishes of a version, its name, how often it was looked at
``versions/1/result.json``     its figures, each method's as soon as it is measured
``versions/1/network...``      model files, model pages, and what was predicted for held-out rows
=============================  ==========================================================================

Each file is written whole or not at all, so whatever ends the program, the folder can be opened again.
"""

import hashlib
import json
import os
import re
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from bayleaf._util.whole_files import atomic_write, format_suffix, read_text

SUFFIX = ".bayleaf-studio"
FORMAT = "bayleaf-studio"
MODELS = ("network", "pool")
SPLITS = ("chance", "time", "group")
MISSING = ("auto", "state", "available", "drop", "impute")
# The endings that `bayleaf.tables.read_data` knows, written out: the studio opens before it loads what reads tables.
TABLES: tuple[str, ...] = (".csv", ".tsv", ".tab", ".txt", ".data", ".arff", ".parquet", ".pq")
TABLES += (".arrow", ".feather", ".ipc", ".xlsx", ".xls", ".xlsb", ".ods")
MOST_NAME = 200


@dataclass(frozen=True)
class Settings:
    """What is asked of the data; by default everything is guessed, and rows are held out by chance.

    Examples
    --------
    >>> Settings.of({"target": "sick", "types": {"zip": "category"}}).types
    {'zip': 'category'}
    >>> Settings.of({"types": {"zip": "colour"}})
    Traceback (most recent call last):
    ValueError: 'colour' is not a column type; the types are category, ...
    """

    target: str | None = None
    types: dict[str, str] = field(default_factory=dict)
    drop: list[str] = field(default_factory=list)
    missing: str = "auto"
    loss: dict[str, dict[str, float]] | None = None
    split: str = "chance"
    split_column: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    seed: int = 0

    @classmethod
    def of(cls, given: Any) -> Self:
        """Check settings that come from a file or from the page."""
        if not isinstance(given, dict):
            raise ValueError("Settings are a JSON object.")
        strange = sorted(given.keys() - {each.name for each in fields(cls)})
        if strange:
            raise ValueError(f"There is no setting '{strange[0][:60]}'.")
        settings = cls(**given)
        settings._check()
        return settings

    def _check(self) -> None:
        texts = (self.target, self.split_column, self.delimiter, self.decimal, self.encoding, self.sheet)
        if not all(text is None or isinstance(text, str) for text in texts):
            raise ValueError("Names of columns, marks, encodings and sheets are texts.")
        if not (_maps(self.types, str) and isinstance(self.drop, list)):
            raise ValueError("types is an object of texts by column, and drop a list of columns.")
        if not all(isinstance(name, str) for name in self.drop):
            raise ValueError("drop is a list of names of columns.")
        if self.types:
            from bayleaf.data.columns import COLUMN_TYPES  # here: it loads half of the library

            wrong = [kind for kind in self.types.values() if kind not in COLUMN_TYPES]
            if wrong:
                known_types = ", ".join(COLUMN_TYPES)
                raise ValueError(f"'{wrong[0][:60]}' is not a column type; the types are {known_types}.")
        for value, known, what in ((self.missing, MISSING, "missing"), (self.split, SPLITS, "split")):
            if value not in known:
                raise ValueError(f"{what} is one of {', '.join(known)}. Got '{str(value)[:60]}'.")
        if self.split != "chance" and self.split_column is None:
            raise ValueError(f"A split by {self.split} needs a column: choose one.")
        costs = {} if self.loss is None else self.loss
        if not isinstance(costs, dict) or not all(_maps(row, int | float) for row in costs.values()):
            raise ValueError("loss is an object of costs by true class and decision.")
        if not isinstance(self.seed, int) or isinstance(self.seed, bool) or self.seed < 0:
            raise ValueError("seed is a whole number of at least 0.")

    @property
    def reading(self) -> dict[str, Any]:
        """How the file is read, as arguments of `bayleaf.tables.read_data`."""
        usual: dict[str, Any] = {"delimiter": self.delimiter, "decimal": self.decimal, "missing_values": None}
        sheet: Any = int(self.sheet) if self.sheet is not None and self.sheet.isdigit() else self.sheet
        rare = {"encoding": self.encoding, "sheet": sheet}
        return usual | {name: value for name, value in rare.items() if value is not None}


def _maps(value: Any, kind: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(each, kind) and not isinstance(each, bool) for each in value.values()
    )


@dataclass(frozen=True)
class Wish:
    """An arc that the network must have, or must not have."""

    parent: str
    child: str
    must: bool

    @classmethod
    def of(cls, given: Any) -> Self:
        """Check a wish that comes from a file or from the page."""
        if not (
            isinstance(given, dict)
            and given.keys() == {"parent", "child", "must"}
            and isinstance(given["must"], bool)
            and all(isinstance(given[end], str) and given[end] for end in ("parent", "child"))
        ):
            raise ValueError("A wish is an object with parent, child and must.")
        if given["parent"] == given["child"]:
            raise ValueError("An arc leads from one column to another one.")
        return cls(**given)


@dataclass(frozen=True)
class Data:
    """The table of a project: where it is, what it was called, and what it was when it was opened."""

    path: str  # relative to the project
    name: str
    size: int
    sha256: str


class Project:
    """The files of a project. The folder is made when something is first written."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder).resolve()
        self.data: Data | None = None
        self.settings = Settings()
        self.wishes: list[Wish] = []
        if (self.folder / "project.json").exists():
            self._read()
        elif self.folder.exists() and any(self.folder.iterdir()):
            raise ValueError(f"'{folder}' is not a project: it has no project.json. Name a new folder.")

    @property
    def name(self) -> str:
        """Return the name that people know it by."""
        return self.folder.name.removesuffix(SUFFIX)

    def _read(self) -> None:
        document = read_json_file(self.folder / "project.json")
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ValueError(f"'{self.folder / 'project.json'}' is not the file of a project.")
        if document.get("version") != 1:
            raise ValueError(f"'{self.folder}' is of a newer version of bayleaf: it cannot be opened here.")
        data = document.get("data")
        self.data = None if data is None else Data(**data)
        self.settings = Settings.of(document.get("settings", {}))
        if (self.folder / "wishes.json").exists():
            self.wishes = [Wish.of(each) for each in read_json_file(self.folder / "wishes.json")]

    def save(self) -> None:
        """Write the settings and the wishes."""
        self.folder.mkdir(parents=True, exist_ok=True)
        document = {
            "format": FORMAT,
            "version": 1,
            "data": None if self.data is None else asdict(self.data),
            "settings": asdict(self.settings),
        }
        write_json_file(self.folder / "project.json", document)
        write_json_file(self.folder / "wishes.json", [asdict(wish) for wish in self.wishes])

    def use(self, path: Path, name: str | None = None) -> None:
        """Take a table as the data of the project; settings about the columns of another one are forgotten.

        A file that has changed keeps its settings.
        """
        path = path.resolve()
        found = Data(
            os.path.relpath(path, self.folder), name or path.name, path.stat().st_size, digest_of(path)
        )
        if self.data is None or (found.path != self.data.path and found.sha256 != self.data.sha256):
            self.settings, self.wishes = Settings(), []
        self.data = found
        self.save()

    @property
    def table_path(self) -> Path:
        """Return where the table is; a table that is gone is refused."""
        if self.data is None:
            raise ValueError("There is no table yet: drop one under Data.")
        if not self.table_file.is_file():
            raise ValueError(
                f"The table '{self.table_file}' is gone: put it back, or drop another under Data."
            )
        return self.table_file

    @property
    def table_file(self) -> Path:
        """Return where the table should be."""
        return Path(os.path.normpath(self.folder / ("" if self.data is None else self.data.path)))

    def free_path(self, file: str) -> Path:
        """Return where to keep a table, under a name that no other one has: versions may need that one."""
        stem, dot, ending = file.partition(".")
        names = (f"{stem}{k}{dot}{ending}" for k in ("", *(f"-{k}" for k in range(2, 10_000))))
        return next(self.folder / name for name in names if not (self.folder / name).exists())

    def version_folder(self, number: int) -> Path:
        """Return the folder of a version that exists."""
        folder = self.folder / "versions" / str(int(number))
        if not (folder / "version.json").exists():
            raise ValueError(f"There is no version {int(number)}.")
        return folder

    def new_version(self) -> int:
        """Begin a version with the settings and wishes of now."""
        numbers = self.version_numbers()
        number = max(numbers, default=0) + 1
        folder = self.folder / "versions" / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        about = {
            "number": number,
            "name": f"v{number}",
            "data": None if self.data is None else self.data.sha256,
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "settings": asdict(self.settings),
            "wishes": [asdict(wish) for wish in self.wishes],
            "looked": 0,
        }
        write_json_file(folder / "version.json", about)
        return number

    def version_numbers(self) -> list[int]:
        """Return the numbers of all versions, the oldest first."""
        found = (self.folder / "versions").glob("*/version.json")
        return sorted(int(path.parent.name) for path in found if re.fullmatch(r"\d+", path.parent.name))

    def version(self, number: int) -> dict[str, Any]:
        """Return what a version is, and its figures as far as they are known."""
        folder = self.version_folder(number)
        about: dict[str, Any] = read_json_file(folder / "version.json")
        about["result"] = self.result(number)
        about["models"] = [name for name in MODELS if (folder / f"{name}.html").exists()]
        return about

    def result(self, number: int) -> dict[str, Any]:
        """Return the figures of a version."""
        path = self.version_folder(number) / "result.json"
        found: dict[str, Any] = read_json_file(path) if path.exists() else {"methods": {}, "done": False}
        return found

    def write_result(self, number: int, result: dict[str, Any]) -> None:
        """Keep the figures of a version, which may still lack some methods."""
        write_json_file(self.version_folder(number) / "result.json", result)

    def change_version(self, number: int, *, name: str | None = None, looked: bool = False) -> None:
        """Give a version another name, or count that its held-out rows were looked at."""
        path = self.version_folder(number) / "version.json"
        about = read_json_file(path)
        if name is not None:
            if not isinstance(name, str) or not name.strip():
                raise ValueError("A version needs a name.")
            about["name"] = name.strip()[:MOST_NAME]
        about["looked"] += looked
        write_json_file(path, about)

    def change(self, settings: Settings) -> None:
        """Keep other settings. Where the target changes, so do the costs of its classes."""
        if settings.target != self.settings.target:
            settings = replace(settings, loss=None)
        self.settings = settings
        self.save()


def project_for(path: Path | None) -> Project:
    """Open a project, or the one beside a table or a model file; without any, a new one in this folder."""
    if path is None:
        names = (f"untitled{number}{SUFFIX}" for number in ("", *(f"-{k}" for k in range(2, 10_000))))
        return Project(next(name for name in names if not Path(name).exists()))
    if path.is_dir():
        project = Project(path)
        if project.data is not None and project.table_file.is_file():
            project.use(project.table_file, project.data.name)  # it may have changed
        return project
    if not path.exists():
        raise FileNotFoundError(2, "No such file or directory", str(path))
    is_model = format_suffix(path) == ".json"
    if not is_model and format_suffix(path) not in TABLES:
        raise ValueError(f"'{path}' is no table, model file or project; tables end in {', '.join(TABLES)}.")
    stem = path.name.partition(".")[0] or "untitled"
    project = Project(path.parent / f"{stem}{SUFFIX}")
    if not is_model:
        project.use(path)
    return project


def uploaded_name(given: str, stem: str) -> tuple[str, str]:
    """Return the name of a table for people, and the file to keep it in, of which only the ending is the sender's.

    Examples
    --------
    >>> uploaded_name("../../etc/Patients 2024.CSV", "data")
    ('Patients 2024.CSV', 'data.csv')
    """
    name = re.split(r"[/\\]", given)[-1].strip()[:MOST_NAME]
    packed = ".gz" if name.lower().endswith(".gz") else ""
    suffix = format_suffix(name or "x")
    if suffix not in TABLES:
        raise ValueError(f"'{name[:60]}' is no table that can be read; tables end in {', '.join(TABLES)}.")
    return name, f"{stem}{suffix}{packed}"


def digest_of(path: Path) -> str:
    """Return the SHA-256 digest of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_json_file(path: Path) -> Any:
    """Read a file of the project."""
    try:
        return json.loads(read_text(path, "a file of a project"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"'{path}' cannot be read: {error}.") from None


def write_json_file(path: Path, document: Any) -> None:
    """Write a file of the project, whole or not at all."""
    with atomic_write(path) as file:
        json.dump(document, file, indent=1, ensure_ascii=False, allow_nan=False)
        file.write("\n")
