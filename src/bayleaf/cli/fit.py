"""``bayleaf fit``: learn a classifier from a table and write its model file."""

import inspect
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer
from rich.text import Text

from bayleaf._util.machine import available_memory
from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import format_suffix, is_packed
from bayleaf._util.words import counted, listing, split_names
from bayleaf.classify import NetworkPool
from bayleaf.classify.record import sample_note
from bayleaf.data import GroupsWarning, IdentifierWarning
from bayleaf.data.encoding import SEE_GROUPS, SEE_TIME
from bayleaf.data.schema import MOST_REMARKS
from bayleaf.graph import Arc, tier_arcs
from bayleaf.learn import register
from bayleaf.learn.register import settings_of
from bayleaf.learn.structure.tan import default_structure
from bayleaf.network.decisions import costs_in_words
from bayleaf.networks.network_files import FORMATS
from bayleaf.streams.file_reader import ARROW_SUFFIXES
from bayleaf.tables.table_files import PARQUET_SUFFIXES, TEXT_SUFFIXES, read_meaning

from . import options
from .errors import unseen_in_folds
from .inputs import LabelledData, categorical_names, check_writable, read_labelled
from .options import MethodSpec, build, read_method
from .output import CLASS_STYLE, facts, out, seconds, working, wrote

# Options that a pool has no use for.
NOT_OF_A_POOL = {"--method", "--discretizer", "--forbid", "--require", "--tiers"}
# With fewer held-out rows, settings chosen by them fit them too well.
FEW_HELD_OUT = 1000
# The most rows, and values times classes, on which a pool is tried for the hint: about half a second.
HINT_ROWS = 10_000
HINT_VALUES = 300_000
# The share of the free memory that a table may take before it is read in batches.
MEMORY_SHARE = 0.25
# Bytes of a value in memory that is not a number, and of a text file's byte once it is a table.
TEXT_BYTES, BYTES_PER_BYTE = 24, 3
EXAMPLE = "bayleaf fit iris.csv --target species --method TAN -o iris.bayleaf.json"


def run(
    context: typer.Context,
    data: options.DataFiles,
    target: Annotated[str, typer.Option("--target", "-t", metavar="COLUMN", help="Column of the class.")],
    output: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="MODEL", help="Model file to write, such as m.bayleaf.json."),
    ],
    method: options.MethodName = options.DEFAULT,
    pool: options.Pool = False,
    categorical: options.Categorical = None,
    types: options.Types = None,
    discretizer: options.Discretizer = None,
    missing: options.Missing = options.MissingWay.AUTO,
    drop: options.Drop = None,
    require_class: options.RequireClass = False,
    bins: options.Bins = None,
    settings: options.Settings = None,
    forbid: Annotated[
        list[str] | None,
        options.optional(
            "ARCS",
            "Arcs that the network must not have, such as 'a->b', separated by commas; may be repeated.",
        ),
    ] = None,
    require: Annotated[
        list[str] | None,
        options.optional(
            "ARCS", "Arcs that the network must have, such as 'a->b', separated by commas; may be repeated."
        ),
    ] = None,
    tiers: Annotated[
        str | None,
        options.optional(
            "TIERS",
            "What comes before what, such as 'age, sex < pressure': no arc leads back into an earlier tier.",
        ),
    ] = None,
    cv: options.StoredFolds = None,
    groups: options.Groups = None,
    time: options.Time = None,
    meaning: options.MeaningFile = None,
    jobs: options.Jobs = 1,
    seed: options.Seed = 0,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    missing_values: options.MissingValues = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    sheet: options.Sheet = None,
    stream: options.Stream = False,
) -> None:
    """Learn a classifier from a table and write its model file.

    Several files, a folder, and a file that would take more than a quarter of the memory are read in batches.
    """
    check_writable(output, *data)
    refuse_other_format(output)
    given = options.options_given(context)
    if time is not None and cv is None:
        raise ValueError("--time says by which folds to cross-validate: give --cv too.")
    plain = "--method" not in given
    if pool:
        options.refuse_options(given & NOT_OF_A_POOL, "is not for a pool: leave it out, or --pool.")
    spec, chosen = read_method(options.POOL if pool else method), settings_of(settings)
    described = None if meaning is None else read_meaning(meaning)
    # Wrong constraints are refused before the table is read.
    constrain(build(spec, settings=chosen), forbid, require, tiers)
    dropped, categories, column_types = (
        options.names_of(drop),
        options.names_of(categorical),
        options.types_of(types),
    )
    reading = options.reading(delimiter, decimal, missing_values, encoding, no_header, sheet)
    label = options.learned_label(spec, chosen)

    def make(categories: Sequence[str]) -> Any:
        classifier = build(
            spec,
            discretizer=discretizer,
            missing=missing,
            categorical=categories,
            types=column_types,
            seed=seed,
            settings=chosen,
        )
        constrain(classifier, forbid, require, tiers)
        return classifier

    table = None
    with warnings.catch_warnings():
        for named in (IdentifierWarning, GroupsWarning):  # the summary names them
            warnings.simplefilter("ignore", named)
        if stream or is_several(data) or is_large(data[0]):
            refuse_for_batches(
                cv=cv, groups=groups, time=time, require_class=require_class, sheet=sheet, bins=bins
            )
            shown = str(data[0]) if len(data) == 1 else counted(len(data), "file")
            started = perf_counter()
            classifier = make(categories).fit_from(list(data), target, drop=dropped, **reading)
        else:
            (shown,) = map(str, data)
            how = {"drop": dropped, "categorical": categories, "types": column_types, **reading}
            with working(f"Reading {shown} ..."):
                table = read_labelled(data[0], target, require_class=require_class, bins=bins, **how)
                table = table.with_groups(groups, time)
            categories = categorical_names(data[0], categories, table.features)
            classifier = make(categories)
            with working(f"Fitting {label} to {counted(table.features.height, 'row')} ..."):
                started = perf_counter()
                classifier.fit(table.features, table.target, groups=table.groups)
        duration = perf_counter() - started
        read = {
            "drop": [*dropped, *([] if groups is None else [groups])],
            "categorical": categories,
            **reading,
            **({} if bins is None else {"bins": bins}),
        }
        classifier.training_ = replace(classifier.training_, table_read=read, command=given_words(context))
        if cv is not None and table is not None:
            with unseen_in_folds():
                classifier.cross_validate(
                    table.features, table.target, cv, groups=table.groups, time=table.time, n_jobs=jobs
                )
    if described is not None:
        classifier.describe(**described.to_dict())
    classifier.save(output)
    console = out()
    console.print(Text.assemble((label, "bold"), f" fitted to {shown} in {seconds(duration)}"))
    fitted = FittedTable.in_batches(classifier) if table is None else FittedTable.in_memory(table, classifier)
    console.print(summary(classifier, fitted))
    wrote(output)
    if plain and not pool and table is not None:
        hint = pool_hint(classifier, table, types=column_types, categorical=categories, seed=seed)
        console.print(Text(hint, style="dim"), soft_wrap=True)


