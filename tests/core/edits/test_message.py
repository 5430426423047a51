# SPDX-License-Identifier: Apache-2.0
"""The words of commits and pull requests."""

import pytest

from core.edits.changes import EntryChange
from core.edits.effect import CellChange
from core.edits.message import commit_message, pull_request, title
from core.model import Entry, Status
from core.sources.presets import Job

LINK = "https://github.com/tenstorrent/tt-xla/issues/7"


def entry(id: str, **fields: object) -> Entry:
    return Entry(id, "f", 1, 1, fields)


def change(id: str, before: dict[str, object] | None, after: dict[str, object] | None, was: str = "") -> EntryChange:
    return EntryChange(
        id,
        entry(was or id, **before) if before is not None else None,
        entry(id, **after) if after is not None else None,
        was,
    )


XFAIL: dict[str, object] = {"status": "KNOWN_FAILURE_XFAIL", "reason": f"OOM - {LINK}"}
PASS: dict[str, object] = {"status": "EXPECTED_PASSING"}


@pytest.mark.parametrize(
    ("changes", "key", "said"),
    [
        ([change("a", XFAIL, PASS)], "", "Expect a to pass"),
        ([change("a", XFAIL, PASS), change("b", XFAIL, PASS)], "DRAM OOM", "Expect 2 tests to pass: DRAM OOM"),
        ([change("a", PASS, XFAIL)], "", "Expect a to fail"),
        ([change("a", None, PASS)], "", "Add a"),
        ([change("a", PASS, None)], "", "Remove the entry of a"),
        ([change("a", PASS, PASS, "old")], "", "Rename a"),
        ([change("a", PASS, {**PASS, "required_pcc": 0.98})], "", "Update required_pcc of a"),
        ([change("a", XFAIL, PASS), change("b", PASS, XFAIL)], "", "Update expectations of 2 tests"),
        ([change("a" * 90, XFAIL, PASS)], "key", f"Expect {'a' * 23}…{'a' * 33} to pass"),
    ],
)
def test_title(changes: list[EntryChange], key: str, said: str) -> None:
    assert title(changes, key) == said
    assert len(said) <= 72


def test_message() -> None:
    changes = [change("a", XFAIL, PASS), change("b", XFAIL, PASS), change("c", PASS, {**PASS, "reason": "x\ny"})]
    entries = {one.id: one for one in (each.before for each in changes) if one}
    assert commit_message(changes, entries, evidence={"b": ["https://example.com/run/1"], "z": ["no"]}) == (
        "Update expectations of 3 tests\n\n"
        "status: KNOWN_FAILURE_XFAIL -> EXPECTED_PASSING\nreason removed\n  a\n  b\n\n"
        "reason: x y\n  c\n\n"
        "Evidence:\n  https://example.com/run/1\n\n"
        "Fixes tenstorrent/tt-xla#7\n"
    )


def test_pull_request() -> None:
    changes = [change("a|b", XFAIL, {**PASS, "reason": "`tick` | @someone"})]
    job = Job("p.json", 0, "nightly", "n150", "tests", "n150 and x")
    cells = [CellChange("a|b", "n150", Status.KNOWN_FAILURE_XFAIL, Status.EXPECTED_PASSING, jobs_lost=(job,))]
    said = pull_request(changes, {"a|b": changes[0].before} if changes[0].before else {}, cells)
    assert said.splitlines() == [
        "# Expect a|b to pass",
        "",
        "| test | change |",
        "|---|---|",
        "| `a\\|b` | `status: KNOWN_FAILURE_XFAIL -> EXPECTED_PASSING`"
        f"<br>`` reason: OOM - {LINK} -> `tick` \\| @someone `` |",
        "",
        "**CI jobs**",
        "",
        "- `a\\|b` loses `p.json: nightly on n150 (n150 and x)`",
        "",
        "- Fixes tenstorrent/tt-xla#7",
    ]
