# SPDX-License-Identifier: Apache-2.0
"""Words and numbers that the two YAML versions read differently."""

import pytest

from core.doctor.yaml_version import YAML_VERSION, readings
from tests.support.findings import Find

ID = "alpha/pytorch-tiny-single_device-inference"
PASSING = f"  {ID}:\n    status: EXPECTED_PASSING\n"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("yes", "true", "text"),
        ("Off", "false", "text"),
        ("010", "an octal number", "a decimal number"),
        ("08", "text", "a number"),
        ("0o17", "text", "an octal number"),
        ("1e-3", "text", "a number"),
        ("1.5e3", "text", "a number"),
        ("1:30", "a number to base 60", "text"),
    ],
)
def test_readings_that_differ(text: str, old: str, new: str) -> None:
    found = readings(text)
    assert found == (old, new)


@pytest.mark.parametrize(
    "text", ["true", "False", "0.99", "0", "12", "1.5e+3", "0x1F", "y", "n", "yES", "offset", "push", "", "12:99"]
)
def test_readings_that_agree(text: str) -> None:
    assert readings(text) is None


def test_a_flag_is_fixed_and_a_quoted_word_is_none(find: Find) -> None:
    yaml = PASSING + '    assert_pcc: no\n    reason: "no"\n    arch_overrides:\n      n150:\n        reason: off\n'
    found = find(YAML_VERSION, yaml)
    assert [(one.line, one.column) for one in found] == [(4, 5), (8, 9)]
    assert found[0].message == "no is false to the validator (YAML 1.1), text to the runner (1.2)"
    assert [[op["value"] for op in one.fix] for one in found] == [[False], []]


def test_an_item_of_a_list(find: Find) -> None:
    (one,) = find(YAML_VERSION, f"{PASSING}    markers: [push, on]\n")
    assert (one.line, one.column) == (4, 21)


def test_a_word_within_a_text_is_no_finding(find: Find) -> None:
    assert find(YAML_VERSION, f"{PASSING}    reason: no OOM on n150 # yes\n") == []
