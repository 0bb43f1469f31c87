"""The registry: published methods by name, one file per group of methods."""

from .method import Method
from .registry import METHODS, MethodTable, classifier, find_method, methods

__all__ = ["METHODS", "Method", "MethodTable", "classifier", "find_method", "methods"]
