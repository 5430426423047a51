# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.yaml.meaning."""

import pytest

from core.edits import Operation, OpKind
from core.edits.operations import Refused
from core.edits.yaml import meaning_of
from core.edits.yaml.meaning import as_field

ENTRY = meaning_of(
    {
        "status": "X",
        "markers": ["push", "large"],
        "supported_archs": "n300",
        "filechecks": ["a.mlir"],
        "arch_overrides": {"n150": {"markers": ["slow"], "reason": "r"}},
    }
)
N150 = ("arch_overrides", "n150")


def field(op: OpKind, *path: str, value: object = None, to: str | None = None) -> Operation | None:
    return as_field(ENTRY, Operation(op, "a", path=path, value=value, to=to))


@pytest.mark.parametrize(
    ("op", "path", "value", "to", "expected"),
    [
        (OpKind.ADD, ("markers",), "nightly", None, ["push", "large", "nightly"]),
        (OpKind.REMOVE, ("markers",), "push", None, ["large"]),
        (OpKind.RENAME, ("markers",), "push", "nightly", ["nightly", "large"]),
        (OpKind.RENAME, ("markers",), "push", "large", ["large"]),
        (OpKind.ADD, ("supported_archs",), "p150", None, ["n300", "p150"]),
        (OpKind.RENAME, ("supported_archs",), "n300", "p150", "p150"),
        (OpKind.ADD, (*N150, "markers"), "push", None, ["slow", "push"]),
        (OpKind.REMOVE, (*N150, "markers"), "slow", None, []),
        (OpKind.ADD, (*N150, "filechecks"), "a.mlir", None, ["a.mlir"]),
        (OpKind.ADD, ("arch_overrides", "p150"), {"status": "Y"}, None, {"status": "Y"}),
    ],
)
def test_a_part_is_the_field_it_is_in(
    op: OpKind, path: tuple[str, ...], value: object, to: str | None, expected: object
) -> None:
    assert field(op, *path, value=value, to=to) == Operation(OpKind.SET, "a", path=path, value=expected)


@pytest.mark.parametrize(("path", "value"), [(("filechecks",), "a.mlir"), (("supported_archs",), "n300"), (N150, None)])
def test_the_last_part_takes_the_field_along(path: tuple[str, ...], value: object) -> None:
    assert field(OpKind.REMOVE, *path, value=value) == Operation(OpKind.UNSET, "a", path=path)


@pytest.mark.parametrize(
    ("op", "path", "value", "to"),
    [
        (OpKind.ADD, ("markers",), "push", None),
        (OpKind.REMOVE, ("markers",), "nightly", None),
        (OpKind.REMOVE, ("reason",), "nightly", None),
        (OpKind.RENAME, ("markers",), "nightly", "push"),
        (OpKind.ADD, N150, {"reason": "r", "markers": ["slow"]}, None),
    ],
)
def test_what_is_so_already_is_nothing_to_do(op: OpKind, path: tuple[str, ...], value: object, to: str | None) -> None:
    assert field(op, *path, value=value, to=to) is None


@pytest.mark.parametrize(
    ("op", "path", "value", "to", "why"),
    [
        (OpKind.RENAME, ("markers",), "nightly", "weekly", "markers has no item nightly"),
        (OpKind.ADD, N150, {"reason": "other"}, None, "n150 has overrides already"),
        (OpKind.ADD, ("arch_overrides",), "x", None, "not a list of plain items"),
    ],
)
def test_what_has_nothing_to_act_on_is_refused(
    op: OpKind, path: tuple[str, ...], value: object, to: str | None, why: str
) -> None:
    with pytest.raises(Refused, match=why):
        field(op, *path, value=value, to=to)


def test_numbers_and_text_are_distinguished() -> None:
    entry = meaning_of({"markers": [1, "1", True]})
    found = as_field(entry, Operation(OpKind.REMOVE, "a", path=("markers",), value=1))
    assert found is not None
    assert found.value == ["1", True]
