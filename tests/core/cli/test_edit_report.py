# SPDX-License-Identifier: Apache-2.0
"""The report on an edit."""

import io
import json

from core.cli.command_apply import Outcome, report
from core.cli.console import Console
from core.domain.model import Status
from core.edits import CellChange, EditPlan
from core.edits.commit import Answer, Committed, Validation
from core.edits.impact import FieldChange
from core.sources.ci import Job

JOB = Job("p.json", 0, "nightly", "n150", "tests", "n150")
PASS = Status.EXPECTED_PASSING
CELL = CellChange(
    "x", "n150", PASS, PASS, (), (JOB,), (FieldChange("markers", None, ["weekly"]),), ("weekly",), ("nightly",), 90.0
)


def told(outcome: Outcome, *, as_json: bool = False) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    report(outcome, Console(as_json, out=out, err=err))
    return out.getvalue(), err.getvalue()


def test_a_cell_that_moves_to_another_schedule() -> None:
    _, err = told(Outcome(EditPlan((), ()), [CELL, CellChange("y", "p150", None, PASS)]))
    assert err.splitlines() == [
        "x on n150: EXPECTED_PASSING, markers",
        "  markers +weekly -nightly",
        "  loses p.json: nightly on n150 (n150)",
        "  saves 1.5 device-minutes per CI run",
        "y on p150: not marked -> EXPECTED_PASSING",
    ]


def test_as_json() -> None:
    document = json.loads(told(Outcome(EditPlan((), ()), [CELL]), as_json=True)[0])
    assert document["effect"][0] | {"fields": None, "jobs_lost": None} == {
        "id": "x",
        "arch": "n150",
        "before": "EXPECTED_PASSING",
        "after": "EXPECTED_PASSING",
        "jobs_gained": [],
        "jobs_lost": None,
        "fields": None,
        "markers_gained": ["weekly"],
        "markers_lost": ["nightly"],
        "minutes": -1.5,
    }
    assert (document["commits"], document["written"], document["output"]) == ([], [], "")


def test_commits_what_hooks_said_and_a_validator_that_did_not_run() -> None:
    outcome = Outcome(EditPlan((), ()), ())
    outcome.commits = Committed(("a" * 40,), "hook \x1b[31mred", detached=True)
    outcome.validation = Validation(Answer.UNABLE, "no yaml")
    _, err = told(outcome)
    assert err.splitlines() == [
        "the checkout's validator could not be run: no yaml",
        "hook \N{REPLACEMENT CHARACTER}[31mred",
        "committed aaaaaaaaaa",
        "HEAD is detached: git switch -c NAME gives the commits a branch",
        "`ttmatrix pr` prints the text of a pull request",
    ]
