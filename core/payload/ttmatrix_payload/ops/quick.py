# SPDX-License-Identifier: Apache-2.0
"""Read a manifest piece by piece: a YAML library takes 1 s for a MB, and most pieces of a generated file repeat.

The text is cut at lines where a new case, key or argument begins in block style. Known pieces are not read again,
and the usual form of a tensor is read here. Every other piece goes to the YAML library by itself. A cut inside a
quoted text or a bracket leaves it open, so that the piece is invalid YAML; then the library reads the whole file. If
anything is wrong in a case, `reading` reads that case and notes the mistake with its place.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from .arguments import read_argument
from .cases import Argument, Case, Manifest, Problem, Tensor
from .dtypes import dtype_name
from .names import OpKind, is_known, kind_of
from .nodes import Bad, Noted, Notes, fields, text as text_of
from .reading import (
    CASE_KEYS,
    MOST_CASES,
    MOST_DESCRIPTION,
    MOST_NAME,
    Defaults,
    make_case,
    read_case,
    read_head,
    read_settings,
)
from .tensor_keys import INITS, MOST_DIMENSIONS, MOST_ELEMENTS, PRESETS, Flaw, TensorKeys, build_tensor
from .yaml_text import NotLoaded, compose

_NOT_ASCII = re.compile(r"[^\n -~]")
_UNUSUAL = re.compile("[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff\\ufeff\\ufffe\\uffff]")
"""Characters that YAML treats in a special way."""
_DOCUMENTS = ("---", "...", "%")
"""Beginnings of lines that divide a text into several documents."""
_CASES = re.compile(r"^cases: *\n", re.MULTILINE)
_FIRST_ITEM = re.compile(r"(?: *\n| *#[^\n]*\n)*( *)- (?=\S)")
_ANCHOR = re.compile(r"(?:^|[\s\[{,:-])[&*]\S")
_NAME = re.compile(r" *name: (\w[\w.+/-]*)[ \n]*", re.ASCII)
_OP = re.compile(r" *op: ([A-Za-z_][\w.]*)[ \n]*", re.ASCII)
_QUOTED = re.compile(r" *description: '([^'\n]*(?:(?:''|\n *(?=[^ \n']))[^'\n]*)*)'[ \n]*")
_PLAIN = re.compile(r" *description: ([A-Za-z](?:[^\n:#]|:(?=[^ \n])|(?<=[^ ])#)*)[ \n]*")
_NULLS = frozenset({"null", "Null", "NULL"})
_FOLD = re.compile(r" *\n *")
_INPUTS = re.compile(r" *inputs: *\n( *)- (?=\S)")
_TENSOR = re.compile(r" *- tensor: *\n")
_LINE = re.compile(r"( *)([a-z_0-9]+):(?: (\S.*?))? *")
_INTEGERS = re.compile(r"\[((?:0|[1-9]\d{0,14})(?:, (?:0|[1-9]\d{0,14}))*)?\]", re.ASCII)
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,14})", re.ASCII)
_FLOAT = re.compile(r"-?(?:0|[1-9]\d{0,14})\.\d{1,15}", re.ASCII)
_DEVICE = re.compile(r"[a-z]+(?::\d{1,3})?", re.ASCII)


class _NotQuick(Exception):
    """The piece must be read in the ordinary way."""


class QuickReader:
    """Reads manifests, and remembers pieces across manifests."""

    def __init__(self) -> None:
        self._arguments: dict[tuple[str, str], Argument | None] = {}
        self._settings: dict[tuple[str, ...], dict[str, Any] | None] = {}
        self._defaults: dict[str, Any] = {}
        self._ops: dict[str, str] = {}
        self._descriptions: dict[str, str] = {}
        self._lines: dict[str, tuple[int, str, object] | None] = {}

    def read(self, text: str, path: str, model: str) -> Manifest | None:
        """The manifest in `text`, equal to that of `read_manifest`. None: the text is not in the supported form."""
        found = _CASES.search(text)
        if found is None or not text.endswith("\n") or _is_unusual(text):
            return None
        begin = _FIRST_ITEM.match(text, found.end())
        if begin is None or _has_other_lines(text, found.end(), len(begin[1])):
            return None
        try:
            head = read_head(compose(f"{text[: found.start()]}cases: []\n"), model)
            if head.problems:
                return None
            cases, problems = self._cases(text, begin.start(1), len(begin[1]), head.defaults)
        except (NotLoaded, _NotQuick):
            return None
        return Manifest(path, head.model, tuple(cases), tuple(problems))

    def _cases(self, text: str, start: int, indent: int, defaults: Defaults) -> tuple[list[Case], list[Problem]]:
        # Patterns begin with a line feed instead of `^`: a pattern with a fixed beginning is found much faster.
        begins = [match.start() + 1 for match in _dashes(indent).finditer(text, start - 1)]
        if len(begins) > MOST_CASES or begins[0] != start:
            raise _NotQuick
        key = re.compile(rf"\n {{{indent + 2}}}([a-z_]+):(?=[ \n])")
        line = text.count("\n", 0, start) + 1
        self._defaults = defaults.settings()
        names: dict[str, int] = {}
        cases: list[Case] = []
        problems: list[Problem] = []
        for begin, end in zip(begins, [*begins[1:], len(text)], strict=True):
            chunk = text[begin:end]
            place = (line, indent + 3)
            try:
                case = self._case(f"\n{chunk[:indent]}  {chunk[indent + 2 :]}", key, defaults, names, place)
                names[case.name] = line
                cases.append(case)
            except _NotQuick:
                found, wrong = _ordinarily(chunk, line, defaults, names)
                problems.extend(wrong)
                cases.extend([] if found is None else [found])
            line += chunk.count("\n")
        return cases, problems

    def _case(
        self, chunk: str, key: re.Pattern[str], defaults: Defaults, names: dict[str, int], place: tuple[int, int]
    ) -> Case:
        keys = list(key.finditer(chunk))
        if not keys or keys[0].start() != 0:
            raise _NotQuick
        pieces: dict[str, str] = {}
        ends = [*(match.start() for match in keys[1:]), len(chunk)]
        for match, end in zip(keys, ends, strict=True):
            if match[1] in pieces or match[1] not in CASE_KEYS:
                raise _NotQuick
            pieces[match[1]] = chunk[match.start() + 1 : end + 1]
        op = self._op(pieces.pop("op")) if "op" in pieces else defaults.op
        name = _name(pieces.pop("name")) if "name" in pieces else op
        if not op or name in names:
            raise _NotQuick
        description = self._description(pieces.pop("description")) if "description" in pieces else ""
        inputs = pieces.pop("inputs", "")
        settings = {**self._defaults, **self._rest(tuple(pieces.values()))}
        return make_case(name, op, self._inputs(inputs, place[1] - 1, settings["dtype"]), description, settings, place)

    def _op(self, piece: str) -> str:
        op = self._ops.get(piece)
        if op is None:
            match = _OP.fullmatch(piece)
            if match is None or match[1] in _NULLS or len(match[1]) > MOST_NAME or kind_of(match[1]) is OpKind.REFUSED:
                raise _NotQuick
            if not is_known(match[1]):
                raise _NotQuick
            op = self._ops[piece] = match[1]
        return op

    def _description(self, piece: str) -> str:
        match = _QUOTED.fullmatch(piece)
        if match is not None and len(match[1]) <= MOST_DESCRIPTION:
            return _FOLD.sub(" ", match[1]).replace("''", "'")
        match = _PLAIN.fullmatch(piece)
        if match is not None and len(match[1]) <= MOST_DESCRIPTION:
            return "" if (plain := match[1].rstrip()) in _NULLS else plain
        description = self._descriptions.get(piece)
        if description is None:
            notes = Notes()
            try:
                found = fields(_composed(piece), ("description",), notes, "a case")
                description = text_of(found["description"].value, "description", MOST_DESCRIPTION) if found else ""
            except Bad:
                raise _NotQuick from None
            if notes.found:
                raise _NotQuick
            self._descriptions[piece] = description
        return description

    def _rest(self, pieces: tuple[str, ...]) -> dict[str, Any]:
        if pieces not in self._settings:
            self._settings[pieces] = _settings(pieces)
        settings = self._settings[pieces]
        if settings is None:
            raise _NotQuick
        return settings

    def _inputs(self, piece: str, column: int, dtype: str) -> tuple[Argument, ...]:
        if not piece:
            return ()
        begin = _INPUTS.match(piece)
        if begin is None:
            if piece.strip() in ("inputs:", "inputs: []"):
                return ()
            raise _NotQuick
        indent = len(begin[1])
        if indent < column:
            raise _NotQuick
        starts = [found.start() + 1 for found in _dashes(indent).finditer(piece, begin.start(1) - 1)]
        found: list[Argument] = []
        for start, end in zip(starts, [*starts[1:], len(piece)], strict=True):
            item = piece[start:end]
            known = self._arguments.get((dtype, item))
            if known is None:
                known = self._arguments[dtype, item] = self._argument(item, indent, dtype)
            found.append(known)
        if len(found) > _MOST_ARGUMENTS:
            raise _NotQuick
        return tuple(found)

    def _argument(self, item: str, indent: int, dtype: str) -> Argument:
        usual = self._tensor(item, indent, dtype) if _TENSOR.match(item) else None
        if usual is not None:
            return usual
        notes = Notes()
        node = _composed(item)
        try:
            if node.id != "sequence" or len(node.value) != 1:
                raise _NotQuick
            argument = read_argument(node.value[0], dtype, notes)
        except (Bad, Noted):
            raise _NotQuick from None
        if notes.found:
            raise _NotQuick
        return argument

    def _tensor(self, item: str, indent: int, dtype: str) -> Tensor | None:
        """A tensor written with one key per line; None if it is not."""
        keys: dict[str, Any] = {}
        column = deeper = 0
        below: dict[str, object] | None = None
        for line in item.split("\n")[1:-1]:
            parsed = self._lines[line] if line in self._lines else self._parsed(line)
            if parsed is None:
                return None
            at, key, value = parsed
            column = column or at
            if at == column and key not in keys:
                below = {} if value is _BELOW else None
                keys[key] = value if below is None else below
            elif below is not None and key not in below and at > column and key in _NUMBERS:
                # All keys must start in the same column: otherwise it is not valid YAML.
                if below and at != deeper:
                    return None
                deeper, below[key] = at, value
            else:
                return None
        if column <= indent + 2 or "shape" not in keys or not keys.keys() <= _TENSOR_KEYS or {} in keys.values():
            return None
        try:
            tensor, warning = build_tensor(TensorKeys(**keys), dtype)
        except Flaw:
            return None
        return None if warning else tensor

    def _parsed(self, line: str) -> tuple[int, str, object] | None:
        match = _LINE.fullmatch(line)
        value = None if match is None else _value(match[2], match[3] or "")
        parsed = None if match is None or value is None else (len(match[1]), match[2], value)
        self._lines[line] = parsed
        return parsed


_MOST_ARGUMENTS = 256
_BELOW = object()
"""The value is on the following lines."""
_NUMBERS = frozenset({"low", "high", "fill_value", "dim", "step", "dim0", "dim1"})
_TENSOR_KEYS = frozenset(TensorKeys._fields) - {"data"}


@functools.lru_cache(maxsize=64)
def _dashes(indent: int) -> re.Pattern[str]:
    """A pattern for the end of a line before an item at that indent."""
    return re.compile(rf"\n {{{indent}}}- ")


def _is_unusual(text: str) -> bool:
    if text.startswith(_DOCUMENTS) or any(f"\n{mark}" in text for mark in _DOCUMENTS):
        return True
    return _NOT_ASCII.search(text) is not None and _UNUSUAL.search(text) is not None


def _has_other_lines(text: str, start: int, indent: int) -> bool:
    """Whether any line from `start` on neither begins a case nor is indented enough to belong to one."""
    return re.compile(rf"\n(?! {{{indent + 1}}}| {{{indent}}}- | *\n|\Z)").search(text, start - 1) is not None


def _has_anchor(piece: str) -> bool:
    """Whether there may be an anchor or an alias, whose meaning depends on other pieces."""
    return ("&" in piece or "*" in piece) and _ANCHOR.search(piece) is not None


def _composed(piece: str) -> Any:
    if _has_anchor(piece):
        raise _NotQuick
    node = compose(piece)
    if node is None:
        raise _NotQuick
    return node


def _settings(pieces: tuple[str, ...]) -> dict[str, Any] | None:
    """The settings in pieces of a case; None if any of them is wrong."""
    if not pieces:
        return {"keywords": {}, "marks": (), "expects_error": None}
    notes = Notes()
    try:
        for piece in pieces:
            # A text left open in one piece could be closed by a later one that does not directly follow it.
            _composed(piece)
        settings = read_settings(fields(_composed("".join(pieces)), CASE_KEYS, notes, "a case"), notes)
    except (Bad, NotLoaded, _NotQuick):
        return None
    return None if notes.found else settings


def _name(piece: str) -> str:
    match = _NAME.fullmatch(piece)
    if match is None or match[1] in _NULLS or len(match[1]) > MOST_NAME:
        raise _NotQuick
    return match[1]


def _value(key: str, written: str) -> object:
    """The value of a tensor's key in its usual form; None for any other form."""
    if key in ("shape", "stride", "base_shape"):
        match = _INTEGERS.fullmatch(written)
        numbers = None if match is None else tuple(map(int, match[1].split(", "))) if match[1] else ()
        usual = numbers is not None and len(numbers) <= MOST_DIMENSIONS and max(numbers, default=0) <= MOST_ELEMENTS
        return numbers if usual else None
    if key == "dtype":
        return dtype_name(written) or None
    if key in ("init", "preset"):
        return written if written in (INITS if key == "init" else PRESETS) else None
    if key == "device":
        return written if _DEVICE.fullmatch(written) and written not in _NULLS else None
    if key in ("init_args", "preset_args"):
        return None if written else _BELOW
    if key == "contiguous":
        return {"true": True, "false": False}.get(written)
    return _number(key, written)


def _number(key: str, written: str) -> object:
    if key in _NUMBERS and _FLOAT.fullmatch(written):
        return float(written)
    if (key not in _NUMBERS and key != "storage_offset") or not _INTEGER.fullmatch(written):
        return None
    value = int(written)
    return value if key in _NUMBERS or 0 <= value <= MOST_ELEMENTS else None


def _ordinarily(chunk: str, line: int, defaults: Defaults, names: dict[str, int]) -> tuple[Case | None, list[Problem]]:
    """Read a case in the ordinary way because something in it is unusual."""
    if _has_anchor(chunk):
        raise _NotQuick
    node = compose(chunk)
    if node is None or node.id != "sequence" or len(node.value) != 1:
        raise _NotQuick
    return read_case(node.value[0], defaults, names, line - 1)
