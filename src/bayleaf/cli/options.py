"""Options that several commands share, methods as the command line names them, and the classifier they make.

A name may be followed by settings in brackets. Some names have brackets of their own, so a bracket holds settings if
it has an equals sign in it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import bayleaf
from bayleaf._util.params import check_settings
from bayleaf._util.whole_files import DataFileError, read_text
from bayleaf._util.words import split_names, unknown_name
from bayleaf.data.columns import COLUMN_TYPES
from bayleaf.learn import register
from bayleaf.learn.register import name_and_settings, set_by_name, split_methods
from bayleaf.models.published import find_method


def optional(metavar: str, text: str, *names: str, **more: Any) -> Any:
    """Return an option that need not be given and has no value to show where it is not."""
    return typer.Option(*names, metavar=metavar, help=text, show_default=False, **more)


Folds = Annotated[int, typer.Option(min=2, metavar="N", help="Folds of the cross-validation.")]
Repeats = Annotated[
    int, typer.Option(min=1, metavar="N", help="How often it is repeated, with different folds.")
]
PrintJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
DataFile = Annotated[
    Path,
    typer.Argument(
        metavar="DATA", help="Table: .csv, .tsv (also .gz), .parquet, .arff or .xlsx.", show_default=False
    ),
]
DataFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="DATA...",
        help="Table: .csv, .tsv (also .gz), .parquet, .arff or .xlsx; also several files, or a folder.",
        show_default=False,
    ),
]
Stream = Annotated[
    bool,
    typer.Option(
        "--stream",
        help="Read the table in batches, as is done anyway if it would take more than a quarter of the memory.",
    ),
]
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="Model file that 'bayleaf fit' wrote.", show_default=False)
]
NetworkFile = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL",
        help="Model file, or network: .json, .bif, .xmlbif, .bifxml or .dsc, also with .gz.",
        show_default=False,
    ),
]
Delimiter = Annotated[
    str | None, optional("CHAR", "Delimiter of a text file, such as ';' or 'tab'; detected by default.")
]
Decimal = Annotated[
    str | None,
    optional(
        "MARK",
        "Decimal mark of a text file: comma (points then separate thousands) or point. By default point, and "
        "also comma where semicolons separate the fields.",
    ),
]
MissingValues = Annotated[
    str | None,
    optional(
        "TEXTS",
        "Spellings of a missing value, separated by commas, instead of the usual ones (?, NA, nan, null, ...); "
        "name them too if the file has both.",
    ),
]
Encoding = Annotated[
    str | None, optional("NAME", "Encoding of a text file, such as latin-1; UTF-8 by default.")
]
NoHeader = Annotated[
    bool,
    typer.Option("--no-header", help="The first line is a row: columns are called column_1, column_2, ..."),
]
Sheet = Annotated[str | None, optional("SHEET", "Sheet of an Excel file, by name or by number from 1.")]
Drop = Annotated[list[str] | None, optional("COLUMNS", "Columns to leave out, separated by commas.")]
Categorical = Annotated[
    list[str] | None,
    optional(
        "COLUMNS",
        "Numeric columns to treat as categories, separated by commas; 'all' for all. Leading zeros are kept.",
    ),
]
Types = Annotated[
    list[str] | None,
    optional(
        "COLUMN=TYPE",
        "Column types, where the default is wrong: category, number, text-number, date, text or "
        "identifier, as in zip=category,age=number; or a file with a line 'zip: category' for each.",
        "--types",
    ),
]
Bins = Annotated[
    int | None,
    optional(
        "N", "Cut a target of numbers into N classes, with about as many rows in each.", "--bins", min=2
    ),
]
RequireClass = Annotated[
    bool,
    typer.Option(
        "--require-class", help="Refuse a table with rows that have no class; by default they are left out."
    ),
]
Groups = Annotated[
    str | None,
    optional(
        "COLUMN",
        "Column that says which rows belong together (a patient, a machine): folds do not part them, and it is no "
        "feature.",
        "--groups",
    ),
]
Time = Annotated[
    str | None,
    optional(
        "COLUMN",
        "Column that says when each row was: folds go by time, each predicted from the rows before it, not repeated.",
        "--time",
    ),
]
AbsentMissing = Annotated[
    bool,
    typer.Option(
        "--absent-missing", help="Take columns of the model that the table lacks as missing in every row."
    ),
]
MethodName = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        metavar="NAME",
        help="Method, such as TAN or 'KDB(k=3)', see 'bayleaf methods'; or default, what Python's "
        "BayesNetClassifier() is: a TAN with tuned tables.",
    ),
]
Pool = Annotated[
    bool,
    typer.Option(
        "--pool",
        help="Learn a pool of many networks in one score: the best probabilities, more time, no single network.",
    ),
]
DEFAULT = "default"
POOL = "pool"
# Classifiers that are not published methods, by name; the first is learned where no method is named.
UNPUBLISHED: dict[str, Any] = {DEFAULT: bayleaf.BayesNetClassifier, POOL: bayleaf.NetworkPool}
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting of the method, such as k=3; may be repeated."),
]
StoredFolds = Annotated[
    int | None,
    optional(
        "N",
        "Also cross-validate with N folds; the model file keeps the result for 'bayleaf report'.",
        "--cv",
        min=2,
    ),
]
MeaningFile = Annotated[
    Path | None,
    optional(
        "FILE",
        "What columns mean, as a JSON or YAML file: title, labels, units, descriptions, states.",
        "--meaning",
    ),
]
Jobs = Annotated[int, typer.Option(min=1, metavar="N", help="Folds to run at the same time.")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of all random numbers.")]


# Ways to cut numbers into intervals: the discretisers that need no settings.
DISCRETIZERS = register.option_words("discretizer")


def _known_discretizer(word: str | None) -> str | None:
    if word is not None and word not in DISCRETIZERS:
        raise typer.BadParameter(f"'{word}' is not one of {', '.join(DISCRETIZERS)}.")
    return word


class MissingWay(StrEnum):
    """What fit does with missing values."""

    AUTO = "auto"
    AVAILABLE = "available"
    STATE = "state"
    DROP = "drop"
    IMPUTE = "impute"


Discretizer = Annotated[
    str | None,
    optional(
        "WAY",
        f"How numbers are cut into intervals: {', '.join(DISCRETIZERS)};"
        " by default the method's own, mdlp for most.",
        callback=_known_discretizer,
    ),
]
Missing = Annotated[
    MissingWay,
    typer.Option(
        metavar="WAY",
        help="Missing values in fit: a state of their own where they are informative about the class (auto) or in "
        "every column (state), summed out (available), their rows dropped (drop), or mean and mode instead (impute).",
    ),
]


def names_of(texts: Sequence[str] | None) -> list[str]:
    """Split names at commas, but not within quotation marks; an option may also be given several times."""
    return [name for text in texts or () for name in split_names(text)]


def reading(
    delimiter: str | None,
    decimal: str | None,
    missing_values: str | None,
    encoding: str | None = None,
    no_header: bool = False,
    sheet: str | None = None,
) -> dict[str, Any]:
    """Return how a file is to be read, as arguments of `read_data`; those about encodings and sheets where given."""
    rare = {
        "encoding": encoding,
        "header": False if no_header else None,
        "sheet": int(sheet) if sheet is not None and sheet.isdigit() else sheet,
    }
    # None where the usual spellings count.
    spellings = None if missing_values is None else [part.strip() for part in missing_values.split(",")]
    usual = {"delimiter": delimiter, "decimal": decimal, "missing_values": spellings}
    return usual | {name: value for name, value in rare.items() if value is not None}


@dataclass(frozen=True)
class MethodSpec:
    """A method and the settings that were given with it."""

    name: str
    settings: dict[str, Any]
    label: str


def read_methods(text: str) -> list[MethodSpec]:
    """Read methods separated by commas."""
    specs = [read_method(part) for part in split_methods(text)]
    if not specs:
        raise ValueError("Give at least one method, such as NB or 'NB, KDB(k=3)'.")
    labels = [spec.label for spec in specs]
    twice = [label for label in labels if labels.count(label) > 1]
    if twice:
        raise ValueError(f"The method '{twice[0]}' is named twice.")
    return specs


def read_method(text: str, others: Iterable[str] = ()) -> MethodSpec:
    """Read one method, with settings in brackets after its name if it has any; ``others`` may have been meant too."""
    name, read = name_and_settings(text)
    found = _known(name, others)
    return MethodSpec(found, read, _label(found, read))


def learned_label(spec: MethodSpec, settings: Mapping[str, Any]) -> str:
    """Name what is learned by a method with further settings; with another structure learner it is not the method."""
    given = {**spec.settings, **settings}
    single = isinstance(_classifier(spec.name), bayleaf.BayesNetClassifier)
    if not single or given.get("structure") is None:
        return _label(spec.name, given)
    structure = " ".join(repr(given.pop("structure")).split())
    return f"{structure} with {_listed(given)}" if given else structure


def _classifier(name: str, **settings: Any) -> Any:
    """Return a method by its name, the default, or the pool."""
    if name not in UNPUBLISHED:
        return bayleaf.classifier(name, **settings)
    built = UNPUBLISHED[name]()
    set_by_name(built, settings, f"The {name}")
    return built


def _label(name: str, settings: Mapping[str, Any]) -> str:
    return f"{name}({_listed(settings)})" if settings else name


def _listed(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={' '.join(repr(value).split())}" for key, value in settings.items())


def _known(name: str, others: Iterable[str] = ()) -> str:
    """Return the registered spelling of a method's name; refuse unknown ones."""
    if name.lower() in UNPUBLISHED:
        return name.lower()
    listed = [method.name for method in bayleaf.methods()]
    for spelling in listed:
        if spelling.lower() == name.lower():
            return spelling
    try:
        return find_method(name).name  # a name of the scheme that is not listed
    except ValueError as error:
        if not str(error).startswith("There is no method"):
            raise  # a name of the scheme, with a part that does not exist
        raise ValueError(unknown_name(name, [*others, *listed], "'bayleaf methods --all'")) from None


