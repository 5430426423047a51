# SPDX-License-Identifier: Apache-2.0
"""Placeholders of models that exist by now: with an entry, with a loader, or with tests by hand (docs/rules.md 2.5)."""

from collections.abc import Iterator, Sequence

from core.base.text import letters
from core.doctor.check import Check
from core.domain.model import Entry, Finding, Status
from core.edits import PlannedModel, models_named, read_models, removal, to_json
from core.matrix import Matrix, status_on
from core.matrix.cache import Cache, of_loaders
from core.providers import model_infos

PLACEHOLDER_CLASH = Check("placeholder-clash", "a placeholder of a model that has a loader or tests by now")
_BY_HAND = ("tests/torch/models", "tests/jax/single_chip/models")


def placeholder_findings(cache: Cache, matrix: Matrix) -> Iterator[Finding]:
    """One finding for each placeholder whose model is real."""
    if any(file.placeholders for file in matrix.files):
        infos = model_infos(cache, matrix)
        yield from clashes(
            matrix, of_loaders(cache, matrix, "planned_models", tuple, lambda: read_models(matrix, infos))
        )


def clashes(matrix: Matrix, models: Sequence[PlannedModel]) -> Iterator[Finding]:
    """The findings, given the models of all loaders."""
    planned = [one for file in matrix.files for one in file.placeholders]
    by_hand = _tests_by_hand(matrix) if planned else {}
    for one in planned:
        bases = tuple(f"{base}-" for base in models_named(one.id, models))
        tests = [id for id in matrix.model_tests.ids if id.startswith(bases)] if bases else []
        message = _reason(matrix, tests) or by_hand.get(letters(one.id.rpartition("/")[2]), "")
        if message:
            path = matrix.checkout.relative(matrix.checkout.test_config / one.file)
            line, column = one.places[()]
            sure = any(_is_reported(matrix, id) for id in tests)
            yield Finding(
                PLACEHOLDER_CLASH.kind, message, path, line, column, one.id, _fix(matrix, one, planned) if sure else ()
            )


def _reason(matrix: Matrix, tests: Sequence[str]) -> str:
    written = [id for id in tests if id in matrix.entries]
    reported = next((id for id in written if _is_reported(matrix, id)), None)
    if reported is not None:
        entry = matrix.entries[reported]
        return f"The model exists now: {entry.file}:{entry.line} has {reported}; both are reported"
    if written or not tests:
        # Somebody left it out of CI on purpose, or its loader contributes nothing.
        return ""
    directory = matrix.member(matrix.rows[tests[0]]).directory
    return f"The model has a loader now: {directory}. Write its entries in place of the placeholder"


def _tests_by_hand(matrix: Matrix) -> dict[str, str]:
    """By the letters of a model's name, that a directory has tests of it."""
    found: dict[str, str] = {}
    for below in _BY_HAND:
        place = matrix.checkout.root / below
        for directory in sorted(place.iterdir()) if place.is_dir() else ():
            if any(directory.glob("test_*.py")):
                found[letters(directory.name)] = f"The model has tests by hand now: {below}/{directory.name}"
    return found


def _fix(matrix: Matrix, one: Entry, planned: Sequence[Entry]) -> tuple[dict[str, object], ...]:
    # If two placeholders share a name, no operation can tell which is meant.
    alone = [other.id for other in planned].count(one.id) == 1
    return tuple(to_json(removal(matrix, [one.id]))) if alone else ()


def _is_reported(matrix: Matrix, id: str) -> bool:
    entry = matrix.entries.get(id)
    return entry is not None and status_on(entry, None) is not Status.EXCLUDE_MODEL
