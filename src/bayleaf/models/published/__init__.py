"""Published methods by the name their papers use: the registry, and one file per paper."""

from .papers import Method
from .registry import METHODS, MethodTable, cite, classifier, find_method, methods

__all__ = ["METHODS", "Method", "MethodTable", "cite", "classifier", "find_method", "methods"]
