# SPDX-License-Identifier: Apache-2.0
"""Markers of entries that nobody asks for: misspelt, escaped, several in one, an arch, a status (docs/rules.md 2.2)."""

from collections.abc import Iterator

from core.ci import Doubt, MarkerNames
from core.doctor.check import Check, Op, Path, Written, written
from core.domain.model import Finding
from core.matrix import Matrix, texts

ODD_MARKER = Check("odd-marker", "a marker of an entry that no job and nothing else asks for")


def marker_findings(matrix: Matrix, names: MarkerNames) -> Iterator[Finding]:
    """One finding for each doubtful marker."""
    for one in written(matrix):
        for at, value in one.fields():
            if at[-1] != "markers":
                continue
            listed = texts(value)
            doubts = {marker: doubt for marker in listed if (doubt := names.doubt(marker))}
            for index, marker in enumerate(listed):
                if marker in doubts:
                    place = (*at, str(index)) if isinstance(value, list) else at
                    yield one.finding(ODD_MARKER.kind, doubts[marker].text, place, _respelled(one, at, doubts))


def _respelled(one: Written, at: Path, doubts: dict[str, Doubt]) -> tuple[Op, ...]:
    """The list with what was meant, if that is certain for every doubtful item of it."""
    if not all(doubt.meant for doubt in doubts.values()):
        return ()
    listed = texts(dict(one.fields())[at])
    meant = (name for marker in listed for name in (doubts[marker].meant if marker in doubts else (marker,)))
    return (one.set(at, list(dict.fromkeys(meant))),)
