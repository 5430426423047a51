# SPDX-License-Identifier: Apache-2.0
"""A written case reads back as the same case, and adding cases to a file changes none of its bytes."""

import math

import pytest
from hypothesis import given, strategies as st

from core.payload.ttmatrix_payload.ops.cases import (
    Case,
    Condition,
    DeviceName,
    DtypeName,
    Manifest,
    Raises,
    Tensor,
    Value,
)
from core.payload.ttmatrix_payload.ops.digest import canonical, digest
from core.payload.ttmatrix_payload.ops.load import read_text
from core.payload.ttmatrix_payload.ops.reading import Defaults
from core.payload.ttmatrix_payload.ops.writing import NotWritable, added, manifest_text

WORDS = st.text(st.characters(codec="utf-8"), max_size=12)
PRINTED = st.text("abc'\":#{}[]&*! -.0123456789eéNone", min_size=1, max_size=12).filter(
    lambda text: text.strip() and text.isprintable()
)
LITERALS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**40), 2**40)
    | st.floats()
    | PRINTED
    | st.just(...)
    | st.builds(slice, *[st.none() | st.integers(-9, 9)] * 3),
    lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple),
    max_leaves=6,
)
VALUES = LITERALS | st.just(DtypeName("float16")) | st.just(DeviceName("cuda:0"))
PLAIN = st.builds(
    Tensor,
    shape=st.lists(st.integers(0, 5), max_size=3).map(tuple),
    dtype=st.sampled_from(["float16", "bfloat16", "float32"]),
    init=st.sampled_from(["rand", "randn", "zeros", "ones", "arange"]),
    init_args=st.just({}),
    data=st.none(),
    preset=st.just(""),
    preset_args=st.just({}),
    base_shape=st.none(),
    stride=st.none(),
    storage_offset=st.just(0),
    contiguous=st.booleans(),
    device=st.sampled_from(["", "cuda:0"]),
    file=st.just(""),
    key=st.just(""),
)
STRIDED = st.integers(1, 9).map(
    lambda step: Tensor((2, 3), "float16", stride=(step * 3, step), storage_offset=step - 1, contiguous=False)
)
SPECIAL = st.sampled_from(
    [
        Tensor((2,), "int64", "data", data=[3, -1]),
        Tensor((), "bool", "data", data=True),
        Tensor((4,), "int64", "randint", {"low": -1, "high": 7}),
        Tensor((2, 2), "float32", "full", {"fill_value": 0.5}),
        Tensor((2, 4), "float16", preset="noncontig_slice", preset_args={"dim": 1, "step": 2}, contiguous=False),
    ]
)
TENSORS = PLAIN | STRIDED | SPECIAL
CASES = st.builds(
    Case,
    name=PRINTED,
    op=st.sampled_from(["torch.add", "torch.nn.functional.softmax", "torch.ops.aten.view.default"]),
    inputs=st.lists(TENSORS | st.lists(TENSORS, max_size=2).map(tuple) | st.builds(Value, VALUES), max_size=3).map(
        tuple
    ),
    keywords=st.dictionaries(st.sampled_from(["dim", "mode", "size"]), VALUES, max_size=2),
    dtype=st.sampled_from(["float16", "float32"]),
    seed=st.integers(0, 9),
    rtol=st.floats(0, 1),
    atol=st.just(1e-3),
    pcc=st.none() | st.floats(0, 1),
    xfail_if=st.just(""),
    xfail_reason=st.just(""),
    xfail_strict=st.booleans(),
    line=st.just(0),
    column=st.just(0),
    description=WORDS,
    marks=st.lists(st.sampled_from(["constant", "slow"]), unique=True).map(tuple),
    expects_error=st.none() | st.just((Raises("ValueError", "no: #1"), Raises("RuntimeError"))),
    skip_if=st.just(()) | st.just((Condition("dtype_str == 'fp16'", "not: yet"),)),
)


def meaning(case: Case) -> object:
    """A case without its place; its values with their types, for a dtype's name equals a tuple of one text."""
    plain = case._replace(line=0, column=0, inputs=(), keywords={}, rtol=repr(case.rtol))  # type: ignore[arg-type]
    return canonical(case), plain


@given(st.lists(CASES, max_size=3, unique_by=lambda case: case.name))
def test_what_is_written_reads_back(cases: list[Case]) -> None:
    text = manifest_text(Manifest("", "m", tuple(cases)), Defaults(), ["a comment"])
    read = read_text(text, "m.yaml")
    assert read.problems == ()
    assert [meaning(case) for case in read.cases] == [meaning(case) for case in cases]


@given(
    st.lists(CASES, max_size=3, unique_by=lambda case: case.name),
    st.lists(CASES, max_size=3, unique_by=lambda case: case.name),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_added_cases_leave_every_byte(there: list[Case], more: list[Case], newline: str, ended: bool) -> None:
    text = manifest_text(Manifest("", "m", tuple(there)), Defaults(dtype="float32"), ["Mine."])
    text = text.replace("cases: []", "cases:\n  - {name: a person's, op: torch.add}").replace("\n", newline)
    text = text if ended else text.removesuffix(newline)
    old = read_text(text, "m.yaml")
    result, count = added(text, "m.yaml", more)
    assert result.startswith(text)
    new = read_text(result, "m.yaml")
    assert new.problems == ()
    assert new.cases[: len(old.cases)] == old.cases
    assert len(new.cases) == len(old.cases) + count
    written = {digest(case) for case in new.cases}
    assert all(digest(case) in written for case in more)
    assert added(result, "m.yaml", more) == (result, 0)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("model: m\ncases: [{name: a, op: torch.add}]\n", "one below the other"),
        ("model: m\ncases:\n  - {op: torch.add}\nop: torch.mul\n", "one below the other"),
        ("model: m\ncases:\n  - {op: torch.add, dtyp: fp16}\n", "line 3"),
        ("", "empty"),
    ],
)
def test_a_file_that_cannot_take_more_is_refused(text: str, reason: str) -> None:
    with pytest.raises(NotWritable, match=reason):
        added(text, "m.yaml", [Case("new", "torch.sub")])


def test_what_has_no_form_is_refused() -> None:
    case = Case("a", "torch.add", (Value(object()),))
    with pytest.raises(NotWritable, match="object"):
        manifest_text(Manifest("", "m", (case,)), Defaults())


def test_small_numbers_are_numbers_in_every_yaml() -> None:
    case = Case("a", "torch.add", (Value(1e-05), Value(1e300), Value(math.inf), Value(-0.0)), rtol=1e-05)
    text = manifest_text(Manifest("", "m", (case,)), Defaults())
    assert "1.0e-05" in text
    assert "1.0e+300" in text
    (read,) = read_text(text, "m.yaml").cases
    assert repr(read.inputs) == repr(case.inputs)
