# SPDX-License-Identifier: Apache-2.0
"""A selector reads what the checkout says beside its entries."""

import json
from pathlib import Path

from core.ci import read_selector
from core.domain.model import TEST_MODULE, Function
from core.matrix import Universe, index
from core.sources.ci import CONFTEST, DURATIONS, Job
from tests.support.tree import sample

TINY = "alpha/pytorch-tiny-single_device-inference"
JOB = Job(
    file="one.json",
    index=0,
    name="models",
    runs_on="lb-blackhole",
    dir=f"./{TEST_MODULE}::{Function.TORCH}",
    contains="tiny",
    parallel_groups=2,
    forge_models=True,
)


def test_durations_and_skips_of_the_checkout_count(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    (tmp_path / CONFTEST).write_text('_LB_BLACKHOLE_SKIP_MODELS = {"alpha/"}\n')
    slow, quick = (f"alpha/pytorch-tiny-data_parallel-{mode}" for mode in ("training", "inference"))
    node = f"{TEST_MODULE}::{Function.TORCH}"
    (tmp_path / DURATIONS).write_text(json.dumps({f"{node}[{slow}]": 99.0, f"{node}[{quick}]": 1.0}))
    selector, findings = read_selector(index(checkout, Universe.COLLECTED), lambda id: None)
    assert findings == ()
    assert selector.selections([JOB], TINY)[0].skipped == "skipped on lb-blackhole"
    # By their text alone the quick one would come first and the slow one go to the other copy.
    assert selector.selections([JOB], slow)[0].group == 1


def test_findings_are_gathered(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    (tmp_path / CONFTEST).write_text("def (")
    (tmp_path / DURATIONS).write_text("[")
    findings = read_selector(index(checkout), lambda id: None)[1]
    assert {finding.kind for finding in findings} >= {"broken-durations"}
    assert {finding.file for finding in findings} == {str(CONFTEST), DURATIONS}
