# SPDX-License-Identifier: Apache-2.0
"""Two states of an entry, field by field."""

from core.history import field_changes
from core.history.diff import FieldChange


def test_set_changed_and_taken_away_in_overrides_too() -> None:
    old = {"status": "A", "reason": "x", "arch_overrides": {"n150": {"status": "B"}}}
    new = {"arch_overrides": {"n150": {"status": "C"}, "p150": {}}, "status": "A", "markers": ["push"]}
    assert field_changes(old, new) == (
        FieldChange(("arch_overrides", "n150", "status"), "B", "C"),
        FieldChange(("arch_overrides", "p150"), None, {}),
        FieldChange(("markers",), None, ["push"]),
        FieldChange(("reason",), "x", None),
    )


def test_an_entry_that_came_or_went() -> None:
    assert field_changes(None, {"status": "A"}) == (FieldChange(("status",), None, "A"),)
    assert field_changes({"status": "A"}, None) == (FieldChange(("status",), "A", None),)
    assert field_changes(None, None) == ()


def test_names_are_those_people_write() -> None:
    assert FieldChange(("arch_overrides", "n150", "status"), 1, 2).name == "n150 status"
    assert FieldChange(("arch_overrides",), 1, 2).name == "arch_overrides"
