# SPDX-License-Identifier: Apache-2.0
"""SARIF: rules, places, and fixes with the effect of the doctor's fix."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from core.cli.sarif import fix_text, sarif_log
from core.domain.model import Finding
from core.edits import FileEdit

KINDS = {"bad-value": "a value", "no-status": "no status"}


def _log(finding: Finding, *edits: FileEdit) -> Any:
    return sarif_log([finding], KINDS, "1.2.3", lambda _: edits)


def _edit(before: str, after: str) -> FileEdit:
    return FileEdit("torch/test_config_f.yaml", before, after)


def test_the_log_names_the_tool_and_its_rules() -> None:
    log = _log(Finding("no-status", "m", "f"))
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert run["tool"]["driver"]["version"] == "1.2.3"
    assert [(rule["id"], rule["shortDescription"]["text"]) for rule in run["tool"]["driver"]["rules"]] == [
        ("bad-value", "a value"),
        ("no-status", "no status"),
    ]
    (result,) = run["results"]
    assert (result["ruleId"], result["ruleIndex"]) == ("no-status", 1)


def test_a_place_as_far_as_it_is_known() -> None:
    def place(finding: Finding) -> Any:
        return _log(finding)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]

    assert place(Finding("bad-value", "m", "a dir/f.yaml", 3, 5)) == {
        "artifactLocation": {"uri": "a%20dir/f.yaml", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 3, "startColumn": 5},
    }
    assert place(Finding("bad-value", "m", "f", 3))["region"] == {"startLine": 3}
    assert "region" not in place(Finding("bad-value", "m", "f"))


def test_a_kind_without_a_rule_is_still_a_result() -> None:
    (result,) = _log(Finding("other", "m", "f", id="x"))["runs"][0]["results"]
    assert "ruleIndex" not in result
    assert "fixes" not in result
    assert result["message"]["text"] == "x: m"


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        ({"op": "set", "id": "a", "path": ["status"], "value": "X"}, "set status to X"),
        ({"op": "unset", "id": "a", "path": ["arch_overrides", "n150"]}, "unset arch_overrides.n150"),
        ({"op": "remove", "id": "a"}, "remove a"),
        ({"op": "rename", "id": "a", "to": "b"}, "rename a to b"),
    ],
)
def test_a_fix_in_words(operation: dict[str, object], text: str) -> None:
    assert fix_text(operation) == text


_TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\u2028\n", "\n"]), max_size=8).map("".join)


@given(_TEXTS, _TEXTS, st.sampled_from(["", "end"]))
def test_a_fix_makes_the_one_text_of_the_other(before: str, after: str, end: str) -> None:
    finding = Finding("bad-value", "m", "f", fix=({"op": "remove", "id": "a"},))
    (fix,) = _log(finding, _edit(before + end, after))["runs"][0]["results"][0]["fixes"]
    (change,) = fix["artifactChanges"]
    (replacement,) = change["replacements"]
    region, lines = replacement["deletedRegion"], (before + end).split("\n")
    start, stop = (sum(len(line) + 1 for line in lines[: region[key] - 1]) for key in ("startLine", "endLine"))
    assert (region["startColumn"], region["endColumn"]) == (1, 1)
    text = before + end
    assert text[:start] + replacement["insertedContent"]["text"] + text[stop:] == after
    assert change["artifactLocation"]["uri"] == "tests/runner/test_config/torch/test_config_f.yaml"
