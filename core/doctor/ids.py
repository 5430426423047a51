# SPDX-License-Identifier: Apache-2.0
"""Entries whose id no loader generates, with the ids they may have meant."""

import difflib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from core.base.text import letters
from core.doctor.check import Check, Written, written
from core.domain.ids import TestId
from core.domain.model import Finding
from core.matrix import Matrix

_SUGGESTIONS = 3
_THOROUGH = 100
"""How many unknown ids are compared with ids of any model: a file with thousands of them would take minutes."""


def _unknown_ids(matrix: Matrix) -> Iterator[Finding]:
    strays = [one for one in written(matrix) if one.entry.id in matrix.strays]
    if not strays:
        return
    shapes, roots = _shapes(matrix), _Roots(matrix.universe())
    # The ids that a broken loader would generate are unknown.
    broken = {found.id for found in matrix.findings if found.kind == "broken-loader"}
    for number, one in enumerate(strays):
        parsed = TestId.parse(one.entry.id)
        if parsed is None:
            message = f"No loader generates this id{_hint(roots.near(one.entry.id))}"
            yield one.finding(UNKNOWN_ID.kind, message)
        elif parsed.directory not in broken:
            known = shapes[_shape(parsed)]
            near = list(map(str, known.near(parsed, anywhere=number < _THOROUGH))) or roots.near(one.entry.id)
            yield _unknown(matrix, one, parsed, known, near)


@dataclass(slots=True)
class _Known:
    """The known ids of one shape: those that differ in directory and variant only."""

    by_letters: dict[str, list[TestId]] = field(default_factory=lambda: defaultdict(list))
    by_root: dict[str, list[TestId]] = field(default_factory=lambda: defaultdict(list))

    def add(self, id: TestId) -> None:
        self.by_letters[letters(id.model)].append(id)
        self.by_root[_root(id)].append(id)

    def near(self, id: TestId, *, anywhere: bool) -> list[TestId]:
        """The ids spelled most alike: of the same loader, else of the same model, else of models spelled alike.

        If there are none and `anywhere` is set, ids of any model: that is slow.
        """
        family = self.by_root.get(_root(id), [])
        own = [known for known in family if known.directory == id.directory]
        pool = own or family or [known for root in _alike(_root(id), self.by_root) for known in self.by_root[root]]
        if not pool and anywhere:
            pool = [known for family in self.by_root.values() for known in family]
        models = {known.model: known for known in sorted(pool, key=lambda one: one.model)}
        return [models[text] for text in difflib.get_close_matches(id.model, models, _SUGGESTIONS)]

    def respelled(self, id: TestId) -> list[TestId]:
        """Ids of the same letters and digits, whatever their case and separators."""
        return self.by_letters.get(letters(id.model), [])

    def moved(self, id: TestId) -> list[TestId]:
        """The same variant in another directory of the same model."""
        family = self.by_root.get(_root(id), []) if id.variant else []
        return [known for known in family if (known.variant, known.framework) == (id.variant, id.framework)]


class _Roots:
    """All ids by their model, to find neighbours of an id that follows no grammar or is like no known id."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._by_root: dict[str, list[str]] = defaultdict(list)
        for id in ids:
            self._by_root[id.partition("/")[0]].append(id)

    def near(self, text: str) -> list[str]:
        """The ids spelled most like `text`, from the models spelled most like its model."""
        root = text.partition("/" if "/" in text else "-")[0]
        pool = [id for near in _alike(root, self._by_root) for id in self._by_root[near]]
        return difflib.get_close_matches(text, pool, _SUGGESTIONS)


def _alike(root: str, roots: Collection[str]) -> list[str]:
    return [root] if root in roots else difflib.get_close_matches(root, roots, _SUGGESTIONS)


def _shapes(matrix: Matrix) -> dict[TestId, _Known]:
    found: dict[TestId, _Known] = defaultdict(_Known)
    for id in matrix.universe():
        if (parsed := TestId.parse(id)) is not None:
            found[_shape(parsed)].add(parsed)
    return found


def _shape(id: TestId) -> TestId:
    """An id without its model: an id can only be a misspelling of one with the same shape."""
    return replace(id, directory="", variant=None)


def _root(id: TestId) -> str:
    return id.directory.partition("/")[0]


def _unknown(matrix: Matrix, one: Written, id: TestId, known: _Known, near: Sequence[str]) -> Finding:
    has_loader = id.directory in matrix.loaders
    message = f"The loader {id.directory} has no such test" if has_loader else f"There is no loader {id.directory}"
    # While the loader exists, the same variant elsewhere is another task, not the same test.
    meant = list(map(str, known.respelled(id) or ([] if has_loader else known.moved(id))))
    free = [text for text in meant if text not in matrix.entries]
    fix = (one.operation("rename", to=free[0]),) if len(meant) == len(free) == 1 else ()
    return one.finding(UNKNOWN_ID.kind, message + _hint([*free, *near]), (), fix)


def _hint(near: Sequence[str]) -> str:
    suggestions = list(dict.fromkeys(near))[:_SUGGESTIONS]
    return f"; closest: {', '.join(suggestions)}" if suggestions else ""


UNKNOWN_ID = Check("unknown-id", "an entry whose id names no test of any loader", _unknown_ids)
