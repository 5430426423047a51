# SPDX-License-Identifier: Apache-2.0
"""Outputs that workflows read and that nothing sets."""

from pathlib import Path

import pytest

from core.doctor.workflows import output_findings
from core.sources import Checkout
from core.sources.ci import read_workflows

CALLED = """\
on:
  workflow_call:
    outputs:
      wheel:
        value: ${{ jobs.make.outputs.wheel }}
jobs:
  make:
    steps:
    - run: echo
"""
MAIN = """\
on: push
jobs:
  filter:
    outputs:
      matrix: ${{ steps.set.outputs.matrix }}
    steps:
    - id: set
      run: echo
  build:
    uses: ./.github/workflows/called.yml
  other:
    uses: some/one/.github/workflows/x.yml@v1
  run:
    needs: [filter, build, other]
    steps:
    - id: first
      run: echo 'needs.filter.outputs.text that is none'
    - if: CONDITION
      env:
        WHEEL: ${{ VALUE }}
"""


def _said(root: Path, condition: str = "always()", value: str = "1") -> list[tuple[int, str]]:
    directory = root / ".github/workflows"
    directory.mkdir(parents=True)
    (directory / "called.yml").write_text(CALLED)
    (directory / "main.yml").write_text(MAIN.replace("CONDITION", condition).replace("VALUE", value))
    return [(one.line, one.message) for one in output_findings(read_workflows(Checkout(root))[0])]


@pytest.mark.parametrize(
    ("read", "why"),
    [
        ("needs.filter.outputs.matrix", ""),
        ("needs.build.outputs.wheel == 'needs.gone.outputs.x'", ""),
        ("needs.other.outputs.anything", ""),
        ("steps.first.outputs.anything && steps.first.outcome == 'success'", ""),
        ("fromJson(needs.filter.outputs.matrix).include", ""),
        ("needs.filter.result == 'success' && needs.filter.outputs.matrx", "filter has no output matrx; did you mean"),
        ("needs.build.outputs.matrix", "build has no output matrix"),
        ("needs.filter.outputs.matrix.skip == 'true'", "matrix is a text"),
        ("needs.filtr.outputs.matrix", "there is no job filtr; did you mean filter?"),
        ("needs.run.outputs.matrix", "run does not name run in its needs"),
        ("steps.frist.outputs.x", "no step of run has the id frist; did you mean first?"),
        ("steps.set.outcome", "no step of run has the id set"),
    ],
)
def test_outputs_that_nothing_sets(tmp_path: Path, read: str, why: str) -> None:
    for at, found in ((18, _said(tmp_path / "if", condition=read)), (20, _said(tmp_path / "value", value=read))):
        assert [line for line, _ in found] == ([at] if why else [])
        assert all("is always empty: " + why in said for _, said in found)


def test_a_job_that_reads_of_one_which_it_does_not_need(tmp_path: Path) -> None:
    directory = tmp_path / ".github/workflows"
    directory.mkdir(parents=True)
    (directory / "main.yml").write_text(
        MAIN.replace("[filter, build, other]", "build")
        .replace("CONDITION", "needs.filter.outputs.matrix")
        .replace("VALUE", "1")
    )
    (found,) = output_findings(read_workflows(Checkout(tmp_path))[0])
    assert (found.kind, found.line) == ("unset-output", 18)
    assert "run does not name filter in its needs" in found.message
