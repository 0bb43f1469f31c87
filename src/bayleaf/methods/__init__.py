"""The registry: published methods by name, one file per group of methods."""

from .method import Method
from .registry import METHODS, MethodTable, classifier, methods

__all__ = ["METHODS", "Method", "MethodTable", "classifier", "methods"]
