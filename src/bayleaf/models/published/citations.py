"""The papers behind the names, as BibTeX."""

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from bayleaf.learn.register import name_and_settings

from .registry import find_method


@dataclass(frozen=True)
class Paper:
    """What a bibliography says of a paper."""

    key: str
    kind: str
    author: str
    title: str
    where: str
    year: int
    volume: int | None = None

    def bibtex(self) -> str:
        """Return the entry for a ``.bib`` file."""
        place = {"article": "journal", "inproceedings": "booktitle", "book": "publisher"}[self.kind]
        fields: dict[str, Any] = {
            "author": self.author,
            "title": f"{{{self.title}}}",  # inner braces keep the capitals of names
            place: self.where,
            "volume": self.volume,
            "year": self.year,
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value is not None]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


def _article(key: str, author: str, title: str, journal: str, volume: int, year: int) -> Paper:
    return Paper(key, "article", author, title, journal, year, volume)


def _talk(key: str, author: str, title: str, where: str, year: int) -> Paper:
    return Paper(key, "inproceedings", author, title, where, year)


JMLR, ML, KBS = "Journal of Machine Learning Research", "Machine Learning", "Knowledge-Based Systems"
IJAR = "International Journal of Approximate Reasoning"
ZAIDI = _article(
    "zaidi2013",
    "Zaidi, Nayyar A. and Cerquides, Jesus and Carman, Mark J. and Webb, Geoffrey I.",
    "Alleviating naive Bayes attribute independence assumption by attribute weighting",
    JMLR,
    14,
    2013,
)

