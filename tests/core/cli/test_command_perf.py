# SPDX-License-Identifier: Apache-2.0
"""Numbers over time: upstream's reports and runs become columns, history and a verdict, with export."""

import csv
import io
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from core.base.settings import paths
from core.evidence import RawReport
from core.evidence.perf_reports import PerfReports
from core.matrix.view import ViewSpec, change_saved
from core.sources import Checkout
from tests.support.cli import call
from tests.support.recorded import record_profiles
from tests.support.sample import sample_checkout

VIT = "patch_vit/pytorch-Small_Patch8-single_device-training"
CNN = "text_cnn/pytorch-Base-single_device-inference"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return sample_checkout(tmp_path_factory.mktemp("perf") / "tt-xla")


def report(directory: Path, number: int, model: str, speed: float, **config: str) -> Path:
    """A report with the field names of upstream's reports."""

    def measurement(name: str, value: float) -> dict[str, object]:
        return {
            "step_name": "e2e_perf",
            "measurement_name": name,
            "step_warm_up_num_iterations": 3,
            "iteration": -1,
            "value": value,
            "target": -1.0,
        }

    numbers = {"total_samples": 32.0, "total_time": 32 / speed, "avg_time": 1 / speed, "perf_time_1": 1.0, "ttft": -1.0}
    document = {
        "model": model,
        "model_type": "nlp",
        "run_type": model,
        "config": {"model_info": model, "parallelism": "single_device", "run_mode": "inference", **config},
        "measurements": [measurement(*one) for one in numbers.items()],
        "device_info": {"device_name": "host", "device_arch": "n150"},
        "batch_size": 1,
        "precision": "bfloat16",
        "training": False,
        "project": "tt-xla",
    }
    file = directory / f"report_perf_{number:03}.json"
    file.write_text(json.dumps(document))
    os.utime(file, (1_795_000_000 + number, 1_795_000_000 + number))
    return file


def perf(checkout: Checkout, *words: object) -> Any:
    return call("perf", *words, "--repo", checkout.root)


def test_reports_become_columns_history_and_a_verdict(checkout: Checkout, tmp_path: Path) -> None:
    model = call("show", CNN, "--json", "--repo", checkout.root).json["model_info"]["name"]
    noise = random.Random(5)
    for number in range(30):
        report(tmp_path, number, model, (100 if number < 20 else 80) * noise.gauss(1, 0.1))
    report(tmp_path, 30, model, 50.0, model_info="of_no_test")
    (tmp_path / "other.json").write_text("{}")
    read = perf(checkout, "--ingest", tmp_path, "--json")
    assert "32 files: 30 new reports, 0 known, 1 not of performance" in read.err
    assert "left out" in read.err and "0 tests" in read.err
    assert read.code == 1
    (series,) = read.json
    assert (series["id"], series["arch"], series["backend"], len(series["results"])) == (CNN, "n150", "report", 30)
    assert {name: one["trend"] for name, one in series["numbers"].items()} == {
        "samples_per_s": "regressed",
        "run_s": "regressed",
    }
    last = series["numbers"]["samples_per_s"]["last"]
    assert perf(checkout, "--ingest", tmp_path / "report_perf_000.json").err.count("0 new reports, 1 known") == 1
    behind = perf(checkout, "--ingest", tmp_path, "text_cnn")
    assert "no file 'text_cnn'" in behind.err and "before --ingest" in behind.err
    # Query fields.
    for query, found in (
        (f"samples_per_s:<{last + 1}", [CNN]),
        (f"samples_per_s:>{last + 1}", []),
        ("arch:n150 run_s:<1", [CNN]),
        ("arch:p150 run_s:<1", []),
    ):
        assert call("list", query, "--format", "ids", "--repo", checkout.root).out.split() == found
    # A column.
    spec = ViewSpec(columns=("id", "samples_per_s", "peak_mb"), sort="samples_per_s")
    change_saved(paths().views_file, lambda saved: saved.with_view("speed", spec))
    first, *_ = csv.DictReader(
        io.StringIO(call("list", "--view", "speed", "--format", "csv", "--repo", checkout.root).out)
    )
    assert (first["id"], first["peak_mb"]) == (CNN, "")
    assert float(first["samples_per_s"]) == pytest.approx(last, rel=1e-4)
    # Text.
    history = perf(checkout, "text_cnn", "--history").out
    assert "n150 report batch 1, 30 results" in history
    assert "regressed -1" in history and "on either side" in history
    (row,) = csv.DictReader(io.StringIO(perf(checkout, "--regressed", "--format", "csv").out))
    assert (row["test"], row["results"]) == (CNN, "30")
    shown = call("show", CNN, "--repo", checkout.root).out
    assert "samples_per_s" in shown and "regressed" in shown


