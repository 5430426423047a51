# SPDX-License-Identifier: Apache-2.0
"""Everything about one op case, gathered for a panel or a command."""

from collections.abc import Mapping
from typing import NamedTuple

from core.domain.model import Status
from core.ops.findings import problem_text
from core.ops.op_tests import OpTests, deduplicated
from core.ops.tabulation import Expectation, expectation, shape_text
from core.payload.ttmatrix_payload.ops import (
    Case,
    DeviceName,
    DtypeName,
    FormatName,
    Manifest,
    Raises,
    Tensor as Tensor,
    Value as Value,
    estimate,
)


class CaseDetail(NamedTuple):
    """One op case. `expected` is what its manifest expects of it on the CPU with the default backend."""

    id: str
    case: Case
    manifest: Manifest
    expected: Expectation
    key: str
    """Cases with the same key are the same test."""
    dup_of: str
    """The case that represents this one; empty: it represents itself."""
    same: tuple[str, ...]
    """The cases that this one represents."""
    bytes: int
    """The least memory for building it and running both sides."""
    warnings: tuple[str, ...]


def describe_case(tests: OpTests, id: str) -> CaseDetail | None:
    """The detail of the case with that id in `tests`; None if there is none."""
    row = next((row for row in tests.rows if row.id == id), None)
    if row is None:
        return None
    alike = [other for other in tests.rows if other.case.op == row.case.op]
    skipped = [other.id for other in alike if expectation(other).status is Status.NOT_SUPPORTED_SKIP]
    said = deduplicated(alike, skipped, dedupe=True)
    problems = (one for one in row.manifest.problems if one.warning and one.case == row.case.name)
    return CaseDetail(
        id=id,
        case=row.case,
        manifest=row.manifest,
        expected=expectation(row),
        key=said[id].key,
        dup_of=said[id].dup_of,
        same=tuple(other.id for other in alike if said[other.id].dup_of == id),
        bytes=estimate(row.case),
        warnings=tuple(map(problem_text, problems)),
    )


def case_lines(detail: CaseDetail) -> list[tuple[str, str]]:
    """Labels and texts about a case, in reading order."""
    case = detail.case
    status = f"{detail.expected.status}: {detail.expected.reason}" if detail.expected.reason else detail.expected.status
    sides = dict.fromkeys(map(raises_text, case.expects_error or ()))
    lines = [
        ("op", case.op),
        ("file", f"{detail.manifest.path}:{case.line}"),
        ("from", case.description),
        ("expected", status),
        *((f"input {number}", text) for number, text in enumerate(input_texts(case))),
        *((f"{name}=", value_text(value)) for name, value in case.keywords.items()),
        ("dtype, seed", f"{case.dtype}, {case.seed}"),
        ("tolerances", f"rtol {case.rtol:g}, atol {case.atol:g}" + (f", pcc {case.pcc:g}" if case.pcc else "")),
        ("raises", " · on the backend ".join(sides)),
        ("marks", ", ".join(case.marks)),
        *(("skip if", " · ".join(filter(None, one))) for one in case.skip_if),
        ("xfail if", " · ".join(filter(None, (case.xfail_if, case.xfail_reason)))),
        ("memory", f"at least {size_text(detail.bytes)}"),
        ("variant of", detail.manifest.canonical),
        ("same as", f"{detail.dup_of}, which represents it" if detail.dup_of else ""),
        *(("represents", other) for other in detail.same),
        *(("warning", text) for text in detail.warnings),
    ]
    return [(name, text) for name, text in lines if text]


def input_texts(case: Case) -> list[str]:
    """Its positional arguments, one text each: `2x16x64 bfloat16 randn`, or the literal of a value."""
    return [
        tensor_text(one)
        if isinstance(one, Tensor)
        else value_text(one.value)
        if isinstance(one, Value)
        else f"[{', '.join(map(tensor_text, one))}]"
        for one in case.inputs
    ]


def size_text(size: int) -> str:
    """Bytes for a person: `96 B`, `3.1 MiB`."""
    amount, unit = float(size), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if amount >= 1024:
            amount, unit = amount / 1024, larger
    return f"{size} B" if unit == "B" else f"{amount:.1f} {unit}"


def tensor_text(tensor: Tensor) -> str:
    """A tensor in one line: shape, dtype, how it is filled, and its layout unless that is contiguous."""
    if tensor.file:
        return " ".join(filter(None, ("file", tensor.file, tensor.key)))
    words = [shape_text(tensor), tensor.dtype, tensor.init, *_arguments(tensor.init_args)]
    words += [tensor.preset, *_arguments(tensor.preset_args)] if tensor.preset else []
    words += [f"stride {value_text(tensor.stride)}"] if tensor.stride is not None else []
    words += [f"offset {tensor.storage_offset}"] if tensor.storage_offset else []
    return " ".join(filter(None, words))


def _arguments(arguments: Mapping[str, object]) -> list[str]:
    return [f"{name}={value_text(value)}" for name, value in arguments.items()]


def value_text(value: object) -> str:
    """A value as Python writes it; dtypes, devices and memory formats by their names."""
    if isinstance(value, (DtypeName, FormatName)):
        return f"torch.{value.name}"
    if isinstance(value, DeviceName):
        return value.name
    if isinstance(value, tuple):
        return f"({', '.join(map(value_text, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(value_text, value))}]"
    return "..." if value is Ellipsis else repr(value)


def raises_text(raises: Raises) -> str:
    """An error that has to be raised."""
    wanted = f": {raises.match}" if raises.match else f" matching {raises.match_re}" if raises.match_re else ""
    return f"{raises.type}{wanted}"
