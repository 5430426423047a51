# SPDX-License-Identifier: Apache-2.0
"""One test as a pytest item: its markers, its run and the text of its failure."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ..models.facts import foreign
from . import stage
from .body import run_test
from .expectations import Expectation
from .harness import HARNESS
from .markers import marker_names
from .parameters import Case

_OWN = Path(__file__).parent


class ModelTest(pytest.Item):
    """A test of one model; `name` is upstream's, and so are the markers."""

    def __init__(self, case: Case, expectation: Expectation, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.case = case
        self.expectation = expectation
        self.originalname = case.function
        # Does the work of add_marker for all markers at once: there may be 100,000 items.
        marks = _marks(marker_names(case, expectation))
        self.keywords.update(marks)
        self.own_markers.extend(one.mark for one in marks.values())

    def setup(self) -> None:
        stage.write()

    def runtest(self) -> None:
        if self.case.phase != "default" and not self.case.skip_reason:
            self.add_marker(self.case.phase)
        run_test(self.case, self.expectation, self.config.stash[HARNESS], self.user_properties.append)

    def teardown(self) -> None:
        stage.remove()

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return Path(self.path), None, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Only the model's own frames, in short style: those of pytest and of this runner do not help."""
        style = self.config.getoption("tbstyle", "auto")
        if style in ("native", "no", "line"):
            return super().repr_failure(excinfo)
        return excinfo.getrepr(style="long" if style == "long" else "short", tbfilter=_of_the_model)


def _of_the_model(excinfo: pytest.ExceptionInfo[BaseException]) -> Any:
    frames = excinfo.traceback
    last = max((index for index, one in enumerate(frames) if Path(one.path).is_relative_to(_OWN)), default=-1)
    return type(frames)(foreign(frames[last + 1 :], lambda one: str(one.path))) or frames


@cache
def _marks(names: tuple[str, ...]) -> dict[str, pytest.MarkDecorator]:
    return {name: getattr(pytest.mark, name) for name in names}
