"""The claims of every study."""

import importlib

import pytest

from sojourn import studies
from sojourn.studies.publication import read


@pytest.mark.parametrize("name", studies.names())
def test_every_claim_has_a_rule_and_every_rule_a_claim(name):
    package = studies.find(name).package
    module = importlib.import_module(f"{package}.verdicts")
    rules = module.JUDGES if name == "rfc7928" else module.RULES
    assert set(rules) == set(read(package).claims)


@pytest.mark.parametrize("name", studies.names())
def test_every_claim_names_its_place(name):
    for claim in read(studies.find(name).package).claims.values():
        assert claim.text
        assert claim.place
        assert len(claim.quote.split()) <= 12
