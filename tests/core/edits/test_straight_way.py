# SPDX-License-Identifier: Apache-2.0
"""From a decision to a commit: every file is parsed at most twice, before and after the edit, and planned once."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from ruamel.yaml.cyaml import CSafeLoader

from core.edits import EditPlan, Operation, OpKind, Present, dead_overrides, effect, entry_texts, planning
from core.edits.commit import compose_commits
from core.edits.pending import Decision, Workbench
from core.matrix import Matrix, index
from tests.support.git import committed_checkout, git
from tests.support.tree import INFERENCE, TRAINING, sample

TRAIN = "alpha/pytorch-tiny-single_device-training"
OPERATIONS = [
    Operation(OpKind.SET, TRAIN, path=("status",), value="EXPECTED_PASSING"),
    Operation(OpKind.UNSET, TRAIN, path=("reason",)),
]


class Counted:
    """Counts how often texts were parsed and plans were made."""

    def __init__(self) -> None:
        self.parsed: Counter[str] = Counter()
        self.plans = 0

    def of(self, *texts: str) -> int:
        """How often any of the texts of one file was parsed."""
        return sum(self.parsed[text] for text in texts)


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    return index(committed_checkout(sample(tmp_path)))


@pytest.fixture
def bench(matrix: Matrix, tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    bench = Workbench(matrix.checkout, tmp_path_factory.mktemp("home"))
    bench.propose(OPERATIONS, "why", Present(matrix.files))
    bench.decide(Decision.ACCEPTED, [1])
    return bench


@pytest.fixture
def counted(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    """Counts from the moment when everything is decided."""
    found, plan_texts = Counted(), planning.plan_texts

    def loader(text: str) -> CSafeLoader:
        found.parsed[text] += 1
        return CSafeLoader(text)

    def planned(*arguments: object) -> EditPlan:
        found.plans += 1
        return plan_texts(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("core.sources.yaml_syntax.CSafeLoader", loader)
    monkeypatch.setattr("core.edits.yaml.nodes.CSafeLoader", loader)
    monkeypatch.setattr(planning, "plan_texts", planned)
    yield found


def looked_at(matrix: Matrix, bench: Workbench) -> EditPlan:
    """What a person sees before the write: the change, its effect, the question."""
    operations = bench.pending.accepted_operations()
    planned = bench.plan(operations, matrix.schema, matrix.files)
    assert effect(matrix, planned)
    assert not dead_overrides(matrix, planned)
    assert [one.id for one in entry_texts(planned)] == [TRAIN]
    return bench.plan(operations, matrix.schema, matrix.files)


def test_preview_confirm_and_write(matrix: Matrix, bench: Workbench, counted: Counted) -> None:
    (edit,) = looked_at(matrix, bench).files
    done = bench.write([1], matrix.schema)
    assert done.missing == ()
    assert (matrix.checkout.test_config / TRAINING).read_text() == edit.after != edit.before
    assert (counted.of(edit.before, edit.after), counted.plans) == (2, 1)
    others = [file.text for file in matrix.files if file.name != TRAINING]
    # The file with the id is not known: each is searched once.
    assert all(counted.of(text) <= 1 for text in others)


def test_preview_confirm_write_and_commit(matrix: Matrix, bench: Workbench, counted: Counted) -> None:
    planned = looked_at(matrix, bench)
    (edit,) = planned.files
    operations = bench.pending.accepted_operations()
    composed = compose_commits(matrix, operations, planner=bench.planner)
    bench.deliver([1], planned, composed.drafts(), matrix.schema, verify=False)
    assert bench.missing([operations], matrix.schema) == ()
    assert (counted.of(edit.before, edit.after), counted.plans) == (2, 1)
    assert git(matrix.checkout.root, "status", "--porcelain") == ""


def test_who_names_the_file_has_no_other_parsed(matrix: Matrix, bench: Workbench, counted: Counted) -> None:
    bench.plan([Operation(OpKind.REMOVE, TRAIN, TRAINING)], matrix.schema, matrix.files)
    assert counted.of(*(file.text for file in matrix.files if file.name == INFERENCE)) == 0
