"""Published methods by the name their papers use: the registry, and one file per paper."""

from .citations import cite
from .method import Method
from .registry import METHODS, MethodTable, classifier, find_method, methods

__all__ = ["METHODS", "Method", "MethodTable", "cite", "classifier", "find_method", "methods"]
