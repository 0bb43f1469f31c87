"""The model page: one HTML file that shows a model, answers "what if" and "why", and shows how good it is."""

from .assemble import write_report

__all__ = ["write_report"]
