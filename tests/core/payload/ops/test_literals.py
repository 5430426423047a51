# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.ops.literals: what reads, what does not, and that nothing is executed."""

import ast
import math

import pytest
from hypothesis import given, strategies as st

from core.payload.ttmatrix_payload.ops.literals import read_literal
from core.payload.ttmatrix_payload.ops.tokens import MOST_INTEGER, NotRead

_INTEGERS = st.integers(-MOST_INTEGER + 1, MOST_INTEGER - 1)
_ATOMS = (
    st.none()
    | st.booleans()
    | st.just(...)
    | _INTEGERS
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.builds(slice, st.none() | _INTEGERS, st.none() | _INTEGERS, st.none() | _INTEGERS)
)
_VALUES = st.recursive(
    _ATOMS, lambda inner: st.lists(inner, max_size=4) | st.lists(inner, max_size=4).map(tuple), max_leaves=30
)


def _same(left: object, right: object) -> bool:
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return type(left) is type(right) and len(left) == len(right) and all(map(_same, left, right))
    return type(left) is type(right) and left == right


@given(_VALUES)
def test_what_python_writes_reads_back(value: object) -> None:
    assert _same(read_literal(repr(value)), value)


@given(_VALUES, st.sampled_from(["", " ", "\n", "\t "]))
def test_space_around_it_changes_nothing(value: object, space: str) -> None:
    assert _same(read_literal(f"{space}{value!r}{space}"), value)


@given(st.text(alphabet="0123456789()[],.-+ eE'\"_xjNonTrue*", max_size=25))
def test_what_reads_is_what_python_reads(text: str) -> None:
    try:
        value = read_literal(text)
    except NotRead:
        return
    if not any(name in text for name in ("inf", "nan", "Ellipsis", "slice")):
        assert _same(value, ast.literal_eval(text.strip()))


@given(st.text(max_size=60))
def test_any_text_reads_or_says_where_not(text: str) -> None:
    try:
        read_literal(text)
    except NotRead as error:
        assert 1 <= error.column <= len(text) + 1


def test_the_names() -> None:
    assert read_literal("(Ellipsis, None, slice(None, None, None))") == (..., None, slice(None, None, None))
    assert read_literal("-inf") == -math.inf
    assert math.isnan(read_literal("nan"))  # type: ignore[arg-type]
    assert read_literal("1, 2") == (1, 2)
    assert read_literal("slice(1, -1)") == slice(1, -1)


ATTACKS = {
    "9**9**9": "cannot read '**9**9'",
    "[0]*10**9": "cannot read '*10**9'",
    "__import__('os').system('true')": "only slice(...) may be called, not __import__",
    "open('/etc/passwd').read()": "only slice(...) may be called, not open",
    "().__class__.__base__.__subclasses__()": "expected the end, not '.'",
    "slice.__class__": "expected '(', not '.'",
    "slice(1, 2, 3, 4)": "slice takes one to three whole numbers or None",
    "slice('a')": "slice takes one to three whole numbers or None",
    "slice(True)": "slice takes one to three whole numbers or None",
    "lambda: 0": "cannot read ': 0'",
    "[x for x in (1,)]": "unknown name 'x'",
    "{1: 2}": "cannot read '{1: 2}'",
    "f'{1}'": "unknown name 'f'",
    "b'a'": "unknown name 'b'",
    "'a' * 10": "cannot read '* 10'",
    "1 if 1 else 2": "expected the end, not 'if'",
    "torch.int64": "unknown name 'torch'",
    "(" * 100 + ")" * 100: "it nests more than 32 deep",
    "-" * 100 + "1": "it nests more than 32 deep",
    "[" + "1," * 1024 + "[" + "1," * 900 + "]]": None,
    "(" + "1," * 2047 + "1" * 10 + ")": "at most 4,096 are read",
    "1" * 1000: "the whole number needs more than 64 bits",
    str(2**64): "the whole number needs more than 64 bits",
    "0x" + "f" * 10: "cannot read",
    "'a\\q'": "unknown escape",
    "'\\U99999999'": "unknown escape",
    "'''a'''": "expected the end",
    "1\x002": "cannot read",
    "": "it is empty",
    "-None": "a sign needs a number after it",
    "-True": "a sign needs a number after it",
    "(1 2)": "expected ','",
    "[1": "but the text ends",
    "(yield)": "unknown name 'yield'",
    "１": "cannot read",
}


@pytest.mark.parametrize(("text", "message"), ATTACKS.items())
def test_attacks(text: str, message: str | None) -> None:
    if message is None:
        read_literal(text)
        return
    with pytest.raises(NotRead) as caught:
        read_literal(text)
    assert message in str(caught.value)


def test_bounds_are_exact() -> None:
    assert len(read_literal("[" + "1," * 2047 + "]")) == 2047  # type: ignore[arg-type]
    assert read_literal(str(2**64 - 1)) == 2**64 - 1
