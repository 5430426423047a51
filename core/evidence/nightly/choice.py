# SPDX-License-Identifier: Apache-2.0
"""Which run is meant: the newest nightly, or one that a person names."""

from collections.abc import Sequence

from core.evidence.analysis import chosen_run
from core.evidence.ci_runs import CiRun


def is_nightly(run: CiRun) -> bool:
    """Whether its workflow is the nightly, by the name of the workflow."""
    return "nightly" in run.name and "experimental" not in run.name


def newest_night(runs: Sequence[CiRun]) -> CiRun | None:
    """The newest nightly of `runs`, which are newest first: another workflow of the night may have ended later, and
    somebody may have started one on a branch.

    None: there are none.
    """
    by_itself = [run for run in runs if run.is_regular] or runs
    nightly = [*filter(is_nightly, by_itself)] or [*by_itself]
    # One whose reports are being read would look as if it had lost them.
    return next((run for run in nightly if run.settled), nightly[0] if nightly else None)


def named_run(name: str, runs: Sequence[CiRun]) -> CiRun:
    """The run that a person means. Raises UsageError."""
    exact = [run for run in runs if name in (str(run.id), run.name)]
    numbered = exact or [run for run in runs if name == str(run.number)]
    if len(numbered) == 1:
        return numbered[0]
    by_name = {run.name: run for run in runs}
    return by_name[chosen_run(name, list(by_name))]
