"""Tables for a PostgreSQL server."""

import polars as pl

# What columns of a table are in PostgreSQL; anything else is a text.
TYPES = {
    pl.Float64: "double precision",
    pl.Int64: "bigint",
    pl.Boolean: "boolean",
    pl.Date: "date",
    pl.Time: "time",
    pl.Datetime: "timestamp",
}


def store(connection, frame, name):
    """Make a table; the name is quoted already."""
    from psycopg import sql  # where it is installed

    columns = sql.SQL(", ").join(
        sql.SQL("{} {}").format(sql.Identifier(column), sql.SQL(TYPES.get(dtype.base_type(), "text")))
        for column, dtype in frame.schema.items()
    )
    marks = ", ".join(["%s"] * frame.width)
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {name}")
        cursor.execute(sql.SQL("CREATE TABLE {} ({})").format(sql.SQL(name), columns))
        cursor.executemany(f"INSERT INTO {name} VALUES ({marks})", frame.rows())
