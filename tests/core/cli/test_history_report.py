# SPDX-License-Identifier: Apache-2.0
"""Output of a step in an entry's history."""

import json

import pytest

from core.base.text import json_text
from core.cli.history_report import as_document, headline, steps_text
from core.history import Step, what
from core.history.pairing import EntryEdit, Location
from core.sources import Commit

COMMIT = Commit("0123456789abcdef", (), 86_400, "So\x1bmebody", "Change it (#1)")
HERE, THERE = Location("f.yaml", "a"), Location("g.yaml", "b")


def lines(edit: EntryEdit, commit: Commit | None = COMMIT) -> list[str]:
    return [line.strip() for line in steps_text([Step(commit, edit)])]


@pytest.mark.parametrize(
    ("edit", "words", "told"),
    [
        (EntryEdit(None, None, HERE, {"status": "A"}), ("added",), ["added", "+ status: A"]),
        (EntryEdit(HERE, {"status": "A"}, None, None), ("removed",), ["removed"]),
        (EntryEdit(HERE, {"l": ["x"]}, HERE, {"l": ["x", "y"]}), ("changed",), ["l: x -> x, y"]),
        (EntryEdit(HERE, {"r": "x"}, HERE, {}), ("changed",), ["- r: x"]),
        (
            EntryEdit(HERE, {}, THERE, {"on": True}),
            ("renamed", "moved", "changed"),
            ["renamed from a", "moved from f.yaml", "+ on: true"],
        ),
    ],
)
def test_what_a_commit_did(edit: EntryEdit, words: tuple[str, ...], told: list[str]) -> None:
    assert what(Step(COMMIT, edit)) == words
    assert lines(edit)[1:] == told


def test_a_commit_in_one_line() -> None:
    assert headline(COMMIT) == "1970-01-02  012345678  So\x1bmebody: Change it (#1)"
    assert headline(None) == "not committed"


def test_text_from_git_steers_no_terminal() -> None:
    told = "\n".join(lines(EntryEdit(HERE, {"r": "a\x1b[2J"}, HERE, {"r": "\u202eb\nc"})))
    assert "\x1b" not in told and "\u202e" not in told
    assert len(told.splitlines()) == 2


def test_a_step_as_json() -> None:
    edit = EntryEdit(HERE, {"arch_overrides": {"n150": {"status": "A"}}}, THERE, {"status": "B"})
    assert json.loads(json_text(as_document(Step(COMMIT, edit)))) == {
        "commit": "0123456789abcdef",
        "time": "1970-01-02T00:00:00+00:00",
        "author": "So\x1bmebody",
        "subject": "Change it (#1)",
        "what": ["renamed", "moved", "changed"],
        "id": "b",
        "file": "g.yaml",
        "id_before": "a",
        "file_before": "f.yaml",
        "changes": [
            {"path": ["status"], "before": None, "after": "B"},
            {"path": ["arch_overrides", "n150", "status"], "before": "A", "after": None},
        ],
    }
    assert as_document(Step(None, EntryEdit(HERE, {}, None, None))).commit is None
