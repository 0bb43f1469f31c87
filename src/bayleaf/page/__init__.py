"""The model page: one HTML file that shows a model, answers "what if" and "why", and shows how good it is."""

from .assemble import write_report
from .model_card import write_card

__all__ = ["write_card", "write_report"]
