# SPDX-License-Identifier: Apache-2.0
"""`trend`: counts over the history of the sample checkout."""

import os
from collections import Counter
from pathlib import Path

import pytest

from core.matrix import index, status_on
from core.sources import Checkout
from tests.support.cli import call
from tests.support.sample import sample_checkout
from tests.support.tree import sample


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return sample_checkout(tmp_path_factory.mktemp("sample") / "tt-xla")


def test_it_ends_with_what_is_there(checkout: Checkout) -> None:
    document = call("trend", "--every", "commit", "--json", "--repo", checkout.root).json
    points = document["points"]
    assert (document["by"], document["every"], len(points)) == ("status", "commit", 6)
    statuses = (status_on(entry, None) for file in index(checkout).files for entry in file.entries)
    assert points[-1]["counts"] == Counter(statuses)
    promoted = points[1]["counts"]["EXPECTED_PASSING"] - points[0]["counts"]["EXPECTED_PASSING"]
    assert (promoted, points[1]["subject"]) == (2, "Expect training of the LSTM forecaster to pass")


@pytest.mark.parametrize("text", ["test_config: [", None])
def test_a_file_that_cannot_be_read_now_counts_as_it_was_committed(tmp_path: Path, text: str | None) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    before = call("trend", "--json", "--repo", checkout.root).json
    file = checkout.test_config / "torch/test_config_inference_data_parallel.yaml"
    id = next(line.strip()[:-1] for line in file.read_text().splitlines() if line.endswith("-inference:"))
    lives = call("history", id, "--json", "--repo", checkout.root).json["entries"]
    file.unlink()
    if text is None:
        os.mkfifo(file)
    else:
        file.write_text(text)
    called = call("trend", "--json", "--repo", checkout.root)
    assert called.json == before
    assert f"{file.name} on disk cannot be read" in called.err
    assert call("history", id, "--json", "--repo", checkout.root).json["entries"] == lives != []


def test_text_has_a_line_a_month(checkout: Checkout) -> None:
    header, *lines = call("trend", "--repo", checkout.root).out.splitlines()
    assert header.split()[:3] == ["date", "entries", "EXPECTED_PASSING"]
    assert [line.split()[0] for line in lines] == ["2026-03-30", "2026-04-27"]


def test_by_arch_and_by_group(checkout: Checkout) -> None:
    by_arch = call("trend", "--by", "arch", "--json", "--repo", checkout.root).json["points"][-1]["counts"]
    assert {"n150", "p150"} <= by_arch.keys()
    only = call("trend", "--by", "arch", "--arch", "p150", "--json", "--repo", checkout.root).json["points"][-1][
        "counts"
    ]
    assert only == {"p150": by_arch["p150"]}
    by_group = call("trend", "--by", "group", "--json", "--repo", checkout.root).json["points"][-1]["counts"]
    whole = call("trend", "--json", "--repo", checkout.root).json["points"][-1]["counts"]
    assert len(by_group) > 1
    assert sum((Counter(counts) for counts in by_group.values()), Counter()) == whole


def test_text_by_arch_is_sorted_by_size_and_then_by_time(checkout: Checkout) -> None:
    lines = [line.split()[:3] for line in call("trend", "--by", "arch", "--repo", checkout.root).out.splitlines()[1:]]
    archs = [*dict.fromkeys(arch for _, arch, _ in lines)]
    assert [arch for _, arch, _ in lines] == sorted((arch for _, arch, _ in lines), key=archs.index)
    last = {arch: int(number) for _, arch, number in lines}
    assert [last[arch] for arch in archs] == sorted(last.values(), reverse=True)


def test_bad_words_are_64_and_no_git_is_2(tmp_path: Path) -> None:
    root = sample(tmp_path).root
    assert call("trend", "--by", "moon", "--repo", root).code == 64
    assert call("trend", "--every", "moon", "--repo", root).code == 64
    assert call("trend", "--repo", root).code == 2
