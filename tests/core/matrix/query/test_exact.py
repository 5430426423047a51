# SPDX-License-Identifier: Apache-2.0
"""Terms that select exactly one text of a field."""

import re
from pathlib import Path

from hypothesis import given, strategies as st

from core.matrix import index
from core.matrix.query import Query, beginning, exactly, named, select, written
from core.matrix.query.terms import Term
from tests.support.tree import loader_source, write_checkout

IDS = ("a/x-1", "a/x-12", "a/x", "a/x.1", "a/y-1", "b", "a/x-1-1", "a/(x)|y")
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), min_size=1)


@given(TEXTS, TEXTS)
def test_a_written_text_matches_itself_alone(text: str, other: str) -> None:
    node = written("reason", text, [text, other])
    assert isinstance(node, Term)
    assert re.search(node.values[0], text, re.IGNORECASE)
    if other != text and (other.lower() == text.lower() or not re.fullmatch(re.escape(text), other, re.IGNORECASE)):
        assert not re.search(node.values[0], other, re.IGNORECASE)
    assert Query.parse(str(Query((node,)))) == Query((node,))


def test_names_and_beginnings_read_as_a_person_would_write_them() -> None:
    assert str(named("status", "EXPECTED_PASSING")) == "status:expected_passing"
    assert str(named("bringup", "")) == "bringup:none"
    assert str(written("loader", "a/b-c/pytorch", ["a/b-c/pytorch"])) == "loader~^a/b-c/pytorch$"
    assert str(written("variant", "3.1", ["3.1", "301"])) == r"variant~^3\.1$"
    assert str(written("reason", "", ["", "x"])) == "!reason~."
    assert str(beginning("loader", "a/", ["a/", "ab/"])) == "loader~^a/"


def test_names_that_differ_in_case_alone_are_distinguished(tmp_path: Path) -> None:
    matrix = index(write_checkout(tmp_path, {"alpha/pytorch": loader_source(["Tiny", "tiny", "tin.y"])}, {}))
    vocabulary = ("Tiny", "tiny", "tin.y")
    for text in vocabulary:
        found = select(matrix, Query((written("variant", text, vocabulary),)))
        assert found
        assert {matrix.ids[row].split("-")[1] for row in found} == {text}


@given(st.lists(st.sampled_from(IDS), min_size=1, unique=True))
def test_ids_select_exactly_themselves(ids: list[str]) -> None:
    query = exactly(ids)
    assert Query.parse(str(query)) == query
    (term,) = query.terms
    assert isinstance(term, Term)
    assert {id for id in IDS if re.search(term.values[0], id)} == set(ids)
