# SPDX-License-Identifier: Apache-2.0
"""The ops of a program, a line each: MLIR of any dialect, FX graphs, jaxprs and generated code."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import read_bytes, read_text
from core.python import parse_python
from core.runs.ir.folding import folded_lines
from core.runs.ir.mlir import count_mlir, read_mlir
from core.runs.ir.ops import Op, Ops
from core.runs.ir.stages import Stage

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_ASSIGNED = re.compile(r"^(?:[\w:<>&*, ]+? )?([A-Za-z_]\w*)(?:: ?(\"[^\"]*\"|[\w.\[\], ]+))? = (.+)$")
_CALLED = re.compile(r"([A-Za-z_][\w.:]*)(?:<[\w:, ]+>)?\s*\(")
_DELETED = re.compile(r";  (?:\w+ = )+None$")
_FILE = re.compile(r"# File: (\S+):(\d+)")
_HEAD = re.compile(r"^def (\w+)\((.*)\)")
_EQUATION = re.compile(r"^((?:\w+:\S+ ?)+)= (\w[\w-]*)(.*)$")
_UNNAMED = b"class <lambda>(", b"class Unnamed("
"""How torch prints an unnamed graph, and a form that Python can parse."""
_MOST_PARSED = 2**24
"""Larger files of Python are not parsed for syntax errors, because that would take all memory."""
_PYTHON = frozenset({Stage.FX, Stage.FX_PASSES, Stage.CODE})


@dataclass(frozen=True)
class Counts:
    """The number of ops of each name in a program."""

    by_name: Mapping[str, int]
    """The most frequent first."""
    broken: str = ""
    """The error in the program and its place; empty: none."""

    @property
    def total(self) -> int:
        """The total of all names."""
        return sum(self.by_name.values())


def read_ops(file: Path, stage: Stage) -> Ops:
    """The ops of a program. Raises TTMatrixError if it cannot be read.

    Other lines are skipped, so that a truncated program gives the ops before its end.
    """
    if stage not in _PYTHON and stage is not Stage.JAXPR:
        return read_mlir(file)
    lines = folded_lines(file)
    found = Ops.of(_jaxpr_ops(lines) if stage is Stage.JAXPR else _python_ops(lines))
    found.broken = _broken(file, stage, found.names[-1] if found else "")
    return found


def count_ops(file: Path, stage: Stage) -> Counts:
    """The number of ops of each name in a program, with little memory. Raises as `read_ops` does."""
    if stage not in _PYTHON and stage is not Stage.JAXPR:
        counts, broken = count_mlir(file)
    else:
        lines = folded_lines(file)
        counts, last = Counter[str](), ""
        for op in _jaxpr_ops(lines) if stage is Stage.JAXPR else _python_ops(lines):
            counts[op.name] += 1
            last = op.name
        broken = _broken(file, stage, last)
    return Counts(dict(sorted(counts.items(), key=lambda one: (-one[1], one[0]))), broken)


def _broken(file: Path, stage: Stage, last: str) -> str:
    """The error in a program that is not MLIR, and its place. `last` is the name of its last op."""
    size = file.stat().st_size
    if not size:
        return f"{file.name} is empty"
    if file.suffix == ".py" and size <= _MOST_PARSED and (wrong := _syntax(file)):
        return f"{file.name} is broken: {wrong}"
    if stage is Stage.JAXPR and size <= _MOST_PARSED:
        text = read_text(file).rstrip()
        if text.count("{") != text.count("}"):
            lines = text.count("\n") + 1
            return f"{file.name} is broken: it ends at line {lines:,}, and a {{ is not closed"
    if stage is Stage.CODE:
        # It may consist of declarations only.
        return ""
    if not last:
        return f"{file.name} has no op"
    whole = last == "return" or stage is Stage.JAXPR
    return "" if whole else f"{file.name} is broken: its last op is {last}, no return"


def _syntax(file: Path) -> str:
    """Why a file is not valid Python; empty if it is."""
    try:
        parse_python(read_bytes(file, _MOST_PARSED).replace(*_UNNAMED))
    except SyntaxError as error:
        return f"line {error.lineno or 0:,}: {error.msg}"
    except (ValueError, MemoryError, RecursionError) as error:
        return str(error) or "it is nested too deeply"
    except OSError as error:
        raise TTMatrixError(f"Cannot read {file}", error.strerror or str(error)) from error
    return ""


# FX graphs and generated code


def _python_ops(lines: Iterable[str]) -> Iterator[Op]:
    made: dict[str, int] = {}
    place = ""
    for number, line in enumerate(lines, 1):
        text = line.strip().rstrip(";")
        if match := _FILE.search(text):
            place = f"{match[1]}:{match[2]}"
        elif head := _HEAD.match(text):
            made = dict.fromkeys(_NAME.findall(re.sub(r'"[^"]*"', "", head[2])), 0)
            yield _op(number, "def", f"{head[1]} {re.sub(_NAME, '%', head[2])}", text, made, "")
        elif text.startswith("return"):
            yield _op(number, "return", text, text, made, "")
        elif assigned := _ASSIGNED.match(_DELETED.sub("", text)):
            name, kind, value = assigned.groups()
            op = _op(number, _called(value, made), f"{kind or ''} = {value}", assigned[0], made, place)
            made[name] = number
            yield op


def _op(number: int, name: str, written: str, text: str, made: Mapping[str, int], place: str) -> Op:
    bare = re.sub(r'"[^"]*"', "", written)
    operands = tuple(made[word] for word in _NAME.findall(bare) if word in made)
    digest = hash(f"{name} {_NAME.sub(lambda match: '%' if match[0] in made else match[0], written)}")
    return Op(number, name, text, digest, operands, place)


def _called(value: str, made: Mapping[str, int]) -> str:
    """The name of the called function; for a method of a value, `Tensor.NAME`."""
    match = _CALLED.match(value)
    if match is None:
        return "getitem" if "[" in value else "get"
    first, _, rest = match[1].partition(".")
    return f"Tensor.{rest}" if rest and first in made else match[1].replace("::", ".")


# Jaxprs


def _jaxpr_ops(lines: Iterable[str]) -> Iterator[Op]:
    made: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        text = line.strip().removeprefix("let ").strip()
        match = _EQUATION.match(text)
        if match is None:
            continue
        results = [one.partition(":") for one in match[1].split()]
        written = f"{' '.join(kind for _, _, kind in results)} = {match[2]}{match[3]}"
        yield _op(number, match[2], written, text, made, "")
        made.update((name, number) for name, _, _ in results)
