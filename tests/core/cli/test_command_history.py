# SPDX-License-Identifier: Apache-2.0
"""`history`: the commits that changed an entry of the sample checkout."""

from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.cli import call
from tests.support.git import git
from tests.support.sample import sample_checkout
from tests.support.tree import sample

TINYNET = "tinynet/pytorch-tiny/net-v1.5-single_device-inference"
FORMER = "tinynet/pytorch-V1_5-single_device-inference"
LSTM = "lstm_forecaster/pytorch-Hourly-single_device-training"
TRAINING = "torch/test_config_training_single_device.yaml"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return sample_checkout(tmp_path_factory.mktemp("sample") / "tt-xla")


def test_text_goes_back_through_the_rename(checkout: Checkout) -> None:
    called = call("history", TINYNET, "--repo", checkout.root)
    assert called.code == 0 and called.err == ""
    assert "Name the TinyNet variants as the model hub does\n      renamed from " + FORMER in called.out
    assert called.out.index("2026-03-30") < called.out.index("2026-03-02")
    assert "in YAML since 2026-03-02" in called.out


def test_a_changed_status_with_both_values(checkout: Checkout) -> None:
    out = call("history", LSTM, "--repo", checkout.root).out
    assert (
        "      status: KNOWN_FAILURE_XFAIL -> EXPECTED_PASSING\n      - bringup_status: FAILED_FE_COMPILATION\n" in out
    )


def test_json(checkout: Checkout) -> None:
    document = call("history", LSTM, "--json", "--repo", checkout.root).json
    [entry] = document["entries"]
    assert (document["id"], entry["file"], entry["ids"]) == (LSTM, TRAINING, [LSTM])
    assert [one["what"] for one in entry["commits"]] == [["changed"], ["added"]]
    assert [one["time"][:10] for one in entry["commits"]] == ["2026-03-09", "2026-03-02"]
    assert (document["flips"], document["shallow"], document["skipped"]) == (1, False, [])
    assert document["age"] > 0
    assert document["begins"]["subject"].startswith("Add the sample models")


def test_an_id_that_is_no_more_leads_to_the_entry(checkout: Checkout) -> None:
    called = call("history", FORMER, "--repo", checkout.root)
    assert called.code == 0
    assert f", now {TINYNET}\n" in called.out
    assert call("history", FORMER, "--json", "--repo", checkout.root).json["entries"][0]["id"] == TINYNET


def test_an_id_without_an_entry(checkout: Checkout) -> None:
    called = call("history", "tinynet/pytorch-tiny/net-v1.5-tensor_parallel-training", "--repo", checkout.root)
    assert called.code == 0
    assert "No entry with this id" in called.out


def test_an_unknown_id_is_64_with_the_closest(checkout: Checkout) -> None:
    called = call("history", TINYNET.replace("net-", "nett-"), "--repo", checkout.root)
    assert called.code == 64
    assert TINYNET in called.err


def test_what_is_not_committed_and_what_cannot_be_read(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    path = checkout.test_config / TRAINING
    path.write_text(
        path.read_text().replace(f"  {LSTM}:\n    status: EXPECTED_PASSING", f"  {LSTM}:\n    status: UNSPECIFIED")
    )
    called = call("history", LSTM, "--repo", checkout.root)
    assert "  not committed\n      status: EXPECTED_PASSING -> UNSPECIFIED\n" in called.out
    assert "Its status was set today and has changed 2 times." in called.out
    other = "torch/test_config_inference_data_parallel.yaml"
    (checkout.test_config / other).write_text("test_config: [")
    called = call("history", LSTM, "--repo", checkout.root)
    assert called.code == 0
    assert f"{other} on disk cannot be read and is skipped: Not valid YAML" in called.err


def test_without_git_it_is_2_and_says_why(tmp_path: Path) -> None:
    called = call("history", "delta/pytorch-single_device-inference", "--repo", sample(tmp_path).root, "--json")
    assert called.code == 2
    assert "not a git repository" in called.json["error"]["detail"]


def test_without_a_commit_it_is_2_and_says_what_to_do(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    git(checkout.root, "init", "--quiet")
    called = call("history", "delta/pytorch-single_device-inference", "--repo", checkout.root, "--json")
    assert (called.code, called.json["error"]["title"]) == (2, "There is no commit yet")
    assert called.json["error"]["hint"] == "Make one with git."
