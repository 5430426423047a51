# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.yaml.values."""

import pytest

from core.edits.operations import Refused
from core.edits.yaml.nodes import parse
from core.edits.yaml.values import replace_list

TEXT = """\
filechecks:
  - one.mlir
  # about two
  - two.mlir # two
  - "three.mlir"
status: X
"""


def replaced(value: object, text: str = TEXT) -> str:
    root = parse(text)
    assert root is not None
    return replace_list(text, root.keys[0], root.items[0], value, "\n")


def test_items_that_stay_keep_their_lines_and_comments() -> None:
    assert replaced(["two.mlir", "three.mlir"]) == (
        'filechecks:\n  # about two\n  - two.mlir # two\n  - "three.mlir"\nstatus: X\n'
    )


def test_new_items_take_the_indent_of_the_list() -> None:
    assert replaced(["one.mlir", "two.mlir", "three.mlir", "four.mlir"]) == TEXT.replace(
        "status", "  - four.mlir\nstatus"
    )


@pytest.mark.parametrize(("value", "expected"), [([], "[]"), ("a", "a"), (False, "false")])
def test_what_is_no_list_of_items_goes_on_one_line(value: object, expected: str) -> None:
    assert replaced(value, "f:   \n  - x\n  - y\ns: 1\n") == f"f: {expected}\ns: 1\n"


def test_an_item_that_is_there_twice_is_written_twice() -> None:
    assert replaced(["one.mlir", "one.mlir"]) == "filechecks:\n  - one.mlir\n  - one.mlir\nstatus: X\n"


def test_a_missing_final_newline_stays_missing() -> None:
    assert replaced(["b", "a"], "f:\n  - a\n  - b") == "f:\n  - b\n  - a"


@pytest.mark.parametrize(
    ("value", "text", "why"),
    [
        ("x", TEXT, "line 2: the list of filechecks may hold comments"),
        ([], TEXT, "may hold comments"),
        (["x"], "f:\n  - [a]\n", "more than plain values"),
        (["x"], "f:\n  - a: 1\n", "more than plain values"),
        (["x"], "f:\n  - |\n    a\n", "more than plain values"),
    ],
)
def test_what_would_lose_something_is_refused(value: object, text: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        replaced(value, text)
