# SPDX-License-Identifier: Apache-2.0
"""Output of commands on the sample checkout fits a terminal of 80 columns, and is not cut in a pipe."""

from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.cli import call
from tests.support.nightlies import nightly
from tests.support.sample import sample_checkout

LONG = "nano_lm/causal_lm/pytorch-Nano_2L-llm_prefill-seq_128-batch_1-megatron-no_dp-tensor_parallel-mesh_1x4-inference"
COMMANDS = (
    ("list", "has:entry"),
    ("list", "--views"),
    ("grid",),
    ("grid", "--sort", "n150"),
    ("jobs",),
    ("history", LONG),
    ("trend",),
    ("trend", "--by", "arch"),
    ("ops", "list"),
    ("ops", "models"),
    ("placeholders",),
    ("profiles", "--options"),
    ("runs",),
    ("ingest", "--help"),
    ("verdicts",),
    ("propose",),
    ("clusters",),
    ("compare",),
    ("compare", "--runs"),
    ("perf",),
    ("plan", "--hours", "1"),
    ("doctor",),
    ("doctor", "--kinds"),
    ("loaders",),
)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return sample_checkout(tmp_path_factory.mktemp("sample") / "tt-xla")


def test_output_fits_80_columns(checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for night in (1, 2, 3):
        reports = [nightly(tmp_path / f"{night}-{arch}.xml", arch, {LONG: "fail"}) for arch in ("n300-llmbox",)]
        call("ingest", *reports, "--run-name", f"night-{night}", "--repo", checkout.root)
    whole = {words: call(*words, "--repo", checkout.root).out for words in COMMANDS}
    assert LONG in whole["propose",] and f"{LONG}\n" in whole["history", LONG]
    monkeypatch.setattr("core.cli.console._columns", lambda _: 80)
    monkeypatch.setenv("COLUMNS", "80")
    shown = {words: call(*words, "--repo", checkout.root) for words in COMMANDS}
    wide = {words: one.out for words, one in shown.items() if max(map(len, one.out.splitlines()), default=0) > 80}
    assert wide == {}
    lines = call("show", "anchor_rcnn/pytorch-R18-single_device-training", "--repo", checkout.root).out.splitlines()
    # Text copied from there is not cut.
    assert [line.split()[0] for line in lines if len(line) > 80] == ["node"]
    for command in (("propose",), ("history", LONG)):
        assert LONG not in shown[command].out and "Cut to fit the terminal" in shown[command].err
