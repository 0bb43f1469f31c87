"""What the user says that columns are, where this is to count more than what they look like."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from bayleaf._util.words import guesses, listing

ColumnType = Literal["category", "number", "date", "identifier"]
# Whether numbers are written as text is seen when they are read.
SAME_TYPE: dict[str, ColumnType] = {"text-number": "number"}
COLUMN_TYPES: tuple[str, ...] = (*get_args(ColumnType), *SAME_TYPE)


def check_column_types(column_types: Any) -> None:
    """Refuse what is not a dict from columns to types.

    Examples
    --------
    >>> check_column_types({"zip": "categorie"})
    Traceback (most recent call last):
    ValueError: column_types says 'categorie' of the column 'zip'; the types are category, number, date, ...
    """
    if column_types is None:
        return
    if not isinstance(column_types, Mapping):
        raise TypeError(
            "column_types must be a dict from columns to types, such as {'zip': 'category'}. "
            f"Got {column_types!r} instead."
        )
    for column, wanted in column_types.items():
        if isinstance(column, bool) or not isinstance(column, str | int):
            raise TypeError(f"column_types names columns by name or position. Got {column!r} instead.")
        if wanted not in COLUMN_TYPES:
            raise ValueError(
                f"column_types says {wanted!r} of the column {column!r}; the types are {', '.join(COLUMN_TYPES)}."
            )


def resolve_column_types(
    column_types: Mapping[str | int, ColumnType] | None, names: Sequence[str], *, has_names: bool
) -> list[ColumnType | None]:
    """Return the type that each column is said to have; None where it is left to what the column looks like.

    Examples
    --------
    >>> resolve_column_types({"zip": "category"}, ["age", "zip"], has_names=True)
    [None, 'category']
    """
    check_column_types(column_types)
    types: list[ColumnType | None] = [None] * len(names)
    for column, wanted in (column_types or {}).items():
        types[_position(column, names, has_names)] = SAME_TYPE.get(wanted, wanted)
    return types


def _position(column: str | int, names: Sequence[str], has_names: bool) -> int:
    if isinstance(column, int):
        if not 0 <= column < len(names):
            raise ValueError(f"column_types has the position {column}; the data has {len(names)} columns.")
        return column
    if not has_names:
        raise ValueError(
            f"column_types has the name {column!r}, but the data has no column names: use positions."
        )
    if column not in names:
        near = " or ".join(map(repr, guesses(column, names)))
        hint = f"Did you mean {near}?" if near else f"There are {listing(names)}."
        raise ValueError(f"column_types names the column {column!r}, which the data lacks. {hint}")
    return names.index(column)
