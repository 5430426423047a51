# SPDX-License-Identifier: Apache-2.0
"""core.evidence.proposals.inbox: everything to decide about a checkout."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.ci import Ci, read_ci, selected
from core.evidence import Ending, Observation
from core.evidence.proposals import Concern, Worklist, WorklistReader
from core.evidence.proposals.worklist_reader import worklist
from core.evidence.verdicts import Policy, Verdicts
from core.matrix import Matrix, index
from core.sources import read_model_infos
from tests.support.evidence import observed
from tests.support.sample import sample_checkout


def test_proposals_what_waits_and_what_nobody_knows(tmp_path: Path) -> None:
    matrix = index(sample_checkout(tmp_path / "demo"))
    ci = read_ci(matrix, read_model_infos(matrix.checkout, matrix.loaders.values()))
    failing = [id for id, entry in matrix.entries.items() if entry.fields.get("status") == "KNOWN_FAILURE_XFAIL"]
    xfails = [id for id in failing if "single_device" in id]
    rows = [observed(test_id=xfails[0], run=f"nightly-{n}", when=float(n)) for n in range(4)]
    endings = (Ending.PASSED, Ending.FAILED) * 2
    rows += [observed(one, "x", test_id=xfails[1], run=f"nightly-{n}", when=n) for n, one in enumerate(endings)]
    found = worklist(Verdicts(matrix, rows, Policy(), selected(ci)), ci)
    concerns = {one.id: one.concern for one in found.items}
    assert [one.id for one in found.proposals] == [xfails[0]]
    assert [one.id for one in found.not_proposed] == [xfails[1]]
    assert (concerns[xfails[0]], concerns[xfails[1]]) == (Concern.DECIDE, Concern.NOT_PROPOSED)
    assert set(concerns.values()) == set(Concern)
    assert concerns.keys() <= matrix.entries.keys()


@pytest.fixture
def scene(tmp_path: Path) -> tuple[Matrix, Ci, list[Observation]]:
    """The sample, whose expected failures pass in three of four nights."""
    matrix = index(sample_checkout(tmp_path / "demo"))
    failing = [id for id, entry in matrix.entries.items() if entry.fields.get("status") == "KNOWN_FAILURE_XFAIL"]
    rows = [
        observed(one, "x", test_id=id, run=f"nightly-{n}", when=float(n))
        for id in failing
        for n, one in enumerate((Ending.FAILED, *[Ending.PASSED] * 3))
    ]
    return matrix, read_ci(matrix, read_model_infos(matrix.checkout, matrix.loaders.values())), rows


def test_works_out_again_only_what_has_changed(scene: tuple[Matrix, Ci, list[Observation]]) -> None:
    matrix, ci, rows = scene
    reader, policy = WorklistReader(), Policy()

    def read(matrix: Matrix, policy: Policy = policy) -> int:
        """How many tests were worked out; what was found is what a reader without a past finds."""
        worked, found = _drained(reader, verdicts := Verdicts(matrix, rows, policy, selected(ci)), ci)
        assert found == worklist(verdicts, ci)
        return worked

    first = read(matrix)
    assert first > len(matrix.entries) / 2
    assert read(matrix) == 0
    rows.append(observed(Ending.FAILED, "y", test_id=rows[0].test_id, run="nightly-9", when=9.0))
    assert read(matrix) == 1
    # All entries move down by a line, and one says something else.
    entry = matrix.entries[rows[-2].test_id]
    file = matrix.checkout.test_config / entry.file
    lines = file.read_text().split("\n")
    at = next(at for at in range(entry.line, entry.end_line) if "reason:" in lines[at])
    lines[at] = lines[at].partition(":")[0] + ": another"
    file.write_text("\n".join(["# Moved.", *lines]))
    changed = index(matrix.checkout)
    assert changed.entries[entry.id].line == entry.line + 1
    assert read(changed) == 1
    assert read(changed, Policy(minimum_runs=1)) == first


def test_a_reading_that_was_left_is_gone_on_with(scene: tuple[Matrix, Ci, list[Observation]]) -> None:
    matrix, ci, rows = scene
    verdicts, reader = Verdicts(matrix, rows, Policy(), selected(ci)), WorklistReader()
    steps = reader.read(verdicts, ci)
    for _ in range(5):
        next(steps)
    steps.close()
    worked, found = _drained(reader, verdicts, ci)
    assert (worked, found) == (_drained(WorklistReader(), verdicts, ci)[0] - 5, worklist(verdicts, ci))


def _drained(reader: WorklistReader, verdicts: Verdicts, ci: Ci) -> tuple[int, Worklist]:
    """How many tests were worked out, and what was found."""
    worked, steps = 0, reader.read(verdicts, ci)
    while True:
        try:
            worked = next(steps).done
        except StopIteration as end:
            return worked, end.value


def test_a_machine_that_the_policy_ignores_is_not_suspected(scene: tuple[Matrix, Ci, list[Observation]]) -> None:
    matrix, ci, rows = scene
    bad = [replace(one, host="bad", ending=Ending.FAILED, when=8.0, run="nightly-8") for one in rows[3::4]]
    for ignored, suspected in (((), ["bad"]), (("bad",), [])):
        verdicts = Verdicts(matrix, [*rows, *bad], Policy(ignored_hosts=ignored), selected(ci))
        assert [one.host for one in worklist(verdicts, ci).suspects] == suspected
