"""``bayleaf sql``: a query that scores the rows of a table in its database."""

from pathlib import Path
from typing import Annotated, Any

import typer

import bayleaf
from bayleaf._util.whole_files import write_text
from bayleaf.models.dialects import DIALECTS

from . import options
from .inputs import check_writable
from .output import wrote

EXAMPLE = "bayleaf sql iris.bayleaf.json --table flowers --keep id --dialect postgres"


def run(
    model: options.ModelFile,
    dialect: Annotated[
        str, typer.Option(metavar="NAME", help=f"Which SQL: {', '.join(DIALECTS)}.", show_default=True)
    ] = "duckdb",
    table: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the table whose rows are scored.")
    ] = "data",
    schema: Annotated[str | None, options.optional("NAME", "The schema of the table.")] = None,
    keep: Annotated[
        list[str] | None,
        options.optional(
            "COLUMNS", "Columns of the table to keep in the result, such as a key, separated by commas."
        ),
    ] = None,
    absent: Annotated[
        list[str] | None,
        options.optional("COLUMNS", "Columns of the model that the table lacks; they count as missing."),
    ] = None,
    output: Annotated[
        Path | None, options.optional("FILE", "File to write; standard output by default.", "--out", "-o")
    ] = None,
) -> None:
    """Write a query that scores the rows of a table in its database: DuckDB, SQLite or PostgreSQL."""
    if output is not None:
        check_writable(output, model)
    fitted: Any = bayleaf.load(model)
    lacking = options.names_of(absent)
    if lacking and hasattr(fitted, "absent_columns"):
        fitted.set_params(absent_columns="missing")
    path = table if schema is None else (schema, table)
    query = fitted.to_sql(path, dialect, options.names_of(keep), absent=lacking)
    if output is None:
        typer.echo(query, nl=False)
    else:
        write_text(output, query)
        wrote(output)
