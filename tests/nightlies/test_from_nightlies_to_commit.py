# SPDX-License-Identifier: Apache-2.0
"""From three nightlies that really ran to the commit of what they have shown without a screen."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from core.evidence.judgement import Verdict
from core.proc import run_command
from core.sources.checkout import Checkout
from tests.support.cli import call
from tests.support.real_nightlies import (
    CRASH,
    DRIFTED,
    FATAL,
    FLAKY,
    NAMES,
    REGRESSED,
    SEMI,
    STALE,
    STALE_TOO,
    TIGHT,
    make_nightlies,
)
from tests.support.sample import sample_checkout

VERDICTS = {
    STALE: Verdict.STALE,
    STALE_TOO: Verdict.STALE,
    SEMI: Verdict.SEMI_STALE,
    DRIFTED: Verdict.DRIFTED,
    FLAKY: Verdict.FLAKY,
    CRASH: Verdict.CRASH,
    TIGHT: Verdict.PCC_TIGHT,
    REGRESSED: Verdict.REGRESSED,
}


@pytest.fixture(scope="module")
def nightlies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Reports of three nightlies over the sample, which is the same wherever it is laid out."""
    pytest.importorskip("torch")
    scratch = tmp_path_factory.mktemp("nightlies")
    (scratch / "ci").mkdir()
    return make_nightlies(sample_checkout(scratch / "tt-xla"), scratch / "ci")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample_checkout(tmp_path / "tt-xla")


def _verdicts(checkout: Checkout) -> Mapping[tuple[str, str], str]:
    told = call("verdicts", "mode:inference", "--json", "--repo", checkout.root).json
    return {(one["id"], one["arch"]): one["verdict"] for one in told}


def _committed(checkout: Checkout) -> str:
    assert run_command(["git", "status", "--porcelain"], cwd=checkout.root).stdout == ""
    return run_command(["git", "show", "--unified=0", "--format=%B"], cwd=checkout.root).stdout


def test_without_a_screen(checkout: Checkout, nightlies: Path, tmp_path: Path) -> None:
    read = call("ingest", nightlies, "--json", "--repo", checkout.root).json
    assert sum(read["counts"].values()) == read["testcases"] == len(NAMES) * 3 * 2
    assert (read["counts"]["crashed"], read["without_arch"]) == (6, 0)
    assert sorted(read["runs"]) == ["nightly-1", "nightly-2", "nightly-3"]

    found = _verdicts(checkout)
    assert {id: found[id, "p150"] for id in NAMES} == VERDICTS
    # It still fails on the other arch, as its entry says.
    assert {id: found[id, "n150"] for id in NAMES} == {**VERDICTS, SEMI: Verdict.ACTIVE}

    file = tmp_path / "proposals.json"
    proposed = call("propose", "mode:inference", "-o", file, "--repo", checkout.root)
    assert proposed.code == 0
    assert f"held back: {FLAKY} on n150" in proposed.err
    applied = call("apply", file, "--commit", "--json", "--repo", checkout.root)
    assert (applied.code, applied.json["rejected"]) == (0, [])
    changed = {(one["id"], bool(one["jobs_lost"]), bool(one["jobs_gained"])) for one in applied.json["effect"]}
    assert {(CRASH, True, True), (STALE, True, True), (REGRESSED, True, True)} <= changed
    diff = _committed(checkout)
    assert '+    reason: "running the test CRASHED with signal 6"\n' in diff
    assert f'+    reason: "{FATAL}"\n' in diff
    assert "+    required_pcc: 0.96\n" in diff
    assert "nightly-1, nightly-2, nightly-3" in diff

    # The entries are true now, but for what no entry can say.
    assert set(_verdicts(checkout).values()) <= {Verdict.ACTIVE, Verdict.FLAKY, Verdict.UNKNOWN, Verdict.UNUSED}
    assert call("propose", "--json", "--repo", checkout.root).json == []
