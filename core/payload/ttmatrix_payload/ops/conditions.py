# SPDX-License-Identifier: Apache-2.0
"""Conditions of `skip_if` and `xfail_if`: comparisons of plain values, with `and`, `or` and `not`.

    cfg.test_device.type == 'spyre' and dtype_str == 'fp16'

`cfg`, `dtype_str`, `op_name`, `model` and `env` are read from a mapping; a dot selects a key. There are no calls, no
arithmetic and no attributes of objects. `dtype_str` equals every spelling of its dtype.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from .cases import Case
from .dtypes import dtype_name
from .tokens import NotRead, Reader

SHAPE: Mapping[str, object] = {
    "cfg": {"test_device": {"type": "", "index": 0}, "ref_device": {"type": ""}, "compile_backend": ""},
    "dtype_str": "",
    "op_name": "",
    "model": "",
    "env": {},
}
"""The names that a condition may use, with the keys allowed below each."""
BACKEND_VARIABLE = "TEST_COMPILE_BACKEND"
"""The environment variable with the backend to take if none is chosen."""
DEVICE_BACKENDS = ("xla", "tt")
"""Backends that are devices themselves."""
_READABLE = re.compile(
    r"CI|[A-Z]+_CI|GITHUB_ACTIONS|(?:TEST|TT|TTMATRIX|TORCH|TORCHINDUCTOR|PYTORCH|XLA|SPYRE|ARCH)(?:_[A-Z0-9_]+)?"
)
_SECRET = re.compile(r"TOKEN|SECRET|KEY|PASS|CREDENTIAL")
_CONSTANTS: Mapping[str, object] = {"True": True, "False": False, "None": None}
_RESERVED = frozenset({"and", "or", "not", "in", "is", "if", "else", "lambda", "for", "await", "yield"})

_COMPARE: Mapping[str, Callable[[object, object], object]] = {
    "<": operator.lt,  # type: ignore[dict-item]
    "<=": operator.le,  # type: ignore[dict-item]
    ">": operator.gt,  # type: ignore[dict-item]
    ">=": operator.ge,  # type: ignore[dict-item]
}


class _Dtype(str):
    """A dtype that equals all its spellings."""


def is_readable(variable: str) -> bool:
    """Whether conditions may read this environment variable."""
    return bool(_READABLE.fullmatch(variable)) and not _SECRET.search(variable)


def readable(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment variables that conditions may read."""
    return {name: value for name, value in environment.items() if is_readable(name)}


def check(expression: str) -> None:
    """Raises NotRead, with the column, if the expression has no value in any context."""
    _Condition(expression, SHAPE, checking=True).whole()


def evaluate(expression: str, context: Mapping[str, object]) -> bool:
    """Whether the condition is true in a context of the form of `SHAPE`. Raises NotRead, a ValueError."""
    return bool(_Condition(expression, context, checking=False).whole())


def device_of(backend: str, chosen: str = "") -> str:
    """The type of the tested device: some backends are bound to theirs, others take the `chosen` one, or the CPU."""
    return backend if backend in DEVICE_BACKENDS else chosen or "cpu"


def context(
    case: Case,
    model: str,
    *,
    backend: str,
    device: str = "",
    index: int | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, object]:
    """The context in which the conditions of a case are evaluated; `device` empty: the one that the backend implies."""
    return {
        "cfg": {
            "test_device": {"type": device_of(backend, device), "index": index},
            "ref_device": {"type": "cpu"},
            "compile_backend": backend,
        },
        "dtype_str": case.dtype,
        "op_name": case.op,
        "model": model,
        "env": readable(environment),
    }


def skip_reason(case: Case, of: Mapping[str, object]) -> str:
    """Why a case is skipped in a context; empty if it is not. Raises NotRead."""
    for condition in case.skip_if:
        if evaluate(condition.expr, of):
            return condition.reason or condition.expr
    return ""


