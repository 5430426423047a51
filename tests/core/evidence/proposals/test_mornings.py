# SPDX-License-Identifier: Apache-2.0
"""What is proposed after mornings of several kinds, from results and jobs to the entry: one night each is enough."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from core.ci import Selected
from core.domain.model import BringupStatus, Entry, Status
from core.edits.apply import after
from core.evidence import Ending, Observation, Origin, Results
from core.evidence.proposals import Proposal, propose
from core.evidence.verdicts import Policy, Verdicts
from core.matrix import Matrix, index, raw_value, status_on, with_fields
from core.sources.ci import Job
from tests.support.evidence import seen
from tests.support.tree import INFERENCE, loader_source, write_checkout

NAMES = [f"v{at}" for at in range(8)]
IDS = [f"alpha/pytorch-{name}-single_device-inference" for name in NAMES]
FIRST = IDS[0]
JOBS = tuple(
    Job(f"{when}.json", 0, "run", arch, "tests/runner", f"{arch} and {when}", forge_models=True)
    for when in ("nightly", "weekly")
    for arch in ("n150", "p150")
)
PASS, XFAIL, SKIP = Status.EXPECTED_PASSING, Status.KNOWN_FAILURE_XFAIL, Status.NOT_SUPPORTED_SKIP
OOM = "Out of Memory: Not enough space to allocate 1073741824 B DRAM buffer across 12 banks"
NO_OP = "TT_FATAL: unsupported data type for input tensor"
_DAY = 86_400.0


def _matrix(root: Path, fields: str = "status: EXPECTED_PASSING", file: str = INFERENCE) -> Matrix:
    """A checkout in which the first test has these fields and the others pass."""
    others = "".join(f"  {id}:\n    status: EXPECTED_PASSING\n" for id in IDS[1:])
    mine = f"  {FIRST}:\n    {fields}\n"
    files = {INFERENCE: f"test_config:\n{others}", file: f"test_config:\n{mine}"}
    files[INFERENCE] = f"test_config:\n{others}{mine}" if file == INFERENCE else files[INFERENCE]
    return index(write_checkout(root, {"alpha/pytorch": loader_source(NAMES)}, files))


def _night(
    at: int, *ids: str, when: str = "nightly", arch: str = "n150", kind: Ending = Ending.PASSED, **fields: object
) -> list[Observation]:
    place = {"run": f"{when}-{at}", "job": f"{arch}-{arch}_and_{when}", "when": at * _DAY, "arch": arch}
    pcc = {"pcc": 0.9962, "pcc_required": 0.99} if kind is Ending.PASSED else {}
    return [seen(kind, test_id=id, **(place | pcc | fields)) for id in ids]


def _proposed(matrix: Matrix, rows: Iterable[Observation], weekly: Iterable[str] = ()) -> dict[str, Proposal]:
    """The proposals, where the nightly jobs select all tests but those of the weekly ones."""
    codes = [2 if id in weekly else 1 for id in matrix.ids]
    selected = Selected(JOBS, tuple(one.test_mark.split()[-1] for one in JOBS), (0, 0b0011, 0b1100), codes)
    verdicts = Verdicts(matrix, Results(sorted(rows, key=lambda one: one.when)), Policy(), selected)
    proposals, _ = propose(matrix, [one for rows in verdicts.judged.values() for one in rows])
    return {one.id: one for one in proposals}


def _entry(matrix: Matrix, made: Proposal) -> Entry:
    entry = matrix.entries.get(made.id)
    fields = entry.fields if entry else None
    for op in made.ops:
        fields = after(fields, op)
    return with_fields(None, fields or {})


def test_a_weekly_test_is_proposed_after_its_first_red_week_and_nightlies_do_not_miss_it(tmp_path: Path) -> None:
    matrix = _matrix(tmp_path)
    rows = [row for at in range(1, 30) for row in _night(at, *IDS[1:])]
    green = [row for at in (2, 9, 16) for row in _night(at, FIRST, IDS[1], when="weekly")]
    assert _proposed(matrix, [*rows, *green], weekly=[FIRST]) == {}, "ten nights without it miss nothing"
    red = _night(23, FIRST, when="weekly", kind=Ending.FAILED, reason=OOM, stage=BringupStatus.FAILED_RUNTIME)
    (made,) = _proposed(matrix, [*rows, *green, *red, *_night(23, IDS[1], when="weekly")], weekly=[FIRST]).values()
    assert (made.id, made.since, made.grade) == (FIRST, "weekly-23", 1)
    assert status_on(_entry(matrix, made), "n150") is XFAIL


def test_one_arch_that_is_gone_is_skipped_and_the_other_stays(tmp_path: Path) -> None:
    matrix = _matrix(tmp_path)
    rows = [row for at in (1, 2, 3) for arch in ("n150", "p150") for row in _night(at, *IDS, arch=arch)]
    rows += [*_night(4, *IDS), *_night(4, *IDS[1:], arch="p150")]
    (made,) = _proposed(matrix, rows).values()
    entry = _entry(matrix, made)
    assert made.archs == ("p150",) and "nightly-4" in str(raw_value(entry, "reason", "p150"))
    assert (status_on(entry, "n150"), status_on(entry, "p150")) == (PASS, SKIP)
    # It is back: nothing is left to do.
    assert _proposed(matrix, [*rows, *_night(5, *IDS), *_night(5, *IDS, arch="p150")]) == {}


def test_a_run_here_that_agrees_raises_the_grade_and_one_that_does_not_is_no_proof(tmp_path: Path) -> None:
    matrix = _matrix(tmp_path)
    rows = [row for at in (1, 2, 3) for row in _night(at, *IDS)]
    failure = {"kind": Ending.FAILED, "reason": NO_OP, "stage": BringupStatus.FAILED_RUNTIME}
    red = [*rows, *_night(4, FIRST, **failure), *_night(4, *IDS[1:])]  # type: ignore[arg-type]
    (alone,) = _proposed(matrix, red).values()
    here = replace(red[-len(IDS)], origin=Origin.HERE, run="batch-1", job="run-1", host="mine", when=4.5 * _DAY)
    (again,) = _proposed(matrix, [*red, here]).values()
    assert (alone.grade, again.grade) == (1, 3)
    fine = replace(here, ending=Ending.PASSED, reason="", stage=BringupStatus.PASSED, pcc=0.9962, pcc_required=0.99)
    assert _proposed(matrix, [*red, fine]) == {}


@pytest.mark.parametrize(("forced", "status"), [(Ending.PASSED, PASS), (Ending.FAILED, XFAIL), (Ending.CRASHED, None)])
def test_forced_runs_of_a_skipped_test_decide_although_nightlies_skip_it(
    tmp_path: Path, forced: Ending, status: Status | None
) -> None:
    matrix = _matrix(tmp_path, "status: NOT_SUPPORTED_SKIP\n    reason: Test hangs")
    said = [
        row for at in range(1, 8) for row in _night(at, FIRST, kind=Ending.NOT_RUN, expected=SKIP, reason="Test hangs")
    ]
    reason = {Ending.PASSED: "", Ending.FAILED: NO_OP, Ending.CRASHED: "CRASHED with signal 11"}[forced]
    run = _night(4, FIRST, when="weekly", kind=forced, expected=SKIP, forced=True, reason=reason)
    found = _proposed(matrix, [*said, *run, *(row for at in range(1, 8) for row in _night(at, *IDS[1:]))])
    assert [status_on(_entry(matrix, made), "n150") for made in found.values()] == ([status] if status else [])


def test_an_entry_that_moved_to_another_file_is_edited_where_it_is_now(tmp_path: Path) -> None:
    elsewhere = INFERENCE.replace("single_device", "data_parallel")
    rows = [row for at in (1, 2, 3) for row in _night(at, *IDS)]
    rows += _night(4, FIRST, kind=Ending.FAILED, reason=NO_OP) + _night(4, *IDS[1:])
    for number, file in enumerate((INFERENCE, elsewhere)):
        (made,) = _proposed(_matrix(tmp_path / str(number), file=file), rows).values()
        assert {op.file for op in made.ops} == {made.base.file} == {file}


def test_a_test_that_an_uplift_renamed_is_adopted_and_its_old_id_is_not_missing(tmp_path: Path) -> None:
    matrix = _matrix(tmp_path)
    old = "alpha/pytorch-before-single_device-inference"
    rows = [row for at in (1, 2, 3) for row in _night(at, old, *IDS[1:])]
    assert _proposed(matrix, [*rows, *_night(4, *IDS)]) == {}, "the new id has an entry that is true"
    matrix = _matrix(tmp_path / "without", "{}")
    (made,) = _proposed(matrix, [*rows, *_night(4, *IDS)]).values()
    assert made.id == FIRST and status_on(_entry(matrix, made), "n150") is PASS
