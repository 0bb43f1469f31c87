"""The command line: fit, predict, evaluate, explain, show, convert, methods and demo.

Every command reads its input, calls the library as a user would, and prints. Nothing else of bayleaf imports this.
"""


def main() -> None:
    """Run the command line and exit with its code: 0, 2 for a user's mistake, 130 when interrupted."""
    from .app import app  # only here, so that the package can be imported without its commands

    app(prog_name="bayleaf")


__all__ = ["main"]
