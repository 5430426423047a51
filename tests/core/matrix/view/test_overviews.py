# SPDX-License-Identifier: Apache-2.0
"""The overview: every number names what it counts."""

from pathlib import Path

import pytest

from core.domain.model import Finding
from core.evidence.verdicts import Policy, Verdicts
from core.matrix import Matrix, index, with_other_rows
from core.matrix.cache import Cache
from core.matrix.query import Learned, Query, select
from core.matrix.view import DECLARED, LEARNED, Link, Number, Place, Section, findings_section, overview
from core.matrix.view.overviews import TO_LOOK_AT
from core.providers import compute_columns
from tests.support.op_rows import some_op_rows
from tests.support.sample import sample_checkout
from tests.support.tree import sample


@pytest.fixture(scope="module", params=["small", "demo", "with op cases"])
def matrix(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    target = tmp_path_factory.mktemp("checkout") / "tt-xla"
    models = index(sample_checkout(target) if request.param == "demo" else sample(target))
    return with_other_rows(models, some_op_rows()) if request.param == "with op cases" else models


@pytest.fixture(scope="module")
def learned(matrix: Matrix, tmp_path_factory: pytest.TempPathFactory) -> Learned:
    cache = Cache(matrix.checkout, tmp_path_factory.mktemp("cache"))
    return compute_columns(cache, matrix.model_tests, LEARNED, lambda models: Verdicts(models, [], Policy()).facts())


def _numbers(sections: tuple[Section, ...]) -> list[Number]:
    return [number for one in sections for row in one.rows for number in row.numbers if number is not None]


def test_every_number_is_what_its_link_selects(matrix: Matrix, learned: Learned) -> None:
    numbers = _numbers(overview(matrix, learned))
    assert len(numbers) > 60
    for number in numbers:
        assert number.link.place is Place.TESTS
        assert number.count == len(select(matrix, Query.parse(number.link.words), learned=learned)), number.link.words


def test_links_are_written_as_the_app_writes_queries(matrix: Matrix, learned: Learned) -> None:
    for number in _numbers(overview(matrix, learned)):
        assert str(Query.parse(number.link.words)) == number.link.words


def test_what_is_not_known_yet_is_left_out(matrix: Matrix, learned: Learned) -> None:
    without, complete = (_numbers(overview(matrix, known)) for known in ({}, learned))
    assert [one.link.words.removeprefix("kind:model ") for one in complete if one not in without] == [
        "turned:broke",
        "turned:fixed",
        "verdict:missing",
        "night:as-expected",
        "night:unexpected",
        "night:passed",
        "verdict:regressed",
        "is:stale",
        "verdict:drifted",
        "verdict:crash,hang,flaky",
        "verdict:pcc-loose,pcc-tight",
        "verdict:new",
        "has:entry job:none",
    ]


def test_sections_hold_as_many_numbers_as_heads(matrix: Matrix) -> None:
    for section in overview(matrix):
        assert {len(row.numbers) for row in section.rows} == {len(section.heads)}
    (statuses,) = [one for one in overview(matrix) if one.title == "tests by arch and status"]
    assert [row.label for row in statuses.rows] == ["any arch", *matrix.schema.archs]
    assert statuses.heads[0] == "all"
    assert statuses.rows[0].bar.keys() <= {*DECLARED}
    words = "kind:model" if matrix.of_kind("op") else ""
    assert statuses.rows[0].numbers[0] == Number(len(matrix.model_tests.ids), Link(Place.TESTS, words))


def test_what_to_look_at_reads_as_a_query(matrix: Matrix) -> None:
    assert all(str(Query.parse(words)) == words for words in TO_LOOK_AT.values())


def test_findings_are_counted_by_kind(tmp_path: Path) -> None:
    findings = [Finding(kind, "", "f") for kind in ("a", "b", "b")]
    section = findings_section(findings)
    assert [(row.label, row.numbers) for row in section.rows] == [
        ("all kinds", (Number(3, Link(Place.FINDINGS)),)),
        ("b", (Number(2, Link(Place.FINDINGS, "b")),)),
        ("a", (Number(1, Link(Place.FINDINGS, "a")),)),
    ]
