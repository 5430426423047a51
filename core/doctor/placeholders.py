# SPDX-License-Identifier: Apache-2.0
"""Placeholders of models that have a loader by now: both would be reported (docs/rules.md 2.5)."""

from collections.abc import Iterator

from core.doctor.check import Check
from core.edits import model_tests_of, removal, to_json
from core.matrix import Matrix, status_on
from core.model import Finding, Status


def _clashes(matrix: Matrix) -> Iterator[Finding]:
    planned = [one for file in matrix.files for one in file.placeholders]
    tests = model_tests_of(matrix, {one.id for one in planned})
    for one in planned:
        id = next((id for id in tests[one.id] if _is_reported(matrix, id)), None)
        if id is not None:
            path = matrix.checkout.relative(matrix.checkout.test_config / one.file)
            entry = matrix.entries[id]
            message = f"The model exists now: {entry.file}:{entry.line} has {id}; both are reported"
            line, column = one.places[()]
            # If two placeholders share a name, no operation can tell which is meant.
            fix = to_json(removal(matrix, [one.id])) if [other.id for other in planned].count(one.id) == 1 else ()
            yield Finding(PLACEHOLDER_CLASH.kind, message, path, line, column, one.id, tuple(fix))


def _is_reported(matrix: Matrix, id: str) -> bool:
    entry = matrix.entries.get(id)
    return entry is not None and status_on(entry, None) is not Status.EXCLUDE_MODEL


PLACEHOLDER_CLASH = Check("placeholder-clash", "a placeholder of a model that has an entry", _clashes)
