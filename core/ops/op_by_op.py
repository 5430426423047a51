# SPDX-License-Identifier: Apache-2.0
"""What upstream's op-by-op tests left in a checkout: reports of pytest-json-report, failed ops, lines of Chisel.

They are read and never written. Nothing in them is trusted: sizes and counts have limits, links are not followed.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from core.base.files import opened, read_bytes
from core.base.text import counted

_PROPERTY = "OpTest model for: "
"""Upstream's `test_all_models_op_by_op` and `test_op_by_op` record one for each op; the key repeats."""
_REPORTS = (".report.json", "*report*.json")
_CHISEL = "chisel_results"
_FAILED_OP = re.compile(r"\d+_(?P<op>\w+)\.mlir")
_MOST_BYTES = 64 * 2**20
_MOST_FILES = 64
_MOST_RESULTS = 50_000
_MOST_LINES = 100_000
_MOST_TEXT = 300
_TENSOR = re.compile(r"shape=\[(?P<shape>[\d, ]{0,200})\], data_type='(?P<dtype>\w{1,40})'")
_DTYPES = {
    "bf16": "bfloat16",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "i1": "bool",
    "pred": "bool",
    **{f"{letter}{bits}": f"int{bits}" for letter in ("i", "si", "s") for bits in (8, 16, 32, 64)},
    **{f"{letter}{bits}": f"uint{bits}" for letter in ("ui", "u") for bits in (8, 16, 32, 64)},
}


class Operand(NamedTuple):
    """One tensor that an op takes."""

    shape: tuple[int, ...]
    dtype: str
    """As torch names it, without `torch.`."""


@dataclass(frozen=True, slots=True)
class OpByOpResult:
    """The result of one op of a model, run by itself."""

    op: str
    """`stablehlo.add`."""
    model: str
    """As in the report: `model_info.name`, or the directory of the IR files."""
    inputs: tuple[Operand, ...]
    passed: bool
    message: str
    file: str
    """The report, relative to the checkout."""


@dataclass(frozen=True, slots=True)
class OpByOp:
    """Everything that was found."""

    results: tuple[OpByOpResult, ...] = ()
    failed_files: tuple[str, ...] = ()
    """Saved modules of failed ops, relative to the checkout."""
    chisel: Mapping[str, int] | None = None
    """Lines by file in `chisel_results`; None: no such directory."""
    problems: tuple[str, ...] = ()


def read_op_by_op(root: Path) -> OpByOp:
    """Read the reports at the top of the checkout at `root`. An unreadable report is a problem; the rest counts."""
    results: list[OpByOpResult] = []
    folders: dict[str, None] = {}
    problems: list[str] = []
    names = dict.fromkeys(path for pattern in _REPORTS for path in sorted(root.glob(pattern)))
    for path in list(names)[:_MOST_FILES]:
        try:
            document = _document(path)
            found, folder = list(_results(document, path.name)), _failed_folders(document)
        except (OSError, ValueError, RecursionError) as error:
            problems.append(f"{path.name}: {str(error)[:_MOST_TEXT]}")
            continue
        results += found
        folders |= dict.fromkeys(folder)
        if len(results) > _MOST_RESULTS:
            problems.append(f"{path.name}: only the first {_MOST_RESULTS:,} results are read")
            break
    failed = tuple(file for folder in folders for file in _failed_files(root, folder))
    return OpByOp(tuple(results[:_MOST_RESULTS]), failed, _chisel(root), tuple(problems))


def operands(text: object) -> tuple[Operand, ...]:
    """The tensors in the text that upstream writes for a list of `TensorDesc`."""
    if not isinstance(text, str) or len(text) > _MOST_BYTES:
        return ()
    return tuple(
        Operand(tuple(int(part) for part in match["shape"].split(",") if part.strip()), dtype_name(match["dtype"]))
        for match in _TENSOR.finditer(text)
    )


def dtype_name(text: str) -> str:
    """Torch's name for a dtype of MLIR or of tt-metal: `bf16` and `BFloat16` are bfloat16."""
    return _DTYPES.get(text.lower(), text.lower())


def _document(path: Path) -> object:
    if path.is_symlink() or not path.is_file():
        raise ValueError("it is no file of its own")
    if path.stat().st_size > _MOST_BYTES:
        raise ValueError(f"it has more than {counted(_MOST_BYTES, 'byte')}")
    return json.loads(read_bytes(path, None))


def _properties(document: object) -> Iterator[tuple[str, object]]:
    """User properties of all tests: pytest-json-report writes a list of objects with one key each."""
    tests = document.get("tests") if isinstance(document, dict) else None
    for test in tests if isinstance(tests, list) else ():
        listed = test.get("user_properties") if isinstance(test, dict) else None
        for one in listed if isinstance(listed, list) else ():
            if isinstance(one, dict):
                yield from one.items()


def _results(document: object, file: str) -> Iterator[OpByOpResult]:
    for name, value in _properties(document):
        if name.startswith(_PROPERTY) and isinstance(value, dict):
            message = value.get("error_message")
            yield OpByOpResult(
                str(value.get("op_name") or name.removeprefix(_PROPERTY))[:_MOST_TEXT],
                str(value.get("model_name") or "")[:_MOST_TEXT],
                operands(value.get("inputs")),
                str(value.get("success")) == "True",
                "" if message in (None, "None") else str(message)[:_MOST_TEXT],
                file,
            )


def _failed_folders(document: object) -> Iterator[str]:
    for name, value in _properties(document):
        if name == "failed_ops_folder" and isinstance(value, str) and value:
            yield value


def _failed_files(root: Path, folder: str) -> Iterator[str]:
    """Saved modules in a folder that a report names, where that is a directory below the checkout."""
    inside = Path(os.path.normpath(root / folder))
    if root not in inside.parents or inside.is_symlink() or not inside.is_dir():
        return
    found = sorted(path.name for path in inside.iterdir() if _FAILED_OP.fullmatch(path.name))
    yield from (f"{inside.relative_to(root)}/{name}" for name in found[:_MOST_RESULTS])


def failed_op(file: str) -> str:
    """The op in the name of a saved module: stablehlo.add for `0005_stablehlo_add.mlir`."""
    match = _FAILED_OP.fullmatch(file.rpartition("/")[2])
    dialect, _, name = (match["op"] if match else "").partition("_")
    return f"{dialect}.{name}" if name else dialect


def chisel_file(node_id: str) -> str:
    """The file that Chisel writes of a test (`tests/conftest.py`)."""
    return f"{_CHISEL}/{node_id.replace('/', '_').replace('::', '__')}.jsonl"


def _chisel(root: Path) -> Mapping[str, int] | None:
    directory = root / _CHISEL
    if directory.is_symlink() or not directory.is_dir():
        return None
    files = sorted(path for path in directory.glob("*.jsonl") if path.is_file() and not path.is_symlink())
    return {f"{_CHISEL}/{path.name}": _lines(path) for path in files}


def _lines(path: Path) -> int:
    """The number of lines with a JSON object, within the read limit."""
    count = 0
    with opened(path) as file:
        for number, line in enumerate(file):
            if number >= _MOST_LINES:
                break
            count += line.lstrip()[:1] == b"{"
    return count
