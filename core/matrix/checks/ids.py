# SPDX-License-Identifier: Apache-2.0
"""Entries whose id no loader gives rise to, with the ids they may have meant."""

import difflib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from core.ids import TestId
from core.matrix.checks.check import Check
from core.matrix.checks.spelling import letters
from core.matrix.checks.written import Written, written
from core.matrix.matrix import Matrix
from core.model import Finding

_SUGGESTIONS = 3


def _unknown_ids(matrix: Matrix) -> Iterator[Finding]:
    strays = [one for one in written(matrix) if one.entry.id in matrix.strays]
    if not strays:
        return
    shapes = _shapes(matrix)
    # What such a loader would contribute cannot be told.
    broken = {found.id for found in matrix.findings if found.kind == "broken-loader"}
    for one in strays:
        parsed = TestId.parse(one.entry.id)
        if parsed is None:
            yield one.finding(UNKNOWN_ID.kind, "No loader gives rise to this id")
        elif parsed.directory not in broken:
            yield _unknown(matrix, one, parsed, shapes[_shape(parsed)])


@dataclass(slots=True)
class _Known:
    """The known ids of one shape: those that differ in directory and variant only."""

    by_letters: dict[str, list[TestId]] = field(default_factory=lambda: defaultdict(list))
    by_root: dict[str, list[TestId]] = field(default_factory=lambda: defaultdict(list))

    def add(self, id: TestId) -> None:
        self.by_letters[letters(_model(id))].append(id)
        self.by_root[_root(id)].append(id)

    def near(self, id: TestId) -> list[TestId]:
        """The ids spelled most alike: of the same loader, else of the same model, else of any."""
        family = self.by_root.get(_root(id), [])
        own = [known for known in family if known.directory == id.directory]
        pool = own or family or [known for family in self.by_root.values() for known in family]
        models = {_model(known): known for known in sorted(pool, key=_model)}
        return [models[text] for text in difflib.get_close_matches(_model(id), models, _SUGGESTIONS)]

    def respelled(self, id: TestId) -> list[TestId]:
        """The same letters and digits, whatever the case and what stands between them."""
        return self.by_letters.get(letters(_model(id)), [])

    def moved(self, id: TestId) -> list[TestId]:
        """The same variant in another directory of the same model."""
        family = self.by_root.get(_root(id), []) if id.variant else []
        return [known for known in family if (known.variant, known.framework) == (id.variant, id.framework)]


def _shapes(matrix: Matrix) -> dict[TestId, _Known]:
    found: dict[TestId, _Known] = defaultdict(_Known)
    for id in matrix.universe():
        if (parsed := TestId.parse(id)) is not None:
            found[_shape(parsed)].add(parsed)
    return found


def _shape(id: TestId) -> TestId:
    """An id without its model: only ids of one shape can be meant for each other."""
    return replace(id, directory="", variant=None)


def _model(id: TestId) -> str:
    return f"{id.directory}-{id.variant}" if id.variant else id.directory


def _root(id: TestId) -> str:
    return id.directory.partition("/")[0]


def _unknown(matrix: Matrix, one: Written, id: TestId, known: _Known) -> Finding:
    has_loader = id.directory in matrix.loaders
    message = f"The loader {id.directory} has no such test" if has_loader else f"There is no loader {id.directory}"
    # While the loader stands, the same variant elsewhere is another task, not the same test.
    meant = list(map(str, known.respelled(id) or ([] if has_loader else known.moved(id))))
    free = [text for text in meant if text not in matrix.entries]
    mend = (one.operation("rename", to=free[0]),) if len(meant) == len(free) == 1 else ()
    suggestions = list(dict.fromkeys([*free, *map(str, known.near(id))]))[:_SUGGESTIONS]
    hint = f"; closest: {', '.join(suggestions)}" if suggestions else ""
    return one.finding(UNKNOWN_ID.kind, message + hint, (), mend)


UNKNOWN_ID = Check("unknown-id", "an entry whose id names no test of any loader", _unknown_ids)
