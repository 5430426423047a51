# SPDX-License-Identifier: Apache-2.0
"""The log of one pytest session, divided among its tests."""

import re
from collections.abc import Iterable, Mapping

_BEGINS = re.compile(r"^\S*\.py::(?:\w+::)*(\w+\[\S*?\])(?=\s|$)")
"""With -v, pytest writes the node id of a test before it runs: what follows is its output."""
_HEADING = re.compile(r"^_+ (?:ERROR at \w+ of )?(?:\w+\.)*(\w+\[\S*\]) _+$")
"""The heading of a failure, with the captured output of its test."""
_OTHER = re.compile(r"^={3,} .+ =+$|^\[gw\d+\] ")
"""The heading of another section, and a line of pytest-xdist, whose workers write at the same time."""


def parts_of(lines: Iterable[str]) -> Mapping[str, list[str]]:
    """The lines of each test, by its name with the id in brackets; lines that belong to no test are left out."""
    parts: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        begins = _BEGINS.match(line)
        if found := begins or _HEADING.match(line):
            name = found[1]
            line = line[found.end() :] if begins else ""
        elif _OTHER.match(line):
            name = ""
        if name and line:
            parts.setdefault(name, []).append(line)
    return parts
