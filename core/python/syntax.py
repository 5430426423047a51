# SPDX-License-Identifier: Apache-2.0
"""Parse Python files within bounds: one that is too large or too deep must not stop the index."""

import ast
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")

MOST_SOURCE = 16 * 2**20
"""The largest file, in bytes. The longest of all loaders has 350 thousand."""


_one_at_a_time = threading.Lock()
"""Before 3.12, Python counts the depth in a tree for all threads together: if two threads parse at the same time, the
parser raises SystemError ("AST constructor recursion depth mismatch")."""
_TRIES = 10
"""Tries per text: a library may parse in another thread without taking this lock."""


def _unlock_child() -> None:
    """Replace the lock in a forked process: if another thread had locked it, the child would wait forever."""
    global _one_at_a_time
    _one_at_a_time = threading.Lock()


os.register_at_fork(after_in_child=_unlock_child)


def parse_python(source: str | bytes, filename: str = "<unknown>") -> ast.Module:
    """The syntax tree of `source`; bytes are decoded as Python does it. Threads wait for each other.

    Raises SyntaxError or ValueError (null bytes) as Python would, and SyntaxError beyond the bounds.
    """
    if len(source) > MOST_SOURCE:
        raise SyntaxError(f"it has {len(source):,} bytes; at most {MOST_SOURCE:,} are read")
    return _alone(lambda: ast.parse(source, filename=filename))


def parse_expression(source: str) -> ast.Expression:
    """The syntax tree of one expression, with the errors of `parse_python`."""
    return _alone(lambda: ast.parse(source, mode="eval"))


def statements_in(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements and all statements below them, without expressions, which are nearly all of a tree."""
    for node in body:
        yield node
        yield from statements_in(statements_below(node))


def statements_below(node: ast.stmt) -> list[ast.stmt]:
    """The statements directly inside a statement: in its branches, handlers and cases."""
    found = [part for name in ("body", "orelse", "finalbody") for part in getattr(node, name, ())]
    found += [part for name in ("handlers", "cases") for handler in getattr(node, name, ()) for part in handler.body]
    return found


def _alone(parse: Callable[[], T]) -> T:
    for _ in range(_TRIES - 1):
        with suppress(SystemError):
            return _bounded(parse)
    return _bounded(parse)


def _bounded(parse: Callable[[], T]) -> T:
    try:
        with _one_at_a_time:
            return parse()
    except (MemoryError, RecursionError):
        # The error that Python's parser raises if its own stack is too small.
        raise SyntaxError("it nests too deeply") from None
