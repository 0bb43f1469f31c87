"""What a class-focused score asks of a table, said before anything is counted."""

from bayleaf.table import Table


def check_judged(table: Table) -> Table:
    """Return a table whose rows can be judged by their class, or say what it lacks.

    Examples
    --------
    >>> from bayleaf.table import Variable
    >>> check_judged(Table.from_codes((Variable("c", ("a", "b")),), [[0], [-1]], target=0))
    Traceback (most recent call last):
        ...
    ValueError: A class-focused score needs the class of every row: the target has missing values.
    """
    if table.target is None:
        raise ValueError("A class-focused score needs a class: the table has no target column.")
    if table.n_rows == 0:
        raise ValueError("A class-focused score needs rows to judge: the table has none.")
    if table.has_missing[table.target]:
        raise ValueError("A class-focused score needs the class of every row: the target has missing values.")
    if table.total_weight == 0:
        raise ValueError("A class-focused score needs rows that count: every weight is zero.")
    return table
