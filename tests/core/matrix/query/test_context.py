# SPDX-License-Identifier: Apache-2.0
"""A scope is the same matrix for another arch."""

from pathlib import Path

from core.matrix import Column, index
from core.matrix.query import Plain, Scope
from tests.support.tree import sample


def test_another_arch_keeps_the_rest(tmp_path: Path) -> None:
    facts = {"models": Plain({"group": Column.of(["red"])})}
    scope = Scope(index(sample(tmp_path)), learned=facts)
    assert scope.on("") is scope
    other = scope.on("n150")
    assert (other.arch, other.matrix, other.learned) == ("n150", scope.matrix, facts)


def test_plain_facts_are_the_same_everywhere() -> None:
    column = Column.of(["red"])
    facts = Plain({"group": column})
    assert facts.column("group", "") is facts.column("group", "n150") is column
