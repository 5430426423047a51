# SPDX-License-Identifier: Apache-2.0
"""Findings as rows: what all of a kind say is in their heading, and the rows say the rest."""

from collections.abc import Sequence

from hypothesis import given, strategies as st

from core.domain.model import Finding
from tui.view_models import finding_groups, finding_rows, said_of_all, shared_words

_JOB = "No scheduled CI job selects this test: "


def _found(*messages: str, kind: str = "no-job") -> Sequence[Finding]:
    return [Finding(kind, message, "tests/test.py", at) for at, message in enumerate(messages, 1)]


def _texts(findings: Sequence[Finding]) -> list[str]:
    return [finding_rows(findings, shared_words(findings)).cells(at)[0][0].text for at in range(len(findings))]


def _heading(findings: Sequence[Finding]) -> str:
    return "".join(
        cell.text
        for cell in finding_groups(findings, shared_words(findings), {"no-job": "what the kind is"})[0].heading
    )


def test_what_all_say_is_in_the_heading_and_the_rest_in_the_rows() -> None:
    findings = _found(f"{_JOB}no mark fits", f"{_JOB}it is excluded", f"{_JOB}no arch has one")
    assert _texts(findings) == ["no mark fits", "it is excluded", "no arch has one"]
    assert _heading(findings) == f"no-job  {_JOB.strip()} …"


def test_directories_that_all_are_in_are_in_the_heading_too() -> None:
    begin = "Importing it raises ImportError at third_party/tt_forge_models/"
    findings = _found(f"{begin}yolov8/loader.py:25", f"{begin}yolov10/loader.py:23")
    assert _texts(findings) == ["yolov8/loader.py:25", "yolov10/loader.py:23"]
    assert _heading(findings) == f"no-job  {begin}…"


def test_all_of_it_where_nothing_differs() -> None:
    findings = _found("Selects no test. Correct its mark", "Selects no test. Correct its mark")
    assert _texts(findings) == ["", ""]
    assert _heading(findings) == "no-job  Selects no test. Correct its mark"


def test_what_ends_a_word_of_one_alone_is_not_shared() -> None:
    findings = _found("The marker is of no arch that", "The marker is of no archs")
    assert _texts(findings) == ["arch that", "archs"]
    assert _heading(findings) == "no-job  The marker is of no …"


def test_a_single_one_and_those_that_differ_are_whole() -> None:
    for messages in ([f"{_JOB}no mark fits"], ["Is in a", "Is in b"], [f"{_JOB}one", "Selects no test"]):
        assert _texts(_found(*messages)) == messages
    assert _heading(_found("Is in a", "Is in b")) == "no-job  what the kind is"


@given(st.lists(st.text("ab/ ", max_size=30), min_size=1, max_size=6), st.text("abc ", max_size=40))
def test_heading_and_row_are_the_message(ends: list[str], beginning: str) -> None:
    messages = [f"x{beginning} {end}y" for end in ends]
    findings = _found(*messages)
    shared = shared_words(findings).get("no-job", "")
    assert [f"{shared}{text}" for text in _texts(findings)] == messages
    assert said_of_all(shared).removesuffix("…") in messages[0]
    if not all(one == messages[0] for one in messages):
        assert not shared or shared.endswith((" ", "/")), "no word is cut"
