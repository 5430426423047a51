# SPDX-License-Identifier: Apache-2.0
"""Memory in a log: which was full, how much was requested and how much there is; and what traces lack."""

import re
from collections.abc import Iterable, Mapping

from core.payload.ttmatrix_payload.models.compile_options import TRACE_ADVICE

_BYTES = r"\d{1,20}"
_BUFFER = re.compile(
    rf"Not enough space to allocate (?P<asked>{_BYTES}) B (?P<memory>[A-Z]\w*) buffer"
    rf"(?: across (?P<banks>{_BYTES}) banks"
    rf"(?:, where each bank needs to store (?P<per_bank>{_BYTES}) B"
    rf"(?:, but bank size is (?:only )?(?P<bank>{_BYTES}) B)?)?)?"
)
_CIRCULAR = re.compile(
    rf"circular buffers .*? grow to (?P<asked>{_BYTES}) B which is beyond max L1 size of (?P<bank>{_BYTES}) B"
)


_TRACE_BUFFER = re.compile(
    rf"trace buffers? of size (?P<asked>{_BYTES}) ?B.*?only (?P<there>{_BYTES}) ?B (?:is|are) allocated", re.IGNORECASE
)
_TRACE = re.compile(r"(?:TT_FATAL|TT_THROW|error:|Error:).*\btrac(?:e|es|ing)\b")


def trace_advice(lines: Iterable[str], *, traced: bool) -> str | None:
    """What to do about the first error of a trace on the device, with its numbers if it has them.

    `traced`: whether the run records traces; only then a mere mention counts. None: there is no such error.
    """
    for line in lines:
        if match := _TRACE_BUFFER.search(line):
            return f"the trace needs {match['asked']} bytes and has {match['there']}: {TRACE_ADVICE}"
        if traced and _TRACE.search(line):
            return TRACE_ADVICE
    return None


def out_of_memory(lines: Iterable[str]) -> Mapping[str, object] | None:
    """The facts of the first such line, in bytes: `memory` (DRAM, L1), `asked`, and if given `banks`, `per_bank`
    (requested of each) and `bank` (the size of one). None: there is no such line.
    """
    for line in lines:
        if match := _BUFFER.search(line) or _CIRCULAR.search(line):
            said = {name: text for name, text in match.groupdict().items() if text is not None}
            return {"memory": said.pop("memory", "L1"), **{name: int(text) for name, text in said.items()}}
    return None
