# SPDX-License-Identifier: Apache-2.0
"""The results of model tests by id and arch, each test read on first use."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from core.domain.model import Function
from core.evidence.observation import Observation
from core.evidence.results import Results

MODEL_TESTS = frozenset(one for one in Function if one.of_whole_model or one.beside_models)
"""The functions whose results are judged by archs."""
_REMEMBERED = 512
"""Tests whose results stay in memory: those on a screen are needed for every frame."""


class SeenResults(Mapping[str, Mapping[str, Sequence[Observation]]]):
    """Results on `archs`, oldest first, by test id and arch."""

    def __init__(self, results: Results, archs: Collection[str]) -> None:
        self._results = results
        self._known = archs
        self._read = lru_cache(_REMEMBERED)(self._of)

    def __getitem__(self, id: str) -> Mapping[str, Sequence[Observation]]:
        if id not in self._archs:
            raise KeyError(id)
        return self._read(id)

    def __iter__(self) -> Iterator[str]:
        return iter(self._archs)

    def __len__(self) -> int:
        return len(self._archs)

    def __contains__(self, id: object) -> bool:
        return id in self._archs

    def archs_of(self, id: str) -> Collection[str]:
        """The archs on which a test has results; nothing is read."""
        return self._archs.get(id, ())

    @cached_property
    def _archs(self) -> Mapping[str, Collection[str]]:
        found = {
            id: [
                arch
                for arch, states in archs.items()
                if arch in self._known and any(one.function in MODEL_TESTS for one in states)
            ]
            for id, archs in self._results.cells.items()
        }
        return {id: archs for id, archs in found.items() if archs}

    def _of(self, id: str) -> Mapping[str, Sequence[Observation]]:
        found: dict[str, list[Observation]] = {}
        for one in self._results.of_test(id):
            if one.arch in self._known and one.function in MODEL_TESTS:
                found.setdefault(one.arch, []).append(one)
        return found
