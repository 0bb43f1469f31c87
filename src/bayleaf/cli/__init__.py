"""The command line: every command reads its input, calls the library as a user would, and prints."""

import sys


def main() -> None:
    """Run the command line and exit: 0, 2 for a user's mistake, 130 when interrupted, 143 when told to end."""
    try:
        import signal  # here, since it brings others: a Ctrl-C while these are imported is heard below

        # Told to end, a command tidies up as it does when it is interrupted.
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
        from .app import app  # only here, so that the package can be imported without its commands

        app(prog_name="bayleaf")
    except KeyboardInterrupt:  # before the command has begun
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)


__all__ = ["main"]
