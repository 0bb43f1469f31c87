"""x."""
from bayleaf.evaluation.measures import MEASURES
from bayleaf.evaluation.protocol import *
from bayleaf.evaluation.runner import evaluate
