# SPDX-License-Identifier: Apache-2.0
"""Pending changes in words."""

from core.edits.effects import CellChange, FieldChange
from core.model import Status
from core.sources.ci.presets import Job
from tui.view_models.changes import effect_words

PASS, SKIP = Status.EXPECTED_PASSING, Status.NOT_SUPPORTED_SKIP
JOB = Job("p.json", 0, "nightly", "n150", "tests", "n150")


def test_effect_words() -> None:
    moved = CellChange("x", "n150", PASS, SKIP, (), (JOB,), (FieldChange("status", PASS, SKIP),), seconds=120.0)
    other = CellChange("x", "p150", PASS, PASS, (), (), (FieldChange("reason", None, "x"),))
    assert effect_words([]) == "no effect on any run"
    assert effect_words([other]) == "1 cell: reason"
    assert effect_words([moved, other]) == (
        "1 cell: 1 PASS→SKIP · 1 cell: reason · LOSES 1 CI job · saves 2.0 device-minutes per CI run"
    )
