"""Models in the languages of others: as a query for a database."""

from .sql import to_sql

__all__ = ["to_sql"]