def build(
    method: MethodSpec,
    *,
    discretizer: str | None = None,
    missing: MissingWay = MissingWay.AUTO,
    categorical: Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    seed: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Any:
    """Build a method that is ready to fit; ``settings`` count more than those in the method's own brackets.

    Settings that are wrong for any data are refused here, before a file is read or a fold is run.
    """
    wanted: dict[str, Any] = {}
    if missing is not MissingWay.AUTO:
        wanted["missing"] = missing.value
    if discretizer is not None:
        wanted["discretizer"] = DISCRETIZERS[discretizer]()
    if categorical:
        wanted["categorical_features"] = list(categorical)
    if types:
        wanted["column_types"] = dict(types)
    given = {**wanted, **method.settings, **(settings or {})}
    built = _classifier(method.name, **given)
    by_chance = "random_state" in built.get_params(deep=False) and given.get("random_state") is None
    if seed is not None and by_chance:
        built.set_params(random_state=seed)
    check_settings(built)
    return built


def types_of(texts: Sequence[str] | None) -> dict[str, str]:
    """Read the given types of columns; an option may be given several times.

    Each text is ``column=type`` pairs separated by commas, or the name of a file: JSON, or a line ``column: type``
    for each column. Put a pair whose name contains a comma in quotation marks.
    """
    types: dict[str, str] = {}
    for text in texts or ():
        pairs = _of_file(Path(text)) if "=" not in text else (_pair(each, "=") for each in split_names(text))
        for column, kind in pairs:
            if kind not in COLUMN_TYPES:
                raise ValueError(f"'{kind}' is not a column type; the types are {', '.join(COLUMN_TYPES)}.")
            types[column] = kind
    return types


def _pair(text: str, mark: str) -> tuple[str, str]:
    column, found, kind = (part.strip() for part in text.rpartition(mark))
    if not (column and found and kind):
        raise ValueError(f"Types are written column=type, such as zip=category. Got '{text.strip()}'.")
    return column, kind


def _of_file(path: Path) -> Iterator[tuple[str, str]]:
    if not path.exists():
        raise ValueError(
            f"Types are written column=type, such as zip=category, or listed in a file; '{path}' is neither."
        )
    content = read_text(path, "a file of types").strip()
    if content.startswith("{"):
        try:
            given = json.loads(content)
        except ValueError as error:
            raise DataFileError(f"'{path}' is not JSON: {error}.") from None
        yield from given.items()
        return
    for line in content.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield _pair(line, ":")


def given_values(context: typer.Context) -> dict[str, Any]:
    """Return the options that the call names, as they are written, with their values."""
    found = {}
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.param_type_name == "option" and source is not None and source.name == "COMMANDLINE":
            found[option.opts[0]] = context.params[option.name or ""]
    return found


def options_given(context: typer.Context) -> set[str]:
    """Return the options that the call names."""
    return set(given_values(context))


def refuse_options(names: set[str], why: str) -> None:
    """Refuse options that mean nothing in a call."""
    for name in sorted(names):
        raise ValueError(f"{name} {why}")
