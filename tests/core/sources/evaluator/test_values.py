# SPDX-License-Identifier: Apache-2.0
"""Values are compared by what they mean, and a reason keeps the place where it was met first."""

from core.sources.evaluator.namespace import ClassSource
from core.sources.evaluator.values import EnumMember, TreeClass, Unknown


def test_a_reason_keeps_its_first_place() -> None:
    assert str(Unknown("why")) == "why"
    assert str(Unknown("why").at("inner:1").at("outer:2")) == "inner:1: why"


def test_a_class_is_its_file_and_name() -> None:
    empty = ClassSource((), {}, ())
    assert TreeClass("a.py", "C", empty) == TreeClass("a.py", "C", ClassSource((), {}, ("x",)))
    assert TreeClass("a.py", "C", empty) != TreeClass("b.py", "C", empty)


def test_members_of_two_enums_differ_though_their_texts_agree() -> None:
    one, two = (TreeClass("a.py", name, ClassSource((), {}, ())) for name in "AB")
    assert EnumMember(one, "x") == EnumMember(one, "x") != EnumMember(two, "x")
