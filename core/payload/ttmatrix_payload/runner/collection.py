# SPDX-License-Identifier: Apache-2.0
"""Collect the tests of a models tree under the name of a module that need not exist."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from .expectations import BadExpectation, Expectation, Expectations
from .item import ModelTest
from .models import FRAMEWORKS, ImportProblem, Model, directories_of, load, loader_directories
from .options import Options
from .parameters import FUNCTIONS, PLACEHOLDER, Case, cases, placeholder
from .selection import MODULE, Selection, closest


@dataclass
class Catalogue:
    """The tests to collect, and the problems found."""

    options: Options
    expectations: Expectations
    selection: Selection
    problems: list[ImportProblem] = field(default_factory=list)
    offered: list[str] = field(default_factory=list)
    """Names of all tests of the loaders that were imported."""
    _plain: dict[str | None, Expectation] = field(default_factory=dict)

    def cases(self) -> list[Case]:
        """The selected tests in upstream's order."""
        models = [model for directory in self._directories() for model in self._load(directory)]
        found = [case for model in models for case in cases(model)]
        found += map(placeholder, self.expectations.placeholders)
        self.offered += (case.name for case in found)
        wanted = [case for case in found if self.selection.has(case.function, case.name)]
        return sorted(wanted, key=lambda case: FUNCTIONS.index(case.function))

    def expectation(self, case: Case) -> Expectation:
        """The expectation of the entry for the arch; a placeholder has only stage and reason (docs/rules.md 2.5)."""
        if case.function == PLACEHOLDER:
            own = self.expectations.placeholders[case.id]
            defaults = {"bringup_status": "NOT_STARTED", "reason": "Not yet started or WIP"}
            kept = {name: own[name] for name in defaults if own.get(name) is not None}
            return Expectation(**{**defaults, **kept})
        arch = self.options.arch
        if case.id in self.expectations.entries:
            return self.expectations.of(case.id, arch)
        # Most tests have no entry: they share one value.
        return self._plain.setdefault(arch, Expectation(arch=arch))

    def check_names(self) -> None:
        """Raises UsageError if a named test does not exist. Call this after `cases`."""
        missing = set(self.selection.names).difference(self.offered)
        if missing:
            told = [f"not found: {MODULE}::{name}{closest(name, self.offered)}" for name in sorted(missing)]
            raise pytest.UsageError(*told, *(f"cannot import {problem}" for problem in self.problems))

    def _directories(self) -> list[str]:
        root, selection = self.options.models_root, self.selection
        whole = [one for one in FRAMEWORKS if selection.wants_framework(one)]
        named = {one for id in selection.ids() for one in directories_of(root, id)}
        if not whole:
            return sorted(named)
        return [one for one in loader_directories(root) if one in named or one.rpartition("/")[2] in whole]

    def _load(self, directory: str) -> tuple[Model, ...]:
        found = load(self.options.models_root, directory)
        if isinstance(found, ImportProblem):
            self.problems.append(found)
            return ()
        return found


class ModelTests(pytest.Collector):
    """Takes the place of tt-xla's `tests/runner/test_models.py`."""

    def __init__(self, catalogue: Catalogue, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.catalogue = catalogue

    def collect(self) -> Iterator[ModelTest]:
        found = self.catalogue.cases()
        # Imported objects stay alive: the garbage collector need not visit them after every thousand tests.
        gc.freeze()
        for case in found:
            try:
                expectation = self.catalogue.expectation(case)
            except BadExpectation as error:
                raise self.CollectError(str(error)) from error
            yield ModelTest.from_parent(self, name=case.name, case=case, expectation=expectation)


def collector(session: pytest.Session, catalogue: Catalogue) -> ModelTests:
    """The collector of `session`, with the node id of the module."""
    return ModelTests.from_parent(session, name=MODULE, nodeid=MODULE, catalogue=catalogue)
