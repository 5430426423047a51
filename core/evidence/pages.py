# SPDX-License-Identifier: Apache-2.0
"""The pages of GitHub that show the run and the job of a result, from where its report was found."""

import re

from core.evidence.observation import Observation

_RUN = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/actions/runs/\d+(?=/|$)", re.ASCII)
_JOB = re.compile(r"-(\d+)\.zip(?:!|$)", re.ASCII)
"""The artefacts of a job end with its id (docs/rules.md 3.4)."""


def run_page(row: Observation) -> str:
    """The page of the run; empty: the report did not come from GitHub, as far as is known."""
    found = _RUN.match(row.source)
    return found[0] if found else ""


def job_page(row: Observation) -> str:
    """The page of the job; empty: unknown."""
    run, job = run_page(row), _JOB.search(row.source)
    return f"{run}/job/{job[1]}" if run and job else ""