@dataclass(frozen=True)
class FittedTable:
    """What a classifier was fitted to, for the summary."""

    target: str
    rows: int
    class_counts: Mapping[str, float]
    missing: int
    values: int
    groups: int | None = None

    @classmethod
    def in_memory(cls, table: LabelledData, classifier: Any) -> "FittedTable":
        """Look at a table."""
        frame = table.features
        known = {variable.name: variable.n_missing for variable in classifier.schema_.columns}
        gaps = dict(zip(frame.columns, frame.null_count().row(0), strict=True))
        # Marks of missing values are no gaps of the table.
        missing = sum(max(gaps[name], known.get(name) or 0) for name in frame.columns)
        groups = None if table.groups is None else table.groups.n_unique()
        values = frame.height * frame.width
        return cls(table.target.name, frame.height, table.class_counts, missing, values, groups)

    @classmethod
    def in_batches(cls, classifier: Any) -> "FittedTable":
        """Look at what is known of a table that was read in batches."""
        schema, record = classifier.schema_, classifier.training_
        rows = (record.sampled or {}).get("rows read", record.rows)
        counts = dict(zip(map(str, schema.target.states), record.class_weights, strict=True))
        missing = sum(variable.n_missing or 0 for variable in schema.columns)
        return cls(schema.target.name, rows, counts, missing, rows * len(schema.columns))


def given_words(context: typer.Context) -> tuple[str, ...]:
    """Return the options that the command was given, word by word, without those about files and threads."""
    words: list[str] = []
    for option, value in options.given_values(context).items():
        if option not in ("--out", "--jobs", "--meaning"):
            for each in value if isinstance(value, list | tuple) else [value]:
                words += [option] if each is True else [option, str(each)]
    return tuple(words)


