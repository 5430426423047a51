# SPDX-License-Identifier: Apache-2.0
"""Sets of jobs by row, as jobs and as a column to be queried."""

from core.ci import Selected, job_name
from core.sources.ci import Job

ONE, TWO, OTHER = (
    Job(file="a.json", index=number, name="models", runs_on=machine, dir=".", test_mark=mark)
    for number, (machine, mark) in enumerate([("n150", "x"), ("n150", "y"), ("p150", "x")])
)
NAMES = ("a.json: models on n150, nightly", "a.json: models on n150, nightly", "a.json: models on p150, nightly")
SELECTED = Selected((ONE, TWO, OTHER), NAMES, sets=(0, 0b001, 0b110), codes=(1, 0, 2, 1))


def test_jobs_of_a_row() -> None:
    assert [SELECTED.of(row) for row in range(4)] == [(ONE,), (), (TWO, OTHER), (ONE,)]


def test_jobs_that_share_a_name_are_one_value() -> None:
    column = SELECTED.column("job", "")
    assert column.values == (NAMES[0], NAMES[2], "")
    assert [column[row] for row in range(4)] == [(NAMES[0],), ("",), (NAMES[0], NAMES[2]), (NAMES[0],)]


def test_on_an_arch_only_its_own_machines_count() -> None:
    column = SELECTED.column("job", "p150")
    assert [column[row] for row in range(4)] == [("",), ("",), (NAMES[2],), ("",)]
    assert {SELECTED.column("job", "galaxy-bh")[row] for row in range(4)} == {("",)}


def test_a_job_in_one_line() -> None:
    assert job_name(ONE) == "a.json: models on n150 (x)"
    assert len({job_name(job) for job in SELECTED.jobs}) == 3
