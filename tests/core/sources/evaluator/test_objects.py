# SPDX-License-Identifier: Apache-2.0
"""Attributes of classes, enum members and dataclass instances, from the class that binds them."""

from pathlib import Path

import pytest

from core.sources.evaluator.evaluator import Evaluator
from core.sources.evaluator.tree import TreeNames
from core.sources.evaluator.values import EnumMember, External, Record, TreeClass, Unknown, Value

SOURCE = """
from dataclasses import dataclass, field
from enum import Enum, StrEnum
import torch

_OUTER = 1

class Source(StrEnum):
    HUB = "hub"
    ALIAS = HUB
    COUNT = 3

class Plain(Enum):
    A = "a"

@dataclass
class Base:
    name: str
    source: Source = Source.HUB
    dtype: object = torch.bfloat16
    extra: dict = field(default_factory=dict)

@dataclass
class Config(Base):
    depth: int = 2
    @property
    def wide(self): return True

class Made:
    def __init__(self, **values): ...

class Holder:
    _OUTER = _OUTER
    INNER = _OUTER
    FULL = Config("net", depth=4, extra=torch.load("x"))
    ODD = Config(1, 2, 3, 4, 5, 6)
    MADE = Made(name="x")
    CALLED = Source("hub")
"""


def _ask(root: Path, name: str, *attributes: str) -> Value:
    (root / "a.py").write_text(SOURCE)
    evaluator = Evaluator(tree := TreeNames(root))
    found = tree.lookup("a.py", name)
    assert isinstance(found, TreeClass)
    value: Value = found
    for attribute in attributes:
        value = evaluator.attribute(value, attribute)
    return value


def test_members_have_the_text_of_their_value(tmp_path: Path) -> None:
    member = _ask(tmp_path, "Source", "HUB")
    assert isinstance(member, EnumMember)
    assert (member.enum.name, member.text) == ("Source", "hub")
    assert _ask(tmp_path, "Source", "HUB", "value") == "hub"


def test_two_names_of_one_value_are_one_member(tmp_path: Path) -> None:
    assert _ask(tmp_path, "Source", "ALIAS") == _ask(tmp_path, "Source", "HUB")


def test_a_class_body_sees_what_it_has_bound_so_far_and_then_the_module(tmp_path: Path) -> None:
    assert _ask(tmp_path, "Holder", "_OUTER") == _ask(tmp_path, "Holder", "INNER") == 1


def test_fields_given_by_position_and_by_name_and_left_to_their_default(tmp_path: Path) -> None:
    assert isinstance(_ask(tmp_path, "Holder", "FULL"), Record)
    assert _ask(tmp_path, "Holder", "FULL", "name") == "net"
    assert _ask(tmp_path, "Holder", "FULL", "depth") == 4
    assert _ask(tmp_path, "Holder", "FULL", "source") == _ask(tmp_path, "Source", "HUB")
    assert _ask(tmp_path, "Holder", "FULL", "dtype") == External("torch.bfloat16")


@pytest.mark.parametrize(
    "names",
    [
        ("Source", "COUNT"),
        ("Source", "GONE"),
        ("Source", "HUB", "name"),
        ("Plain", "A"),
        ("Holder", "FULL", "extra"),
        ("Holder", "FULL", "wide"),
        ("Holder", "FULL", "gone"),
        ("Holder", "ODD"),
        ("Holder", "MADE"),
        ("Holder", "CALLED"),
        ("Holder", "INNER", "real"),
    ],
)
def test_what_cannot_be_known(tmp_path: Path, names: tuple[str, ...]) -> None:
    with pytest.raises(Unknown):
        _ask(tmp_path, *names)
