# SPDX-License-Identifier: Apache-2.0
"""The one table of screens. Their keys, labels and commands are in the table of commands (`tui.commands`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from tui.commands import Where

if TYPE_CHECKING:
    from tui.screens.base import SessionScreen

# A screen is imported when it is first shown: the first frame is the matrix, and only that.


def _overview() -> type[SessionScreen]:
    from tui.screens.overview import OverviewScreen

    return OverviewScreen


def _matrix() -> type[SessionScreen]:
    from tui.screens.matrix import MatrixScreen

    return MatrixScreen


def _runs() -> type[SessionScreen]:
    from tui.screens.runs import RunsScreen

    return RunsScreen


def _triage() -> type[SessionScreen]:
    from tui.screens.triage import TriageScreen

    return TriageScreen


def _review() -> type[SessionScreen]:
    from tui.screens.review import ReviewScreen

    return ReviewScreen


def _doctor() -> type[SessionScreen]:
    from tui.screens.doctor import DoctorScreen

    return DoctorScreen


def _clusters() -> type[SessionScreen]:
    from tui.screens.clusters import ClustersScreen

    return ClustersScreen


def _compare() -> type[SessionScreen]:
    from tui.screens.compare import CompareScreen

    return CompareScreen


def _workflows() -> type[SessionScreen]:
    from tui.screens.workflows import WorkflowsScreen

    return WorkflowsScreen


class ScreenEntry(NamedTuple):
    """One screen."""

    where: Where
    """The first of its `PLACES`. The value is the name that the command which shows it gives: `switch('runs')`."""
    load: Callable[[], type[SessionScreen]]
    """Imports its class."""


SCREENS: tuple[ScreenEntry, ...] = (
    ScreenEntry(Where.OVERVIEW, _overview),
    ScreenEntry(Where.MATRIX, _matrix),
    ScreenEntry(Where.RUNS, _runs),
    ScreenEntry(Where.TRIAGE, _triage),
    ScreenEntry(Where.REVIEW, _review),
    ScreenEntry(Where.DOCTOR, _doctor),
    ScreenEntry(Where.CLUSTERS, _clusters),
    ScreenEntry(Where.COMPARE, _compare),
    ScreenEntry(Where.WORKFLOWS, _workflows),
)
