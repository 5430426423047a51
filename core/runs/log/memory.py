# SPDX-License-Identifier: Apache-2.0
"""What a log says of memory that was full: how much of which was asked for, and how much there is."""

import re
from collections.abc import Iterable, Mapping

_BUFFER = re.compile(
    r"Not enough space to allocate (?P<asked>\d+) B (?P<memory>[A-Z]\w*) buffer"
    r"(?: across (?P<banks>\d+) banks"
    r"(?:, where each bank needs to store (?P<per_bank>\d+) B(?:, but bank size is (?:only )?(?P<bank>\d+) B)?)?)?"
)
_CIRCULAR = re.compile(r"circular buffers .*? grow to (?P<asked>\d+) B which is beyond max L1 size of (?P<bank>\d+) B")


def out_of_memory(lines: Iterable[str]) -> Mapping[str, object] | None:
    """The first line that says so, in bytes: `memory` (DRAM, L1), `asked`, and where they are said `banks`, `per_bank`
    (asked of each) and `bank` (the size of one). None: no line does.
    """
    for line in lines:
        if match := _BUFFER.search(line) or _CIRCULAR.search(line):
            said = {name: text for name, text in match.groupdict().items() if text is not None}
            return {"memory": said.pop("memory", "L1"), **{name: int(text) for name, text in said.items()}}
    return None
