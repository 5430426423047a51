# SPDX-License-Identifier: Apache-2.0
"""`compare --profiles`: one batch and one table, and the same from an earlier batch."""

import csv
import io
from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.cli import call
from tests.support.recorded import record_profiles
from tests.support.tree import sample

PASSES = "alpha/pytorch-tiny-single_device-training"


def test_one_batch_runs_each_profile_and_can_be_shown_again(runnable: Checkout) -> None:
    asked = ("compare", "--profiles", "default", "--sweep", "batch_size=1,2", "--repo", runnable.root)
    called = call(*asked, "--kind", "cpu", "--repeat", "2", f"id:{PASSES}", "--json")
    assert called.code == 0
    (test,) = called.json["tests"]
    assert test["id"] == PASSES
    assert [one["profile"] for one in test["cells"]] == ["default+batch_size=1", "default+batch_size=2"]
    assert [one["outcomes"] for one in test["cells"]] == [["pass", "pass"]] * 2
    assert test["cells"][0]["numbers"]["peak_mb"]["difference"] is None
    assert test["cells"][1]["numbers"]["peak_mb"]["difference"] == "unknown"
    runs = call("runs", "--json", "--repo", runnable.root).json
    assert sorted(one["argv"][-2] for one in runs) == ["--batch-size=1"] * 2 + ["--batch-size=2"] * 2
    (batch,) = {one["batch"] for one in runs}
    again = call(*asked, "--batch", batch, "--format", "csv")
    lines = list(csv.DictReader(io.StringIO(again.out)))
    assert [(line["test"], line["profile"], line["runs"], line["outcome"]) for line in lines] == [
        (PASSES, "default+batch_size=1", "2", "pass"),
        (PASSES, "default+batch_size=2", "2", "pass"),
    ]
    assert all(float(line["peak_mb"].split()[0]) > 1 for line in lines)
    # Its profiles are stored: they need not be named again.
    table = call("compare", "--batch", batch, "--format", "markdown", "--repo", runnable.root).out.splitlines()
    assert table[0].startswith("| test | profile | runs | outcome | pcc |")
    assert len(table) == 4


def test_a_batch_of_another_checkout_is_named_so(tmp_path: Path) -> None:
    here, other = sample(tmp_path / "here"), sample(tmp_path / "other")
    batch = record_profiles(other)
    said = f"runs of another checkout: {other.root}"
    assert said in call("compare", "--batch", batch, "--repo", here.root).err
    own = call("compare", "--batch", batch, "--repo", other.root)
    assert own.out and "another checkout" not in own.err


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--profiles", "default"], "two or more different profiles"),
        (["--profiles", "default,fast", PASSES], "No profile 'fast'"),
        (["--sweep", "batch_size", PASSES], "A sweep is"),
        (["--sweep", "batch_size=1,2"], "Which tests?"),
        (["--sweep", "batch_size=1,2", "id:nothing/like/it"], "0 runs"),
        (["--sweep", "batch_size=1,2", "--batch", "x"], "There is no batch 'x'"),
    ],
)
def test_usage(runnable: Checkout, argv: list[str], said: str) -> None:
    called = call("compare", *argv, "--repo", runnable.root)
    assert called.code == 64
    assert said in called.err


def test_a_plan_starts_nothing(runnable: Checkout) -> None:
    called = call("compare", "--sweep", "batch_size=1,2", "--plan", f"id:{PASSES}", "--repo", runnable.root)
    assert called.out.count("--batch-size=") == called.out.count("-m pytest") == 6
    assert call("runs", "--json", "--repo", runnable.root).json == []
