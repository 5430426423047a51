# SPDX-License-Identifier: Apache-2.0
"""Doubts about markers that a person types or that a plan writes: the rule of doctor's odd-marker."""

from collections.abc import Iterable
from weakref import WeakKeyDictionary

from core.base.text import one_line
from core.ci import MarkerNames, marker_names, written_markers
from core.domain.model import Entry
from core.edits.operations import is_manifest
from core.edits.planning import EditPlan
from core.edits.texts import is_placeholders
from core.matrix import Matrix, texts
from core.sources.ci import read_jobs

_NAMES: WeakKeyDictionary[Matrix, MarkerNames] = WeakKeyDictionary()
"""By matrix, because a form asks with every key: reading presets and tests takes a tenth of a second."""


def marker_doubt(matrix: Matrix, markers: Iterable[str]) -> str:
    """A warning about doubtful markers, with the likely intended ones; empty: nothing.

    Upstream accepts any name, so this is no error.
    """
    return " ".join(doubt.text for one in markers if (doubt := _names(matrix).doubt(one)))


def odd_markers(matrix: Matrix, plan: EditPlan) -> list[str]:
    """A sentence for each doubtful marker that `plan` adds to an entry."""
    found: list[str] = []
    for edit in plan.files:
        if is_placeholders(edit.file, matrix.schema) or is_manifest(edit.file):
            continue
        old = {entry.id: _markers(entry) for entry in edit.old}
        for entry in edit.new:
            added = [one for one in _markers(entry) if one not in old.get(entry.id, ())]
            found += [
                f"{one_line(entry.id)}: {one_line(said)}" for one in added if (said := marker_doubt(matrix, [one]))
            ]
    return found


def _markers(entry: Entry) -> dict[str, None]:
    places = (entry.fields, *entry.overrides.values())
    return dict.fromkeys(marker for fields in places for marker in texts(fields.get("markers")))


def _names(matrix: Matrix) -> MarkerNames:
    if matrix not in _NAMES:
        jobs, _ = read_jobs(matrix.checkout)
        _NAMES[matrix] = marker_names(matrix, jobs, written_markers(matrix.checkout))
    return _NAMES[matrix]