class _Condition:
    def __init__(self, expression: str, context: Mapping[str, object], *, checking: bool) -> None:
        if not expression.strip():
            raise NotRead("it is empty")
        self._reader = Reader(expression)
        self._context = context
        self._checking = checking
        """Whether values are placeholders, which are not compared."""

    def whole(self) -> object:
        value = self._either()
        self._reader.finish()
        return value

    def _either(self) -> object:
        value = self._both()
        while self._reader.keyword("or"):
            value = self._other(self._both, decided=bool(value), left=value)
        return value

    def _both(self) -> object:
        value = self._negation()
        while self._reader.keyword("and"):
            value = self._other(self._negation, decided=not value, left=value)
        return value

    def _other(self, read: Callable[[], object], *, decided: bool, left: object) -> object:
        """The right side. It is read even if the left decides, so that a mistake in it is found at once."""
        before = self._checking
        self._checking = before or decided
        right = read()
        self._checking = before
        return left if decided else right

    def _negation(self) -> object:
        if not self._reader.keyword("not"):
            return self._comparison()
        self._reader.deeper()
        value = not self._negation()
        self._reader.back()
        return value

    def _comparison(self) -> object:
        left, result = self._value(), None
        column = self._reader.next.column
        while operation := self._operation():
            right = self._value()
            outcome = self._compare(operation, left, right, column)
            result = outcome if result is None else result and outcome
            left, column = right, self._reader.next.column
        return left if result is None else result

    def _operation(self) -> str:
        reader = self._reader
        if found := reader.sign("==", "!=", "<", "<=", ">", ">=") or reader.keyword("in"):
            return found
        if reader.keyword("is"):
            return "is not" if reader.keyword("not") else "is"
        if reader.keyword("not"):
            if not reader.keyword("in"):
                raise reader.refused("expected 'in'")
            return "not in"
        return ""

    def _compare(self, operation: str, left: object, right: object, column: int) -> bool:
        if self._checking:
            return True
        if operation in ("==", "!="):
            return _same(left, right) == (operation == "==")
        if operation in ("is", "is not"):
            return (type(left) is type(right) and left == right) == (operation == "is")
        if operation in ("in", "not in"):
            return _contains(right, left, column) == (operation == "in")
        try:
            return bool(_COMPARE[operation](left, right))
        except TypeError:
            message = f"{type(left).__name__} and {type(right).__name__} cannot be compared by {operation}"
            raise NotRead(message, column) from None

    def _value(self) -> object:
        reader = self._reader
        word = reader.next
        if word.kind == "number":
            return reader.take().number()
        if word.kind == "text":
            return reader.take().string()
        if word.kind == "name" and word.text not in _RESERVED:
            return self._named()
        return self._signed()

    def _signed(self) -> object:
        reader = self._reader
        reader.deeper()
        if reader.sign("-"):
            value: object = self._value()
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise reader.refused("a sign needs a number after it")
            value = -value
        elif reader.sign("("):
            value = self._parenthesis()
        elif reader.sign("["):
            value = tuple(self._until("]"))
        else:
            raise reader.refused("expected a value")
        reader.back()
        return value

    def _parenthesis(self) -> object:
        if self._reader.sign(")"):
            return ()
        first = self._either()
        if self._reader.sign(")"):
            return first
        self._reader.expect(",")
        return (first, *self._until(")"))

    def _until(self, closing: str) -> list[object]:
        values: list[object] = []
        while not self._reader.sign(closing):
            values.append(self._either())
            if self._reader.next.text != closing:
                self._reader.expect(",")
        return values

    def _named(self) -> object:
        reader = self._reader
        word = reader.take()
        if word.text in _CONSTANTS:
            return _CONSTANTS[word.text]
        if word.text not in self._context:
            raise NotRead(f"unknown name {word.text[:40]!r}; there are {', '.join(self._context)}", word.column)
        value, path = self._context[word.text], word.text
        while reader.next.text in (".", "["):
            value, path = self._below(value, path)
        if reader.next.text == "(":
            raise reader.refused("nothing may be called")
        return _Dtype(value) if path == "dtype_str" and isinstance(value, str) else value

    def _below(self, value: object, path: str) -> tuple[object, str]:
        """A key of a mapping: `.key` or `['key']`."""
        reader = self._reader
        column = reader.next.column
        if reader.sign("."):
            if reader.next.kind != "name":
                raise reader.refused("expected a name")
            key = reader.take().text
        else:
            reader.expect("[")
            if reader.next.kind != "text":
                raise reader.refused("expected a text in quotes")
            key = reader.take().string()
            reader.expect("]")
        if not isinstance(value, Mapping):
            raise NotRead(f"{path} has nothing below it", column)
        if path == "env":
            if not is_readable(key):
                raise NotRead(f"the variable {key!r} of the environment may not be asked for", column)
            # An unset variable is None.
            return value.get(key), f"env.{key}"
        if key not in value:
            raise NotRead(f"{path} has no {key!r}; there are {', '.join(map(str, value))}", column)
        return value[key], f"{path}.{key}"


def _same(left: object, right: object) -> bool:
    if isinstance(left, _Dtype) or isinstance(right, _Dtype):
        if not isinstance(left, str) or not isinstance(right, str):
            return False
        return (dtype_name(left) or str(left)) == (dtype_name(right) or str(right))
    return bool(left == right)


def _contains(container: object, value: object, column: int) -> bool:
    if isinstance(container, tuple):
        return any(_same(value, one) for one in container)
    if isinstance(container, str) and isinstance(value, str):
        return str(value) in container
    if isinstance(container, Mapping):
        return value in container
    raise NotRead(f"nothing can be in {type(container).__name__}", column)
