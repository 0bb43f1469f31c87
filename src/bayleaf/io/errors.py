"""What goes wrong with data files, in one sentence each."""


class DataFileError(ValueError):
    """A data file cannot be read or written; the message is one sentence that says why.

    Examples
    --------
    >>> raise DataFileError("'iris.csv' is empty.")
    Traceback (most recent call last):
    bayleaf.io.errors.DataFileError: 'iris.csv' is empty.
    """
