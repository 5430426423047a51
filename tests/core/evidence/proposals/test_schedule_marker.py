# SPDX-License-Identifier: Apache-2.0
"""core.evidence.proposals.schedule_marker: the marker with which a scheduled job still selects the test."""

from pathlib import Path

import pytest

from core.ci import Ci, read_ci
from core.edits import effect, plan
from core.evidence.proposals import Proposal, propose, schedule_markers, with_schedule_markers
from core.evidence.verdicts import Verdict
from core.matrix import Matrix, index, resolve, texts
from core.matrix.cache import Cache
from core.providers import model_infos
from tests.support.cli import call
from tests.support.evidence import judged, observed
from tests.support.recorded import nights
from tests.support.reports import keep
from tests.support.sample import sample_checkout

STALE = "patch_vit/pytorch-Small_Patch8-single_device-training"


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> tuple[Matrix, Ci]:
    checkout = sample_checkout(tmp_path_factory.mktemp("keep") / "tt-xla")
    matrix = index(checkout)
    return matrix, read_ci(matrix, model_infos(Cache(checkout, tmp_path_factory.mktemp("cache")), matrix))


def _promotions(matrix: Matrix, ci: Ci) -> tuple[Proposal, ...]:
    """Of every entry that is expected to fail, on each arch that it is marked for."""
    asked = [
        judged(Verdict.STALE, [observed(test_id=id, arch=arch, run=f"night-{at}") for at in (1, 2, 3)])
        for id, entry in matrix.entries.items()
        if id in matrix.rows and entry.fields.get("status") == "KNOWN_FAILURE_XFAIL"
        for arch in ("n150", "p150")
    ]
    return propose(matrix, asked, ci=ci)[0]


def test_with_the_marker_a_job_selects_the_test_wherever_it_would_have_left(known: tuple[Matrix, Ci]) -> None:
    matrix, ci = known
    proposals = _promotions(matrix, ci)
    leaving = [one for one in proposals if one.leaves]
    found = schedule_markers(matrix, ci, proposals)
    assert leaving
    assert found.keys() <= {one.id for one in leaving}
    assert STALE in found
    for one in with_schedule_markers(leaving, found):
        if one.id not in found:
            continue
        planned = plan(matrix.checkout.test_config, one.ops, matrix.schema)
        assert not planned.rejected
        changes = {change.arch: change for change in effect(matrix, planned, ci)}
        before = next(old for old in leaving if old.id == one.id)
        assert [arch for arch in before.leaves if not changes[arch].jobs_gained] == []
        assert one.leaves == ()
        assert one.why.endswith(f"the marker {found[one.id].marker} keeps it in CI")
        # The operations of the proposal are all there, and only markers are more.
        assert one.ops[: len(before.ops)] == before.ops
        assert {op.path[-1] for op in one.ops[len(before.ops) :]} == {"markers"}


def test_markers_that_are_there_stay(known: tuple[Matrix, Ci]) -> None:
    matrix, ci = known
    for one in with_schedule_markers(proposals := _promotions(matrix, ci), schedule_markers(matrix, ci, proposals)):
        for op in one.ops:
            if op.path[-1:] == ("markers",):
                arch = op.path[1] if len(op.path) > 1 else None
                had = texts(resolve(matrix.entries[one.id], "markers", arch).value)
                assert [*had] == [*texts(op.value)][: len(had)]


def test_on_the_command_line(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    keep(checkout, list(nights()))
    plain = call("propose", "patch_vit", "--repo", checkout.root, "--json")
    assert plain.json[0]["leaves_ci"] == ["p150"]
    assert "--keep-in-ci" in plain.err
    kept = call("propose", "patch_vit", "--keep-in-ci", "--repo", checkout.root, "--json")
    assert kept.json[0]["leaves_ci"] == []
    assert kept.json[0]["ops"][-1]["path"] == ["arch_overrides", "p150", "markers"]
    assert kept.json[0]["ops"][-1]["value"] == ["nightly"]