def summary(classifier: Any, rows: FittedTable) -> Any:
    """Summarise in a few lines what was learned from what."""
    schema = classifier.schema_
    variables = [schema.features[j] for j in schema.used]
    numeric = sum(variable.kind == "numeric" for variable in variables)
    by_kind = {"numeric": numeric, "categorical": len(variables) - numeric}
    kinds = [f"{number:,} {kind}" for kind, number in by_kind.items() if number]
    missing = f" ({rows.missing:,} of {rows.values:,} values missing)" if rows.missing else ""
    counts = rows.class_counts
    classes = Text.assemble(
        (rows.target, CLASS_STYLE),
        f", {counted(len(counts), 'class')}: ",
        listing([f"{label} ({count:,.10g})" for label, count in counts.items()]),
    )
    network = getattr(classifier, "network_", None)  # an ensemble and a pool have none of their own
    lines: dict[str, Any] = {
        "Rows": f"{rows.rows:,}{missing}",
        "Features": f"{len(variables):,} ({', '.join(kinds)})",
        "Class": classes,
    }
    unused = []
    if isinstance(classifier, NetworkPool):
        scores = counted(len(classifier.mixture_.scores), "score")
        lines["Pool"] = f"{scores} of many networks, {counted(classifier.n_parameters_, 'number')}"
    elif network is None:
        networks = counted(len(classifier.estimators_), "network")
        lines["Networks"] = f"{networks}, {counted(classifier.n_parameters_, 'parameter')}"
    else:
        parameters = counted(network.n_parameters, "parameter")
        lines["Network"] = f"{counted(len(network.arcs), 'arc')}, {parameters}"
        unused = [variable.name for variable in variables if variable.name not in network.nodes]
    constant = [variable.name for variable in variables if variable.arity == 1]
    if constant:
        why = (" (one interval or value only: no evidence)", "dim")
        lines["Constant"] = Text.assemble(listing(constant), why)
    if unused:
        lines["Not used"] = listing(unused)
    groups = [variable.name for variable in variables if SEE_GROUPS in variable.note]
    if groups and rows.groups is None:
        why = (" (values in blocks of rows: do they belong together? --groups)", "yellow")
        lines["Blocks"] = Text.assemble(listing(groups), why)
    times = [variable.name for variable in variables if SEE_TIME in variable.note]
    if times:
        why = (" (rows share times: --time of evaluate predicts later rows)", "yellow")
        lines["Times"] = Text.assemble(listing(times), why)
    identifiers, texts = schema.left_out
    if identifiers:
        why = (" (identifiers; --set identifiers=keep keeps them)", "yellow")
        lines["Left out"] = Text.assemble(listing(identifiers), why)
    if texts:
        why = (f" (free text; --types {texts[0]}=text makes features of its words)", "yellow")
        lines["Texts left out"] = Text.assemble(listing(texts), why)
    if schema.remarks:
        lines["Columns"] = Text("; ".join(schema.remarks[:MOST_REMARKS]), style="yellow")
    if classifier.training_.sampled is not None:
        lines["Sample"] = sample_note(classifier.training_.sampled)
    held_out, quality = classifier.out_of_sample_, classifier.training_.cross_validated
    if held_out is not None:
        folds = classifier.judging_folds(held_out.rows) if isinstance(classifier, NetworkPool) else 0
        optimistic = held_out.rows < FEW_HELD_OUT and not folds
        see = "--cv" if quality is None else "below"
        few = f"; optimistic on so few rows, see {see}" if optimistic else ""
        if rows.groups is not None:
            few += f"; none of the {rows.groups:,} groups was parted"
        lines["Held-out rows"] = f"{held_out}{few}"
    if quality is not None:
        names = ["Accuracy", *(["Mean cost"] if quality.costs is not None else []), "Log-loss", "Brier score"]
        told = ", ".join(f"{sentence_word(name)} {quality.value(name):.3f}" for name in names)
        lines["Cross-validated"] = f"{quality.folds} folds: {told}"
    costs = classifier._costs()
    if costs is not None:
        lines["Decides by"] = (
            f"smallest expected cost (loss): {costs_in_words(costs, classifier.classes_.tolist())}"
        )
    return facts(lines)


def sentence_word(name: str) -> str:
    """Return the name of a figure as it is written within a sentence."""
    return name if name.startswith("Brier") else name.lower()


