# SPDX-License-Identifier: Apache-2.0
"""core.evidence.proposals.reruns: device runs for cells that lack results."""

from pathlib import Path

import pytest

import core.evidence.proposals.reruns as module
from core.base.errors import TTMatrixError
from core.base.settings import Settings
from core.domain.model import TEST_MODULE
from core.evidence.proposals import lacking, plan_reruns
from core.evidence.verdicts import Verdict
from core.matrix import Matrix, index
from tests.support.evidence import judged, observed
from tests.support.tree import sample

TINY = "alpha/pytorch-tiny-single_device-inference"


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    checkout = sample(tmp_path / "tree")
    runner = checkout.root / TEST_MODULE
    runner.parent.mkdir(parents=True, exist_ok=True)
    runner.touch()
    return index(checkout)


@pytest.fixture
def nothing_is_in_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "refuse", lambda _: None)


@pytest.mark.usefixtures("nothing_is_in_the_way")
def test_as_many_as_a_verdict_lacks(matrix: Matrix, tmp_path: Path) -> None:
    node = f"tests/runner/test_models.py::test_all_models_torch[{TINY}]"
    (matrix.checkout.root / ".test_durations").write_text(f'{{"{node}": 30.0}}')
    one_result = [observed(test_id=TINY)]
    judgements = [
        judged(Verdict.UNKNOWN, one_result),
        judged(Verdict.FLAKY, one_result, arch="p150"),
        judged(Verdict.UNKNOWN, id="placeholder that is none"),
    ]
    found = plan_reruns(matrix, lacking(judgements, 3), Settings(), tmp_path / "runs", [])
    assert [(spec.test_id, spec.arch, spec.kind) for spec in found.specs] == [
        (TINY, "n150", "device"),
        (TINY, "n150", "device"),
        (TINY, "p150", "device"),
        (TINY, "p150", "device"),
    ]
    # That of CI, and the start of pytest, which the runs of an arch share.
    assert [spec.estimate for spec in found.specs] == [70.0, 30.0, 70.0, 30.0]
    assert len(found.refused) == 1


def test_what_is_in_the_way_of_all_is_reported_with_the_remedy(matrix: Matrix, tmp_path: Path) -> None:
    with pytest.raises(TTMatrixError, match="cannot start here") as caught:
        plan_reruns(matrix, [(TINY, "n150", 1)], Settings(), tmp_path / "runs", [])
    assert caught.value.hint
