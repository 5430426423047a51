# SPDX-License-Identifier: Apache-2.0
"""Write cases as the text of a manifest, such that `reading` returns the same cases."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from .arguments import text_value
from .cases import Argument, Case, Condition, DeviceName, DtypeName, FormatName, Manifest, Raises, Tensor, Value
from .digest import digest
from .load import read_text
from .reading import Defaults

_PLAIN = re.compile(r"[A-Za-z_/][\w./+-]*(?: [\w./+-]+)*")
_RESERVED = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n", "none", "inf", "nan"})
_OVERRIDES = ("dtype", "seed", "rtol", "atol", "pcc", "xfail_if", "xfail_reason", "xfail_strict")
_DEFAULTS = ("dtype", "seed", "rtol", "atol")
_CASES = re.compile(r"^cases:[ \t]*(?:#.*)?\r?$", re.MULTILINE)


class NotWritable(ValueError):
    """A value that manifests cannot express, or a text to which no case can be added."""


def manifest_text(manifest: Manifest, defaults: Defaults, comments: Iterable[str] = ()) -> str:
    """A file of these cases. Each case has only the keys that differ from `defaults`. Raises NotWritable."""
    head = [f"# {comment}".rstrip() for comment in comments]
    head += [f"model: {_scalar(manifest.model)}", "defaults:"]
    head += [f"  {name}: {_scalar(getattr(defaults, name))}" for name in _DEFAULTS]
    body = [line for case in manifest.cases for line in case_lines(case, defaults)]
    return "\n".join([*head, "cases:" if body else "cases: []", *body, ""])


def added(text: str, name: str, cases: Sequence[Case]) -> tuple[str, int]:
    """`text` with the missing ones of `cases` appended, and their number.

    Every byte of `text` stays. Raises NotWritable if that is not possible.
    """
    there = read_text(text, name)
    if there.problems:
        first = there.problems[0]
        raise NotWritable(f"line {first.line}: {first.message}")
    known = {digest(case) for case in there.cases}
    new = [case for case in cases if digest(case) not in known]
    if not new:
        return text, 0
    names = {case.name for case in there.cases}
    lines = [line for case in _renamed(new, names) for line in case_lines(case, None)]
    newline = "\r\n" if "\r\n" in text else "\n"
    result = text + ("" if text.endswith("\n") else newline) + newline.join([*_at(lines, _indent(text)), ""])
    read = read_text(result, name)
    if read.problems or read.cases[: len(there.cases)] != there.cases or len(read.cases) != len(there.cases) + len(new):
        raise NotWritable("its cases are not a list at the end of the file, one below the other")
    return result, len(new)


def _renamed(cases: Iterable[Case], names: set[str]) -> Iterator[Case]:
    """The cases, renamed if necessary so that no name is in `names`."""
    for case in cases:
        stem, number, name = case.name, 1, case.name
        if match := re.fullmatch(r"(.+)\.(\d+)", case.name):
            stem, number = match[1], int(match[2])
        while name in names:
            number += 1
            name = f"{stem}.{number}"
        names.add(name)
        yield case._replace(name=name)


def _indent(text: str) -> int:
    """The column of the dashes of the cases."""
    match = _CASES.search(text)
    dash = re.compile(r"^( *)- ", re.MULTILINE).search(text, match.end() if match else 0)
    return len(dash[1]) if match and dash else 2


def _at(lines: Iterable[str], indent: int) -> Iterator[str]:
    return (" " * indent + line[2:] for line in lines)


def case_lines(case: Case, defaults: Defaults | None) -> list[str]:
    """One case as a list item, indented by two columns. Without `defaults` all keys are written."""
    lines = [f"name: {_scalar(case.name)}", f"op: {_scalar(case.op)}"]
    plain = Case("", "")
    for name in _OVERRIDES:
        value = getattr(case, name)
        if value != getattr(defaults or plain, name) or (
            defaults is None and name in ("dtype", "seed", "rtol", "atol")
        ):
            lines.append(f"{name}: {_scalar(value)}")
    if case.skip_if != (defaults.skip_if if defaults else ()):
        lines += ["skip_if:", *_indented(line for one in case.skip_if for line in _condition_lines(one))]
    if case.expects_error:
        lines += _error_lines(*case.expects_error)
    if case.inputs:
        lines += ["inputs:", *_indented(line for one in case.inputs for line in _argument_lines(one))]
    if case.keywords:
        lines += ["kwmap:", *(f"  {name}: {_value(value)}" for name, value in case.keywords.items())]
    if case.description:
        lines.append(f"description: {_text(case.description)}")
    if case.marks:
        lines.append(f"marks: [{', '.join(map(_scalar, case.marks))}]")
    return [f"  {'- ' if at == 0 else '  '}{line}" for at, line in enumerate(lines)]


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _condition_lines(condition: Condition) -> list[str]:
    lines = [f"- expr: {_text(condition.expr)}"]
    return [*lines, f"  reason: {_text(condition.reason)}"] if condition.reason else lines


def _error_lines(reference: Raises, test: Raises) -> list[str]:
    if reference == test:
        return ["expects_error:", *_indented(_raises_lines(reference))]
    return [
        "expects_error:",
        *_indented(["ref:", *_indented(_raises_lines(reference)), "test:", *_indented(_raises_lines(test))]),
    ]


def _raises_lines(raises: Raises) -> list[str]:
    written = {name: value for name, value in raises._asdict().items() if value}
    return [f"{name}: {_scalar(value)}" for name, value in written.items()]


def _argument_lines(argument: Argument) -> list[str]:
    if isinstance(argument, Tensor):
        if argument.init == "file" and not argument.dtype:
            return ["- file:", f"    path: {_text(argument.file)}", f"    key: {_text(argument.key)}"]
        return ["- tensor:", *(f"    {line}" for line in _tensor_lines(argument))]
    if isinstance(argument, Value):
        return [_value_line(argument.value)]
    if not argument:
        return ["- tensor_list: []"]
    tensors = (line for tensor in argument for line in _item(_tensor_lines(tensor)))
    return ["- tensor_list:", *(f"    {line}" for line in tensors)]


def _item(lines: Iterable[str]) -> Iterator[str]:
    return (f"{'- ' if at == 0 else '  '}{line}" for at, line in enumerate(lines))


def _tensor_lines(tensor: Tensor) -> Iterator[str]:
    arguments = dict(tensor.init_args)
    if tensor.init == "file":
        arguments = {"path": tensor.file, "key": tensor.key}
    plain = not tensor.preset and tensor.stride is None
    lines = {
        "shape": _numbers(tensor.shape),
        "dtype": tensor.dtype,
        "init": tensor.init,
        "init_args": _flow(arguments),
        "data": "" if tensor.data is None else _data(tensor.data),
        "preset": tensor.preset,
        "preset_args": _flow(tensor.preset_args),
        "base_shape": "" if tensor.base_shape is None else _numbers(tensor.base_shape),
        "stride": "" if tensor.stride is None else _numbers(tensor.stride),
        "storage_offset": str(tensor.storage_offset or ""),
        "contiguous": "" if tensor.contiguous == plain else _scalar(tensor.contiguous),
        "device": _text(tensor.device) if tensor.device else "",
    }
    return (f"{name}: {value}" for name, value in lines.items() if value)


def _flow(mapping: Mapping[str, object]) -> str:
    written = ", ".join(f"{name}: {_scalar(value)}" for name, value in mapping.items() if value != "")
    return f"{{{written}}}" if written else ""


def _numbers(numbers: Iterable[int]) -> str:
    return f"[{', '.join(map(str, numbers))}]"


def _data(data: object) -> str:
    if isinstance(data, list):
        return f"[{', '.join(map(_data, data))}]"
    return _scalar(data)


# Values


def _value_line(value: object) -> str:
    """`- py: ...` for a value without a YAML form, else `- value: ...`."""
    return f"- py: {_text(literal(value))}" if _is_literal(value) else f"- value: {_value(value)}"


def _value(value: object) -> str:
    """A value as YAML: lists are lists, and a value without a YAML form is a literal in a text."""
    if isinstance(value, (DtypeName, FormatName)):
        return f"torch.{value.name}"
    if isinstance(value, DeviceName):
        return _text(value.name)
    if _is_literal(value):
        return _text(literal(value))
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return _text(value) if isinstance(value, str) else _scalar(value)


def _is_literal(value: object) -> bool:
    """Whether a value needs a Python literal: YAML has no form for it, or its text would mean something else."""
    if isinstance(value, (DtypeName, DeviceName, FormatName)):
        return False
    if isinstance(value, str):
        return text_value(value) != value
    return isinstance(value, (tuple, slice)) or value is Ellipsis


def literal(value: object) -> str:
    """A value in the form that `literals` reads. Raises NotWritable."""
    if isinstance(value, tuple):
        inner = ", ".join(map(literal, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, slice):
        return f"slice({literal(value.start)}, {literal(value.stop)}, {literal(value.step)})"
    if value is Ellipsis:
        return "Ellipsis"
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    raise NotWritable(f"{type(value).__name__} has no literal")


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) and value.lower() not in _RESERVED else _text(value)
    raise NotWritable(f"{type(value).__name__} is no value of a manifest")


def _float(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    # YAML 1.1, which PyYAML reads, parses `1e-05` and `1.0e16` as texts.
    mantissa, exponent = f"{value!r}e".split("e")[:2]
    if not exponent:
        return mantissa
    sign = "" if exponent[0] in "+-" else "+"
    return f"{mantissa}{'' if '.' in mantissa else '.0'}e{sign}{exponent}"


def _text(text: str) -> str:
    """A double-quoted text, in which YAML and JSON agree except for characters beyond 16 bits."""
    return "".join(one if one.isprintable() else _escape(one) for one in json.dumps(text, ensure_ascii=False))


def _escape(character: str) -> str:
    number = ord(character)
    return f"\\u{number:04x}" if number < 2**16 else f"\\U{number:08x}"
