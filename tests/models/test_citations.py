"""Every method has its paper, and the entry is one that BibTeX can read."""

import re

import pytest

import bayleaf as bl
from bayleaf.models.published.papers import papers


def test_every_method_has_a_paper_of_the_year_that_its_reference_says():
    for method in bl.methods():
        entry = method.bibtex
        assert f"  year = {{{method.reference[-4:]}}},\n" in entry
        author = re.search(r"  author = \{([^,]+),", entry)[1]
        assert re.sub(r"[^a-z]", "", author.lower())[:3] in method.reference.lower().replace(" ", "")


def test_entries_are_balanced_and_have_keys_of_their_own():
    entries = papers()
    assert len(entries) == len(set(entries.values()))
    assert {method.bibtex for method in bl.methods()} == {*entries.values()}
    for entry in entries.values():
        assert entry.isascii()
        assert entry.count("{") == entry.count("}")
        assert re.fullmatch(r"@\w+\{\w+,\n(  \w+ = \{.*\},\n)+\}", entry)


def test_a_classifier_built_by_name_knows_its_paper():
    clf = bl.classifier("KDB", k=3)
    assert bl.cite(clf) == bl.cite("kdb")
    with pytest.raises(ValueError, match="not a published method: "):
        bl.cite(clf.set_params(parameters=bl.MaximumLikelihood()))


def test_names_of_a_scheme_and_the_library_itself():
    assert "pernkopf2010" in bl.cite("TAN-OMI-CR-CL")
    assert bl.__version__ in bl.cite()
    with pytest.raises(ValueError, match=r"There is no method 'TANN'. Did you mean 'TAN'"):
        bl.cite("TANN")
