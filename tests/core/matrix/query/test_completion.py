# SPDX-License-Identifier: Apache-2.0
"""Suggestions while a query is typed."""

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from core.matrix import Column, index
from core.matrix.query import (
    FIELDS,
    Field,
    Plain,
    Query,
    Scope,
    VerdictColumns,
    complete,
    completed,
    select,
    values_wanted,
)
from core.providers import RUNS
from tests.support.tree import sample


@pytest.fixture(scope="module")
def scope(tmp_path_factory: pytest.TempPathFactory) -> Scope:
    return Scope(index(sample(tmp_path_factory.mktemp("checkout"))))


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("sta", "status:"),
        ("STA", "STAtus:"),
        ("llama !(mar", "llama !(marker:"),
        ("status:xf", "status:xfail"),
        ("status:", "status:expected_passing"),
        ("a !status:", "a !status:expected_passing"),
        ("status:xfail,", "status:xfail,expected_passing"),
        ("!status:EXP", "!status:EXPected_passing"),
        ("status:pass,sk", "status:pass,skip"),
        ("arch:n3", "arch:n300"),
        ("parallelism:tens", "parallelism:tensor_parallel"),
        ("loader:be", "loader:beta/causal_lm/pytorch"),
        ("seq:>=10", "seq:>=1024"),
        ('"a b" mo', '"a b" mode:'),
        ("function:llm", "function:llms_torch"),
    ],
)
def test_the_last_word_is_completed(scope: Scope, typed: str, whole: str) -> None:
    assert completed(scope, typed) == whole


@pytest.mark.parametrize(
    "typed",
    [
        "",
        " ",
        "status:xfail",
        "llama",
        "zzz:x",
        "mode:zz",
        '"sta',
        'reason:"sta',
        "reason~sta",
        "reason:DRA",
        "sta ",
        "id:al",
    ],
)
def test_nothing_is_forced_on_anybody(scope: Scope, typed: str) -> None:
    assert completed(scope, typed) == ""


def test_an_empty_word_may_become_any_field(scope: Scope) -> None:
    offered = complete(scope, "llama  x", 6)
    assert [one.text for one in offered] == [f"{field.name}:" for field in FIELDS if field.name]
    assert {(one.start, one.end) for one in offered} == {(6, 6)}
    assert offered[0].help == FIELDS[1].help


def test_values_that_begin_so_come_before_those_with_such_a_word(scope: Scope) -> None:
    offered = complete(scope, "a parallelism:t b", 15)
    assert [(one.text, one.start, one.end) for one in offered] == [("tensor_parallel", 14, 15)]
    offered = complete(scope, "bringup:f", 9)
    begun_so = [one.text.startswith("f") and one.text == one.help for one in offered]
    assert begun_so == sorted(begun_so, reverse=True)
    assert begun_so.count(True) == 3
    assert ("fe_compilation", "failed_fe_compilation") in [(one.text, one.help) for one in offered]


@given(st.sampled_from([field for field in FIELDS if field.name and not field.needs]), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_offered_can_be_asked(scope: Scope, field: Field, data: st.DataObject) -> None:
    begun = f"{field.name}:{data.draw(st.text('abcdefnpst0123456789_-', max_size=2))}"
    for one in complete(scope, begun, len(begun)):
        text = begun[: one.start] + one.text
        learned = {RUNS: VerdictColumns(scope.matrix, {})}
        assert select(scope.matrix, Query.parse(text), learned=learned) is not None


@given(st.text(max_size=20) | st.text('ab:~"\\!(), ', max_size=12), st.integers(0, 20))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_can_be_completed(scope: Scope, text: str, cursor: int) -> None:
    cursor = min(cursor, len(text))
    for one in complete(scope, text, cursor):
        assert 0 <= one.start <= one.end == cursor
    whole = completed(scope, text)
    assert whole == "" or (whole.startswith(text) and len(whole) > len(text))


def test_values_of_facts_are_offered_once_they_are_known(scope: Scope) -> None:
    assert complete(scope, "group:r", 7) == []
    groups = Column.of(["red", "generality"])
    known = scope._replace(learned={"models": Plain({"group": groups})})
    assert completed(known, "group:r") == "group:red"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("status:", "status: expected_passing, known_failure_xfail"),
        ("llama !(mode:", "mode: inference, training"),
        ("arch:n150,", "arch: n150"),
    ],
)
def test_the_values_that_a_field_waits_for_are_reported(scope: Scope, typed: str, words: str) -> None:
    assert values_wanted(scope, typed).startswith(words)


@pytest.mark.parametrize("typed", ["", "status", "status:x", "nofield:", "reason:", "a,", "status: "])
def test_where_no_value_is_waited_for_none_is_reported(scope: Scope, typed: str) -> None:
    assert values_wanted(scope, typed) == ""


def test_more_values_than_fill_a_screen_are_cut(scope: Scope) -> None:
    many = Column.of([f"task{number}" for number in range(60)])
    known = scope._replace(learned={"models": Plain({"task": many})})
    words = values_wanted(known, "task:")
    assert words.endswith(", ...") and 20 < words.count(",") < 60
