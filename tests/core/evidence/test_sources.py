# SPDX-License-Identifier: Apache-2.0
"""core.evidence.sources: reports and runs here are combined."""

from dataclasses import replace
from pathlib import Path

from core.base.processes import ProcessIdentity
from core.base.settings import paths
from core.domain.model import Status
from core.evidence import evidence_store, policy_of, results_of
from core.evidence.verdicts import Verdict, Verdicts
from core.matrix import index
from core.runs import Outcome
from core.runs.store import Finished, Queued, RunRecord, Started
from core.runs.store.record import fold
from core.sources import Checkout
from tests.support.evidence import report, seen
from tests.support.tree import sample

from .test_own_runs import SPEC, tags

NET = "alpha/pytorch-net-v1.5+aug-single_device-inference"


def _run(checkout: Checkout, at: float) -> RunRecord:
    spec = replace(SPEC, test_id=NET, cwd=checkout.root)
    started = Started(at, ProcessIdentity(3, 1.0), ())
    ended = Finished(
        at, Outcome.PASS, 1.0, result={"tags": tags(model_test_status="ModelTestStatus.KNOWN_FAILURE_XFAIL")}
    )
    return fold(spec, Path("/runs/x"), [Queued(at, "f10", "boot"), started, ended])


def test_reports_and_own_runs_together_make_enough(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    known = paths()
    evidence_store(checkout, known).add(
        [report(*[seen(test_id=NET, when=at, expected=Status.KNOWN_FAILURE_XFAIL) for at in (1.0, 3.0)])]
    )
    records = [_run(checkout, 2.0)]
    found = results_of(evidence_store(checkout, known), records, checkout).all()
    assert [one.when for one in found] == [1.0, 2.0, 3.0]
    policy = policy_of(checkout, known).policy
    verdicts = Verdicts(index(checkout), results_of(evidence_store(checkout, known), records, checkout), policy)
    assert (verdicts.of(NET)[0].verdict, verdicts.of(NET)[0].grade) == (Verdict.STALE, 4), "a run here agrees with CI"
    alone = Verdicts(index(checkout), results_of(evidence_store(checkout, known), [], checkout), policy).of(NET)[0]
    assert (alone.verdict, alone.grade) == (Verdict.STALE, 2)


def test_the_policy_of_the_checkout_counts_before_ones_own(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    known = paths()
    known.config.mkdir(parents=True)
    known.policy_file.write_text("minimum_runs = 4")
    assert policy_of(checkout, known).policy.minimum_runs == 4
    (checkout.root / "ttmatrix-policy.toml").write_text("minimum_runs = 2")
    assert policy_of(checkout, known).policy.minimum_runs == 2
