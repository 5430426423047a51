# SPDX-License-Identifier: Apache-2.0
"""The one table of screens. Their keys and labels are those of the commands of `TTMatrixApp.action_switch`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, NamedTuple

from tui.commands import Where

if TYPE_CHECKING:
    from tui.screens.base import SessionScreen


class ScreenEntry(NamedTuple):
    """One screen."""

    where: Where
    """The first of its `PLACES`. The value is the name that the command which shows it gives: `switch('runs')`."""
    module: str
    """Its module or package in `tui.screens`."""
    name: str
    """Its class there."""

    def load(self) -> type[SessionScreen]:
        """Its class, imported when the screen is first shown: the first frame is the matrix, and only that."""
        kind: type[SessionScreen] = getattr(importlib.import_module(f"tui.screens.{self.module}"), self.name)
        return kind


SCREENS: tuple[ScreenEntry, ...] = (
    ScreenEntry(Where.OVERVIEW, "overview", "OverviewScreen"),
    ScreenEntry(Where.MATRIX, "matrix", "MatrixScreen"),
    ScreenEntry(Where.RUNS, "runs", "RunsScreen"),
    ScreenEntry(Where.TRIAGE, "triage", "TriageScreen"),
    ScreenEntry(Where.REVIEW, "review", "ReviewScreen"),
    ScreenEntry(Where.DOCTOR, "doctor", "DoctorScreen"),
    ScreenEntry(Where.CLUSTERS, "clusters", "ClustersScreen"),
    ScreenEntry(Where.COMPARE, "compare", "CompareScreen"),
    ScreenEntry(Where.PROFILES, "profiles", "ProfilesScreen"),
    ScreenEntry(Where.PROGRAMS, "programs", "ProgramsScreen"),
    ScreenEntry(Where.WORKFLOWS, "workflows", "WorkflowsScreen"),
    ScreenEntry(Where.HOSTS, "hosts", "HostsScreen"),
    ScreenEntry(Where.PLAN, "plan", "PlanScreen"),
    ScreenEntry(Where.REPORT, "report", "ReportScreen"),
    ScreenEntry(Where.DIFF, "diff", "DiffScreen"),
    ScreenEntry(Where.NIGHTLY, "nightly", "NightScreen"),
    ScreenEntry(Where.JOB_LOG, "job_log", "JobLogScreen"),
)
