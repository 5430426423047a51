# SPDX-License-Identifier: Apache-2.0
"""core.cli.workflow_report: the keys of the headless contract, with values that JSON can hold."""

import json
from pathlib import Path
from typing import Any

from core.base.text import json_text
from core.cli.workflow_report import report_record
from core.workflows import Ask, Blocked, Progress
from core.workflows.session import start
from tests.support.triage import LOADER, MISMATCH, NO_KERNEL, REGISTRY, TARGET, case, edit, member, repro

KEYS = {"workflow", "flavour", "decision", "cpu", "loader_edit", "scope", "ops", "needs_review", "aborted"}


def progress(tmp_path: Path, error: str) -> Progress:
    session = start(tmp_path, "auto", case(member(TARGET, MISMATCH)))
    session.answer([repro(TARGET, error, inputs=[{"name": "x", "dtype": "bfloat16", "shape": [2], "type": "Tensor"}])])
    if session.waiting is not None:
        session.answer(None)
    return Progress(session, None)


def document(found: Progress, diff: str) -> Any:
    return json.loads(json_text(report_record(found, diff)))


def test_a_decision(tmp_path: Path) -> None:
    told = document(progress(tmp_path, NO_KERNEL), "the diff")
    assert told.keys() >= KEYS
    assert (told["scope"], told["aborted"], told["loader_edit"], told["diff"]) == ([TARGET], None, None, "the diff")
    assert told["cpu"][0]["phases"][0]["inputs"] == [{"name": "x", "dtype": "bfloat16", "shape": [2]}]
    assert {op["op"] for op in told["ops"]} == {"set"}


def test_an_abort(tmp_path: Path) -> None:
    told = document(progress(tmp_path, ""), "")
    assert "does not reproduce" in told["aborted"]
    assert (told["ops"], told["scope"]) == ([], [])


def test_edits_of_two_files_are_one_diff_named_after_the_loader(tmp_path: Path) -> None:
    found = progress(tmp_path, NO_KERNEL)
    report = found.session.state.report
    assert report is not None
    report.edits |= {REGISTRY: edit(), LOADER: edit()}
    told = document(found, "")["loader_edit"]
    assert (told["path"], told["paths"], told["diff"].count("+++ b/")) == (LOADER, [REGISTRY, LOADER], 2)


def test_what_it_waits_for(tmp_path: Path) -> None:
    found = progress(tmp_path, NO_KERNEL)
    asks = document(Progress(found.session, Blocked(question=Ask("which?", ("a",)), why="which?")), "")
    assert asks["waiting"] == {"why": "which?", "command": None, "go_on": None, "question": "which?", "choices": ["a"]}
