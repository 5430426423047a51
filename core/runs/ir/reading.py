# SPDX-License-Identifier: Apache-2.0
"""The ops of a program, a line each: MLIR of any dialect, FX graphs, jaxprs and generated code.

Two ops are alike where their texts are, without names of values, numbers of attribute aliases, and locations.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from core.runs.ir.folding import folded_lines
from core.runs.ir.stages import Stage

_NESTED = r"[^()]*(?:\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)[^()]*)*"
_LOCATION = re.compile(rf"\s*\bloc\(({_NESTED})\)")
_PLACE = re.compile(r'"?([^\s"()]+\.\w+)"?:(\d+)')
_ALIAS = re.compile(r"^#([A-Za-z_][\w-]*) = (.*)$")
_ALIAS_USE = re.compile(r"#([A-Za-z_][\w-]*)")
_VALUE = re.compile(r"%([A-Za-z0-9_$.-]+)(?::\d+)?")
_RESULTS = re.compile(r"^(%[\w$.:-]+(?:, %[\w$.:-]+)*) = ")
_OP = re.compile(r'"?([A-Za-z_][\w$-]*(?:\.[\w$-]+)+)"?|(return|call|module|func)\b')
_BLOCK = re.compile(r"\^bb\d+")
_MODULE = re.compile(r"^(module|builtin\.module) @[\w.$-]+")

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_ASSIGNED = re.compile(r"^(?:[\w:<>&*, ]+? )?([A-Za-z_]\w*)(?:: ?(\"[^\"]*\"|[\w.\[\], ]+))? = (.+)$")
_CALLED = re.compile(r"([A-Za-z_][\w.:]*)(?:<[\w:, ]+>)?\s*\(")
_DELETED = re.compile(r";  (?:\w+ = )+None$")
_FILE = re.compile(r"# File: (\S+):(\d+)")
_HEAD = re.compile(r"^def (\w+)\((.*)\)")
_EQUATION = re.compile(r"^((?:\w+:\S+ ?)+)= (\w[\w-]*)(.*)$")
_DEPTH = 8
"""How many aliases of locations lead to one another."""


class Op(NamedTuple):
    """A line with an op."""

    line: int
    """From 1."""
    name: str
    """`stablehlo.add`, `torch.ops.aten.add.Tensor`."""
    text: str
    """As it is written, without its location and with large constants folded."""
    digest: str
    """The same of ops that are alike."""
    operands: tuple[int, ...]
    """The lines of the ops that make its operands; 0: an argument, or not known."""
    place: str
    """`FILE:LINE` of the source; empty: nothing says so."""


def read_ops(file: Path, stage: Stage) -> list[Op]:
    """The ops of a program. Raises TTMatrixError where it cannot be read.

    What is no op is passed over, so that a program that breaks off gives the ops before that.
    """
    lines = folded_lines(file)
    match stage:
        case Stage.FX | Stage.FX_PASSES | Stage.CODE:
            return list(_python_ops(lines))
        case Stage.JAXPR:
            return list(_jaxpr_ops(lines))
    return _mlir_ops(lines)


def count_ops(file: Path, stage: Stage) -> Mapping[str, int]:
    """How many ops of each name a program has, the most first; in little memory. Raises as `read_ops` does."""
    lines = folded_lines(file)
    match stage:
        case Stage.FX | Stage.FX_PASSES | Stage.CODE:
            names = (op.name for op in _python_ops(lines))
        case Stage.JAXPR:
            names = (op.name for op in _jaxpr_ops(lines))
        case _:
            names = (name for line in lines if (name := _mlir_name(line.strip())))
    counts = Counter(names)
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


# MLIR


def _mlir_ops(lines: Iterable[str]) -> list[Op]:
    made: dict[str, int] = {}
    """The line that made each value; a name of another function is written over."""
    aliases: dict[str, str] = {}
    found: list[tuple[int, str, str, str, tuple[int, ...], str]] = []
    """The fields of ops, with their locations as they are written: what these refer to comes at the end."""
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if alias := _ALIAS.match(stripped):
            aliases[alias[1]] = alias[2]
            continue
        text, location = _split_location(stripped)
        head = _RESULTS.match(text)
        body = text[head.end() :] if head else text
        if (op := _OP.match(body)) is None:
            for name in _VALUE.findall(text) if text.startswith("^bb") else ():
                made[name] = 0
            continue
        operands = tuple(made.get(name, 0) for name in _VALUE.findall(body))
        if head:
            made.update((name, number) for name in _VALUE.findall(head[1]))
        digest = _digest(_without_names(body, aliases))
        found.append((number, op[1] or op[2], text, digest, operands, location))
    known: dict[str, str] = {"": ""}
    return [
        Op(number, name, text, digest, operands, _place(location, aliases, known))
        for number, name, text, digest, operands, location in found
    ]


def _split_location(line: str) -> tuple[str, str]:
    """A line without its locations, and the last of them."""
    at = line.find(" loc(")
    if at < 0:
        return line, ""
    if line.endswith(")") and " loc(" not in line[at + 1 :]:
        # By far the most lines.
        return line[:at], line[at + 5 : -1]
    locations = _LOCATION.findall(line)
    return _LOCATION.sub("", line), locations[-1] if locations else ""


def _mlir_name(line: str) -> str:
    """The name of the op of a line; empty: it has none."""
    if line.startswith("#"):
        return ""
    head = _RESULTS.match(line)
    op = _OP.match(line, head.end()) if head else _OP.match(line)
    return op[1] or op[2] if op else ""


def _without_names(body: str, aliases: Mapping[str, str]) -> str:
    body = _VALUE.sub("%", body)
    if "#" in body:
        body = _ALIAS_USE.sub(lambda match: _expanded(match, aliases), body)
    if "^bb" in body:
        body = _BLOCK.sub("^bb", body)
    return _MODULE.sub(r"\1", body) if body.startswith(("module", "builtin")) else body


def _expanded(match: re.Match[str], aliases: Mapping[str, str], depth: int = 0) -> str:
    """The text of an attribute alias: its number is another one in each program."""
    text = aliases.get(match[1])
    if text is None or depth > _DEPTH:
        return match[0]
    return _ALIAS_USE.sub(lambda inner: _expanded(inner, aliases, depth + 1), text)


def _place(location: str, aliases: Mapping[str, str], known: dict[str, str], depth: int = 0) -> str:
    """`FILE:LINE` of a location; of one that leads through several files the innermost that is not a library's."""
    if location in known:
        return known[location]
    places = [f"{file}:{line}" for file, line in _PLACE.findall(location)]
    if depth < _DEPTH:
        for name in _ALIAS_USE.findall(location):
            text = _LOCATION.match(aliases.get(name, ""))
            inner = _place(text[1], aliases, known, depth + 1) if text else ""
            places += [inner] if inner else []
    own = [one for one in places if "site-packages" not in one and "dist-packages" not in one]
    known[location] = next(iter(own or places), "")
    return known[location]


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
    digest = _digest(f"{name} {_NAME.sub(lambda match: '%' if match[0] in made else match[0], written)}")
    return Op(number, name, text, digest, operands, place)


def _called(value: str, made: Mapping[str, int]) -> str:
    """What is called; of a value's method `Tensor.NAME`."""
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


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()
