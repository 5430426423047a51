# SPDX-License-Identifier: Apache-2.0
"""docs/architecture.md: packages and arrows are those of the code, and every module that a walk names is there."""

import re
from pathlib import Path

import pytest

from tests.picture import BEGIN, reduced, with_packages

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text()


def test_the_packages_are_fresh() -> None:
    assert BEGIN in PAGE
    assert with_packages(PAGE) == PAGE, "run: make reference"


def test_an_arrow_that_others_imply_is_left_out() -> None:
    empty = frozenset[str]()
    graph = {"a": frozenset({"b", "c"}), "b": frozenset({"c"}), "c": empty}
    assert reduced(graph) == {"a": frozenset({"b"}), "b": frozenset({"c"}), "c": empty}


def test_a_circle_is_an_error() -> None:
    with pytest.raises(ValueError, match="a -> b -> a"):
        reduced({"a": frozenset({"b"}), "b": frozenset({"a"})})


def test_modules_that_the_walks_name_are_there() -> None:
    walks = PAGE.split("## Four walks")[1]
    named = re.findall(r"^\d+\. `([\w.]+)`", walks, re.MULTILINE)
    assert len(named) > 30
    assert [one for one in named if not (ROOT / f"{one.replace('.', '/')}.py").is_file()] == []