def pool_hint(classifier: Any, table: LabelledData, **settings: Any) -> str:
    """Ask whether a pool is better; at a terminal, for a small table, answer with the figures of a quick one."""
    named = "Better probabilities with --pool? Many networks in one score; its held-out rows tell."
    size = table.features.height * (table.features.width + 1) * len(classifier.classes_)
    if not out().is_terminal or table.features.height > HINT_ROWS or size > HINT_VALUES:
        return named
    start = perf_counter()
    quick = build(MethodSpec(options.POOL, {"cycles": 1, "seeds": 1}, options.POOL), **settings)
    with working("Trying a pool ..."), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fit has given its warnings
        found = quick.fit(table.features, table.target).out_of_sample_
    own = classifier.out_of_sample_
    if found is None or own is None:
        return named
    better = "Better" if found.log_loss < own.log_loss else "No better"
    return (
        f"{better} probabilities with --pool, many networks in one score: held out in turn, these rows get log-loss "
        f"{found.log_loss:.3f} from a quick one, {own.log_loss:.3f} from this model (tried in "
        f"{seconds(perf_counter() - start)})."
    )


def refuse_other_format(output: Path) -> None:
    """Refuse the name of another format for a model file: commands that read it go by its name."""
    name = FORMATS.get(format_suffix(output), FORMATS[".json"])[0]
    if name != "JSON":
        raise ValueError(
            f"'{output}' has the suffix of {name}, not of a model file: use .json here, and 'bayleaf convert' for "
            f"{name}."
        )


def read_arcs(texts: Sequence[str] | None, option: str) -> list[Arc]:
    """Read arcs written ``parent->child``, separated by commas."""
    arcs = []
    for text in texts or ():
        for part in split_names(text):
            parent, arrow, child = (each.strip() for each in part.partition("->"))
            if not (parent and arrow and child):
                raise ValueError(f"{option} takes arcs such as 'a->b'. Got '{part}'.")
            arcs.append((parent, child))
    return arcs


def read_tiers(text: str | None) -> list[Arc]:
    """Read tiers, and return the arcs that they forbid."""
    if text is None:
        return []
    tiers = [split_names(part) for part in text.split("<")]
    if len(tiers) < 2 or not all(tiers):
        raise ValueError(f"--tiers takes names in tiers, such as 'age, sex < pressure'. Got '{text}'.")
    return tier_arcs(tiers)


def constrain(
    classifier: Any, forbid: Sequence[str] | None, require: Sequence[str] | None, tiers: str | None
) -> None:
    """Give the structure learner of a classifier the arcs it must and must not make, or say that it takes none."""
    wanted = {
        "forbidden": [*read_arcs(forbid, "--forbid"), *read_tiers(tiers)],
        "required": read_arcs(require, "--require"),
    }
    wanted = {name: arcs for name, arcs in wanted.items() if arcs}
    if not wanted:
        return
    settings = classifier.get_params(deep=False)
    if "structure" in settings and settings["structure"] is None:
        classifier.set_params(structure=default_structure())
        settings = classifier.get_params(deep=False)
    learner = settings.get("structure")
    if learner is None or any(name not in learner.get_params(deep=False) for name in wanted):
        what = "The ensemble" if "structure" not in settings else type(learner).__name__
        raise ValueError(f"{what} takes no constraints on its arcs; those that do: {', '.join(_able())}.")
    for name, arcs in wanted.items():
        learner.set_params(**{name: [*(getattr(learner, name) or ()), *arcs]})


def _able() -> list[str]:
    return sorted(
        name
        for name, learner in register.learners().items()
        if inspect.isclass(learner) and {"required", "forbidden"} <= {*inspect.signature(learner).parameters}
    )


def is_several(data: Sequence[Path]) -> bool:
    """Tell whether data are more than one file: only in batches can they be read as one."""
    return len(data) > 1 or data[0].is_dir() or (not data[0].exists() and "*" in data[0].name)


def is_large(path: Path) -> bool:
    """Tell whether a table would take more than a quarter of the free memory, judging by its file."""
    suffix = format_suffix(path)
    if not path.is_file() or is_packed(path):
        return False
    if suffix in TEXT_SUFFIXES:
        size = BYTES_PER_BYTE * path.stat().st_size
    elif suffix in (*PARQUET_SUFFIXES, *ARROW_SUFFIXES):
        size = _table_bytes(path)
    else:
        return False
    return size > MEMORY_SHARE * available_memory()


def _table_bytes(path: Path) -> int:
    query = pl.scan_parquet(path) if format_suffix(path) in PARQUET_SUFFIXES else pl.scan_ipc(path)
    try:
        schema, rows = query.collect_schema(), int(query.select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError):  # whoever reads it says what is wrong
        return 0
    return rows * sum(8 if dtype.is_numeric() else TEXT_BYTES for dtype in schema.dtypes())


def refuse_for_batches(**given: Any) -> None:
    """Refuse options that tables which are read in batches do not have: those that were given."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise ValueError(
                f"--{name.replace('_', '-')} is not for tables that are read in batches: use one file that fits into "
                "memory."
            )
