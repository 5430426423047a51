# SPDX-License-Identifier: Apache-2.0
"""Placeholders of planned models: the tests that belong to one, and the edits that remove it (docs/rules.md 2.5)."""

from collections.abc import Collection, Sequence

from core.base.errors import UsageError
from core.domain.model import EXPECT_NO_PASS, Entry, Status
from core.edits.bulk import ENTRY_SCOPE, set_fields
from core.edits.model_spellings import PlannedModel, models_named, nearest_models, read_models
from core.edits.operations import Operation, OpKind
from core.matrix import Matrix
from core.sources import ModelInfos

PROMOTED_STATUSES = (
    Status.EXPECTED_PASSING,
    Status.KNOWN_FAILURE_XFAIL,
    Status.NOT_SUPPORTED_SKIP,
    Status.UNSPECIFIED,
)
"""The statuses that an entry which replaces a placeholder may have."""
_CARRIED = ("bringup_status", "reason")


def planned_models(matrix: Matrix) -> dict[str, Entry]:
    """All placeholders of the checkout by name; the last one of each name."""
    return {one.id: one for file in matrix.files for one in file.placeholders}


def model_tests_of(matrix: Matrix, infos: ModelInfos, names: Collection[str]) -> dict[str, list[str]]:
    """The ids of the tests of the model that each placeholder names, as `models_named` finds it.

    Inference tests on a single device come first. Reads the loaders: a few hundred files.
    """
    models = read_models(matrix, infos) if names else ()
    return {name: _tests(matrix, name, models) for name in names}


def planned_tests(matrix: Matrix, infos: ModelInfos) -> tuple[dict[str, list[str]], dict[str, tuple[str, ...]]]:
    """`model_tests_of` all placeholders, and for those without tests the nearest models."""
    names = planned_models(matrix)
    models = read_models(matrix, infos) if names else ()
    tests = {name: _tests(matrix, name, models) for name in names}
    return tests, {name: nearest_models(name, models) for name, found in tests.items() if not found}


def _tests(matrix: Matrix, name: str, models: Sequence[PlannedModel]) -> list[str]:
    bases = tuple(f"{base}-" for base in models_named(name, models))
    ids = [id for id in matrix.model_tests.ids if id.startswith(bases)] if bases else []
    return sorted(ids, key=lambda id: not id.endswith("-single_device-inference"))


def removal(matrix: Matrix, names: Sequence[str]) -> tuple[Operation, ...]:
    """Operations that remove these placeholders. Raises UsageError for an unknown name."""
    return tuple(Operation(OpKind.REMOVE, name, _placeholder(matrix, name).file) for name in names)


def promotion(matrix: Matrix, name: str, ids: Sequence[str], status: str) -> tuple[Operation, ...]:
    """Operations that replace a placeholder by an entry for each test of `ids` that has none yet.

    An entry with a failing status takes bring-up status and reason from the placeholder. Raises UsageError for a name
    that is no placeholder, for an id that no loader generates, and for a status that is not in PROMOTED_STATUSES.
    """
    placeholder = _placeholder(matrix, name)
    if status not in PROMOTED_STATUSES:
        raise UsageError(f"A new entry cannot have the status {status!r}", f"Statuses: {', '.join(PROMOTED_STATUSES)}")
    for id in ids:
        if id not in matrix.model_tests.rows or id in matrix.strays:
            raise UsageError(f"There is no test {id!r}", hint="Write the loader of the model first, then its entries.")
    carried = {key: str(placeholder.fields[key]) for key in _CARRIED if placeholder.fields.get(key)}
    filled = {"status": str(status), **(carried if status in EXPECT_NO_PASS else {})}
    without = [id for id in ids if id not in matrix.entries]
    return (*removal(matrix, [name]), *set_fields(matrix, without, ENTRY_SCOPE, filled))


def _placeholder(matrix: Matrix, name: str) -> Entry:
    known = planned_models(matrix)
    if name not in known:
        raise UsageError(f"There is no placeholder {name!r}", "\n".join(known) or "The checkout has none.")
    return known[name]