def test_reports_that_name_the_chip_get_their_arch_from_artefact_test_or_command(
    checkout: Checkout, tmp_path: Path
) -> None:
    """Nothing is left out: until the arch is known, a report counts for its chip."""
    model = call("show", CNN, "--json", "--repo", checkout.root).json["model_info"]["name"]
    artefact, downloads = tmp_path / "perf-reports-0a1b2c-1.3-p150-nightly-4711", tmp_path / "downloads"

    def told(place: Path, number: int, chip: str, *words: str) -> str:
        place.mkdir(exist_ok=True)
        file = report(place, number, model, float(number))
        file.write_text(file.read_text().replace('"n150"', f'"{chip}"'))
        return str(perf(checkout, "--ingest", place, *words).err)

    assert "1 new report" in told(artefact, 1, "wormhole")
    # The test supports n150 and p150, of which one has the chip.
    assert "1 new report" in told(downloads, 2, "Wormhole_b0")
    assert "2 files: 1 new report, 1 known" in told(downloads, 3, "wormhole", "--arch", "p150")
    found = {one["arch"]: len(one["results"]) for one in perf(checkout, "--json").json if one["id"] == CNN}
    assert found == {"p150": 2, "n150": 1}
    assert "left out 1 report of 'grayskull', no arch of this checkout" in told(downloads, 4, "grayskull")


def test_of_several_archs_with_the_chip_none_is_guessed(tmp_path: Path) -> None:
    raw = RawReport(tmp_path / "x", "digest", "model", "inference", "tensor_parallel", "blackhole", 1, {})
    file = tmp_path / "x"
    file.touch()
    archs = ("n150", "p150", "lb-blackhole", "galaxy-bh", "galaxy-wh-6u")
    assert raw.arch(archs, ("n150", "p150")) == "p150"
    assert raw.arch(archs, ("n150", "galaxy-bh")) == "galaxy-bh"
    assert raw.arch(archs, ("p150", "lb-blackhole")) == raw.arch(archs) == "blackhole"
    store = PerfReports(tmp_path / "reports.jsonl")
    assert store.add([raw.of_test("a test", "blackhole")]) == 1
    assert store.add([raw.of_test("a test", "blackhole")]) == 0
    assert store.add([raw.of_test("a test", "lb-blackhole")]) == 1
    assert [one.arch for one in store.read()] == ["lb-blackhole"]


def test_runs_have_numbers_and_those_of_other_profiles_no_column(checkout: Checkout) -> None:
    record_profiles(checkout)
    found = {one["profile"]: one for one in perf(checkout, "patch_vit", "--json").json}
    assert {name: len(one["results"]) for name, one in found.items()} == {"": 3, "fast": 3}
    assert found[""]["numbers"]["peak_mb"]["last"] == 600
    assert found[""]["numbers"]["run_s"]["trend"] == "too few results"
    said = [call("list", query, "--format", "ids", "--repo", checkout.root).out.split() for query in (
        "compile_s:1.5", "compile_s:1.2", "peak_mb:>=600")]  # fmt: skip
    assert said == [[VIT], [], [VIT]]


def test_a_broken_report_is_named(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    called = perf(checkout, "--ingest", tmp_path)
    assert called.code == 2
    assert "broken.json" in called.err


def test_a_speed_that_no_number_can_hold_is_none(tmp_path: Path) -> None:
    numbers = {"total_samples": 1e308, "total_time": 1e-308, "avg_time": 2.0}
    file = tmp_path / "report.json"
    file.touch()
    report = RawReport(file, "digest", "model", "inference", "single_device", "wormhole", 1, numbers)
    found = report.of_test("a test", "n150")
    assert (found.samples_per_s, found.run_s) == (None, 2.0)
