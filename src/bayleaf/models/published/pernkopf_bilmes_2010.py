"""The four-tag names of discriminative classifiers: structure, order, score, parameters.

    NB-CL  TAN-CMI-ML  TAN-SuperParent-CL  TAN-CR-ML  TAN-CL-ML  TAN-OMI-CR-CL  TAN-OMI-CR-Ext-ML  2-tree-OMI-CR-ML

* structure: NB, TAN (one feature parent per feature), or K-tree (K feature parents);
* order, for order-based search: OMI, OMISP, OCR, RO (random); without one the search is greedy;
* score: CR (training accuracy, for K >= 2 five-fold cross-validated; CRML is the same, CRCL trains each candidate's
  parameters by CL first) or CL; or, instead of order and score, CMI (the generative tree) or SuperParent; Ext after
  the score refines the parents;
* parameters of the final network: ML (when left out) or CL.

F. Pernkopf and J. A. Bilmes. Efficient heuristics for discriminative structure learning of Bayesian network
classifiers. Journal of Machine Learning Research 11, 2010.
"""

import re
from dataclasses import dataclass
from typing import Any

from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.data import MDLP
from bayleaf.learn.parameters import ConditionalLikelihood, MaximumLikelihood
from bayleaf.learn.scores import ClassificationRate, ConditionalLogLikelihood, CrossValidatedLogLoss
from bayleaf.learn.structure import TAN, GreedyTree, NaiveBayes, OrderBased, SuperParent

from .papers import Method

PERNKOPF = "Pernkopf & Bilmes 2010"
SCHEME = "STRUCTURE-ORDER-SCORE-PARAMETERS, such as TAN-OMI-CR-CL"
ORDERS = {"OMI": "omi", "OMISP": "omisp", "OCR": "ocr", "RO": "random"}
SCORES = ("CR", "CRML", "CRCL", "CL")
# Inside a search, where thousands of networks are trained, a few steps must do.
SEARCH_ITERATIONS = 30

# As the paper spells them.
PUBLISHED = (
    "NB-ML",
    "NB-CL",
    *(
        f"{structure}-{search}-{parameters}"
        for structure, searches in (
            ("TAN", "CMI RO-CR SuperParent OMI-CR OMI-CRCL CR CL OMI-CL OMISP-CR OCR-CR OMI-CR-Ext"),
            ("2-tree", "RO-CR SuperParent OMI-CR CR"),
        )
        for search in searches.split()
        for parameters in ("ML", "CL")
    ),
)


@dataclass(frozen=True)
class FourTags:
    """A parsed name."""

    k: int  # feature parents per feature; 0 for naive Bayes
    order: str | None
    score: str | None  # one of SCORES, "CMI", "SUPERPARENT", or None for naive Bayes
    refine: bool
    parameters: str

    @classmethod
    def parse(cls, name: str) -> "FourTags | None":
        """Read a name in any case; None when it is not of this scheme at all."""
        tags = re.sub(r"(\d+)-TREE", r"\1TREE", name.upper()).split("-")
        structure = tags.pop(0)
        tree = re.fullmatch(r"(\d+)TREE", structure)
        if structure == "NB":
            return cls(0, None, None, False, tags[0]) if tags in (["ML"], ["CL"]) else None
        if not tags or not (tree or structure == "TAN"):
            return None
        k = int(tree.group(1)) if tree else 1
        order = tags.pop(0) if tags[0] in ORDERS else None
        score = tags.pop(0) if tags else ""
        refine = tags[:1] == ["EXT"]
        parameters = tags[refine] if len(tags) > refine else "ML"
        known = score in SCORES or (order is None and score in ("CMI", "SUPERPARENT"))
        if not known or len(tags) > refine + 1 or parameters not in ("ML", "CL") or k < 1:
            raise ValueError(f"'{name}' is not a name of the scheme {SCHEME}: {_explanation()}.")
        if (refine and order is None) or (score == "CMI" and k != 1):
            what = "Ext refines order-based searches only" if refine else "CMI is defined for TAN only"
            raise ValueError(f"'{name}' is not a name of the scheme {SCHEME}: {what}.")
        return cls(k, order, score, refine, parameters)

    def structure_learner(self) -> Any:
        """Build the structure learner."""
        if self.score is None:
            return NaiveBayes()
        if self.score == "CMI":
            return TAN()
        if self.score == "SUPERPARENT":
            return SuperParent(k=self.k)
        if self.order is None:
            return GreedyTree(k=self.k, score=self._score())
        return OrderBased(ORDERS[self.order], k=self.k, score=self._score(), refine=self.refine)

    def parameter_learner(self) -> Any:
        """Build the parameter learner."""
        return MaximumLikelihood() if self.parameters == "ML" else ConditionalLikelihood()

    def _score(self) -> Any:
        if self.score == "CRCL":
            return ClassificationRate(ConditionalLikelihood(max_iter=SEARCH_ITERATIONS))
        if self.score == "CL":
            return ConditionalLogLikelihood() if self.k == 1 else CrossValidatedLogLoss(folds=5)
        return None  # the learner's own default: training accuracy, cross-validated for k >= 2

    @property
    def structure_text(self) -> str:
        """What the structure learner does, in a few words."""
        if self.score is None:
            return "naive Bayes"
        if self.score == "CMI":
            return "maximum spanning tree on I(X;Y|C)"
        # As `_score` and the learners' defaults.
        judged = "training" if self.k == 1 else "5-fold cross-validated"
        measure = {
            "CL": "CLL" if self.k == 1 else f"{judged} log-loss",
            "CRCL": "training accuracy after CL training",
        }.get(self.score, f"{judged} accuracy")
        parents = f"{self.k} feature parent{'s' * (self.k > 1)} at most"
        if self.score == "SUPERPARENT":
            return f"SuperParent, {parents}"
        how = "greedy" if self.order is None else f"{self.order} order"
        return f"{how}, best {measure}, {parents}{', refined' if self.refine else ''}"


def _explanation() -> str:
    return (
        "structure NB, TAN or K-tree; order OMI, OMISP, OCR or RO, or none for greedy search; score CR, CRCL or CL "
        "(or CMI or SuperParent instead of order and score), then perhaps Ext; parameters ML or CL"
    )


def four_tag_method(name: str) -> Method | None:
    """Build a method from a name such as TAN-OMI-CR-CL, in any case; None when it is not such a name."""
    tags = FourTags.parse(name)
    if tags is None:
        return None
    structure = tags.structure_text
    parameters = "maximum likelihood" if tags.parameters == "ML" else "conditional likelihood"
    return Method(
        next((spelling for spelling in PUBLISHED if spelling.lower() == name.lower()), name),
        lambda: BayesNetClassifier(tags.structure_learner(), tags.parameter_learner(), discretizer=MDLP()),
        PERNKOPF,
        structure,
        parameters,
        f"{structure[0].upper()}{structure[1:]}; {parameters}.",
    )
