# SPDX-License-Identifier: Apache-2.0
"""Out-of-memory messages in a log: which memory, how much was requested, and how much there is."""

import re
from collections.abc import Iterable, Mapping

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


def out_of_memory(lines: Iterable[str]) -> Mapping[str, object] | None:
    """The facts of the first such line, in bytes: `memory` (DRAM, L1), `asked`, and if given `banks`, `per_bank`
    (requested of each) and `bank` (the size of one). None: there is no such line.
    """
    for line in lines:
        if match := _BUFFER.search(line) or _CIRCULAR.search(line):
            said = {name: text for name, text in match.groupdict().items() if text is not None}
            return {"memory": said.pop("memory", "L1"), **{name: int(text) for name, text in said.items()}}
    return None