# By the short reference that the methods have.
PAPERS = {
    "Carvalho, Adao & Mateus 2013": _article(
        "carvalho2013",
        "Carvalho, Alexandra M. and Ad{\\~a}o, Pedro and Mateus, Paulo",
        "Efficient approximation of the conditional relative entropy with applications to discriminative learning of "
        "Bayesian network classifiers",
        "Entropy",
        15,
        2013,
    ),
    "Duda & Hart 1973": Paper(
        "duda1973",
        "book",
        "Duda, Richard O. and Hart, Peter E.",
        "Pattern Classification and Scene Analysis",
        "Wiley",
        1973,
    ),
    "Friedman, Geiger & Goldszmidt 1997": _article(
        "friedman1997",
        "Friedman, Nir and Geiger, Dan and Goldszmidt, Moises",
        "Bayesian network classifiers",
        ML,
        29,
        1997,
    ),
    "Greiner & Zhou 2002": _talk(
        "greiner2002",
        "Greiner, Russell and Zhou, Wei",
        "Structural extension to logistic regression: discriminative parameter learning of belief net classifiers",
        "AAAI",
        2002,
    ),
    "Grossman & Domingos 2004": _talk(
        "grossman2004",
        "Grossman, Daniel and Domingos, Pedro",
        "Learning Bayesian network classifiers by maximizing conditional likelihood",
        "ICML",
        2004,
    ),
    "Hall 2007": _article(
        "hall2007",
        "Hall, Mark",
        "A decision tree-based attribute weighting filter for naive Bayes",
        KBS,
        20,
        2007,
    ),
    "Heckerman, Geiger & Chickering 1995": _article(
        "heckerman1995",
        "Heckerman, David and Geiger, Dan and Chickering, David M.",
        "Learning Bayesian networks: the combination of knowledge and statistical data",
        ML,
        20,
        1995,
    ),
    "Jiang & Zhang 2006": _talk(
        "jiang2006",
        "Jiang, Liangxiao and Zhang, Harry",
        "Weightily averaged one-dependence estimators",
        "PRICAI",
        2006,
    ),
    "Jiang, Cai, Wang & Zhang 2012": _article(
        "jiang2012",
        "Jiang, Liangxiao and Cai, Zhihua and Wang, Dianhong and Zhang, Harry",
        "Improving tree augmented naive Bayes for class probability estimation",
        KBS,
        26,
        2012,
    ),
    "Kelner & Lerner 2012": _article(
        "kelner2012",
        "Kelner, Roy and Lerner, Boaz",
        "Learning Bayesian network classifiers by risk minimization",
        IJAR,
        53,
        2012,
    ),
    "Lucas 2004": _talk(
        "lucas2004",
        "Lucas, Peter J. F.",
        "Restricted Bayesian network structure learning",
        "Advances in Bayesian Networks",
        2004,
    ),
    "Ma & Shi 2004": _talk(
        "ma2004",
        "Ma, Shangcai and Shi, Hongbo",
        "Tree-augmented naive Bayes ensembles",
        "International Conference on Machine Learning and Cybernetics",
        2004,
    ),
    "Martinez, Webb, Chen & Zaidi 2016": _article(
        "martinez2016",
        "Mart{\\'i}nez, Ana M. and Webb, Geoffrey I. and Chen, Shenglei and Zaidi, Nayyar A.",
        "Scalable learning of Bayesian network classifiers",
        JMLR,
        17,
        2016,
    ),
    "Mihaljevic, Bielza & Larranaga 2018": _talk(
        "mihaljevic2018",
        "Mihaljevi{\\'c}, Bojan and Bielza, Concha and Larra{\\~n}aga, Pedro",
        "Learning Bayesian network classifiers with completed partially directed acyclic graphs",
        "Probabilistic Graphical Models",
        2018,
    ),
    "Pazzani 1996": _talk(
        "pazzani1996",
        "Pazzani, Michael J.",
        "Constructive induction of Cartesian product attributes",
        "Information, Statistics and Induction in Science",
        1996,
    ),
    "Pernkopf & Bilmes 2010": _article(
        "pernkopf2010",
        "Pernkopf, Franz and Bilmes, Jeff A.",
        "Efficient heuristics for discriminative structure learning of Bayesian network classifiers",
        JMLR,
        11,
        2010,
    ),
    "Sahami 1996": _talk(
        "sahami1996",
        "Sahami, Mehran",
        "Learning limited dependence Bayesian classifiers",
        "Knowledge Discovery and Data Mining",
        1996,
    ),
    "Sugahara & Ueno 2021": _article(
        "sugahara2021",
        "Sugahara, Shouta and Ueno, Maomi",
        "Exact learning augmented naive Bayes classifier",
        "Entropy",
        23,
        2021,
    ),
    "Wang & Zhao 2015": _article(
        "wang2015",
        "Wang, Limin and Zhao, Haoyu",
        "Learning a flexible K-dependence Bayesian classifier from the chain rule of joint probability distribution",
        "Entropy",
        17,
        2015,
    ),
    "Webb et al. 2012": _article(
        "webb2012",
        "Webb, Geoffrey I. and Boughton, Janice R. and Zheng, Fei and Ting, Kai Ming and Salem, Houssam",
        "Learning by extrapolation from marginal to full-multivariate probability distributions: decreasingly naive "
        "Bayesian classification",
        ML,
        86,
        2012,
    ),
    "Webb, Boughton & Wang 2005": _article(
        "webb2005",
        "Webb, Geoffrey I. and Boughton, Janice R. and Wang, Zhihai",
        "Not so naive Bayes: aggregating one-dependence estimators",
        ML,
        58,
        2005,
    ),
    "Zaidi, Cerquides, Carman & Webb 2013": ZAIDI,
    "after Zaidi et al. 2013": ZAIDI,
    "Zhang, Petitjean & Buntine 2020": _article(
        "zhang2020",
        "Zhang, He and Petitjean, Fran{\\c c}ois and Buntine, Wray",
        "Bayesian network classifiers using ensembles and smoothing",
        "Knowledge and Information Systems",
        62,
        2020,
    ),
    "de Campos et al. 2016": _article(
        "decampos2016",
        "de Campos, Cassio P. and Corani, Giorgio and Scanagatta, Mauro and Cuccu, Marco and Zaffalon, Marco",
        "Learning extended tree augmented naive structures",
        IJAR,
        68,
        2016,
    ),
}


def cite(method: Any = None) -> str:
    """Return BibTeX of the paper behind a method; of bayleaf itself without one.

    Parameters
    ----------
    method : str or classifier, optional
        A name that `classifier` understands, or a classifier that was built by name.

    Examples
    --------
    >>> print(cite("TAN"))
    @article{friedman1997,
      author = {Friedman, Nir and Geiger, Dan and Goldszmidt, Moises},
      title = {{Bayesian network classifiers}},
      journal = {Machine Learning},
      volume = {29},
      year = {1997},
    }
    >>> cite("KDB").splitlines()[0]
    '@inproceedings{sahami1996,'
    """
    if method is None:
        return "\n".join(
            [
                "@software{bayleaf,",
                "  author = {{The bayleaf developers}},",
                "  title = {{bayleaf: Bayesian network classifiers for Python}},",
                f"  version = {{{version('bayleaf')}}},",
                "}",
            ]
        )
    if not isinstance(method, str) and hasattr(method, "published_method"):
        named = method.published_method
        if named is None:
            raise ValueError(
                "This classifier is no method of a paper as it stands: bl.methods() lists the names that cite knows."
            )
        return PAPERS[named.reference].bibtex()
    name = name_and_settings(method)[0] if isinstance(method, str) else method
    return PAPERS[find_method(name).reference].bibtex()
