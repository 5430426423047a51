# SPDX-License-Identifier: Apache-2.0
"""Nights in which something odd happened: `nightly` says exactly that, and nothing else."""

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from core.sources import Checkout
from tests.support.ci_night import Night, ingest, junit, log_of
from tests.support.cli import call
from tests.support.github_server import GitHub, reached
from tests.support.tree import sample

IDS = tuple(f"model{at}/pytorch-tiny-single_device-inference" for at in range(30))
GOOD = dict.fromkeys(IDS, "pass")
OOM = "RuntimeError: TT_FATAL: Out of Memory: Not enough space to allocate 4096 B L1 buffer"
SORT = "error: failed to legalize operation 'ttir.sort' that was explicitly marked illegal"

hub = pytest.fixture(reached)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def page(checkout: Checkout, *words: str) -> str:
    return call("nightly", *words, "--repo", checkout.root).out


def said(checkout: Checkout, *words: str) -> dict[str, Any]:
    """What a night says: only what is not as in a night in which nothing happened."""
    found = call("nightly", *words, "--json", "--repo", checkout.root).json
    failures = [
        (
            one["kind"] + (" changed" if one["was"] else ""),
            sorted({f"{t['id'].partition('/')[0]} {t['arch']}" for t in one["tests"]}),
        )
        for one in found["failures"]
    ]
    dead = {one["name"].rpartition("(")[2].rstrip(")"): one["died"] for one in found["jobs"] if one["died"]}
    retried = [one["id"].partition("/")[0] for one in found["retried"]]
    speeds = [
        (one["model"], one["metric"], one["trend"])
        for one in found["performance"]
        if one["trend"] not in ("steady", "too few nights")
    ]
    facts = {
        "failures": sorted(failures),
        "died": dead,
        "retried": retried,
        "machines": sorted(one["name"] for one in found["machines"]),
        "not_run": found["not_run"],
        "performance": speeds,
        "unread": [one["why"] for one in found["unread"]],
    }
    return {name: value for name, value in facts.items() if value}


def replaced(hub: GitHub, artefact: int, data: bytes, name: str = "report.xml") -> None:
    """Another content of an archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(name, data)
    hub.archives[artefact] = out.getvalue()
    for some in hub.artefacts.values():
        for one in some:
            if one["id"] == artefact:
                one["size_in_bytes"] = len(out.getvalue())


def report_of(hub: GitHub, artefact: int) -> bytes:
    with zipfile.ZipFile(io.BytesIO(hub.archives[artefact])) as archive:
        return archive.read(archive.namelist()[0])


def two(hub: GitHub, **second: str) -> int:
    """Two nights of one job, the second one with these endings; the job of the second."""
    Night(hub, 20).models("n150", GOOD)
    return Night(hub, 21).models("n150", GOOD | second)


def test_two_workflows_of_one_night(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21):
        Night(hub, number).models("n150", GOOD)
        Night(hub, number + 100, workflow=2, day=f"2026-11-{number}").models("n150", GOOD | {IDS[1]: OOM})
        hub.runs[0]["path"] = ".github/workflows/nightly-experimental.yml"
    ingest(checkout)
    found = call("nightly", "--json", "--repo", checkout.root).json
    assert (found["run"], found["against"]) == ("nightly-21", "nightly-20") and said(checkout) == {}
    found = call("nightly", "experimental-121", "--json", "--repo", checkout.root).json
    assert (found["run"], found["against"]) == ("nightly-experimental-121", "nightly-experimental-120")
    assert said(checkout, "experimental-121") == {"failures": [("persisting", ["model1 n150"])]}


def test_a_night_that_a_person_cancelled_and_the_one_after_it(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21, 22):
        night = Night(hub, number)
        night.models("n150", GOOD)
        if number != 21:
            night.models("p150", GOOD | {IDS[0]: OOM}, index=1)
            continue
        hub.runs[0]["conclusion"] = "cancelled"
        night.models("p150", {}, index=1, conclusion="cancelled", report=False)
    ingest(checkout)
    assert said(checkout, "21") == {"died": {"p150, run_forge_models, 1": "was cancelled"}, "not_run": 30}
    assert said(checkout, "22") == {"failures": [("persisting", ["model0 p150"])]}


def test_only_failed_jobs_run_again_on_another_day(hub: GitHub, checkout: Checkout) -> None:
    two(hub, **{IDS[0]: OOM, IDS[1]: OOM})
    ingest(checkout)
    Night(hub, 22).models("n150", GOOD | {IDS[1]: OOM})
    ingest(checkout)
    night = Night(hub, 21, day="2026-11-23")
    night.models("n150", {IDS[0]: "pass", IDS[1]: OOM}, attempt=2)
    (new,) = hub.jobs.pop(21)
    old = {**new, "id": 21001, "run_attempt": 1, "started_at": "2026-11-21T01:00:00Z"}
    hub.jobs[21] = [old, {**new, "id": 21002}]
    hub.artefacts[21][0]["name"] = str(hub.artefacts[21][0]["name"]).replace("21001", "21002")
    hub.artefacts[21][0]["id"] = 999
    hub.archives[999] = hub.archives[210010]
    hub.artefacts[21][0]["archive_download_url"] = f"{hub.api}/repos/team/tt-xla/actions/artifacts/999/zip"
    run = next(one for one in hub.runs if one["id"] == 21)
    hub.runs = [
        {**run, "run_attempt": 2, "created_at": "2026-11-21T00:00:00Z"},
        *[one for one in hub.runs if one["id"] != 21],
    ]
    ingest(checkout)
    assert said(checkout, "21") == {"failures": [("new", ["model1 n150"])], "retried": ["model0"]}
    assert said(checkout, "22") == {"failures": [("persisting", ["model1 n150"])]}
    assert call("nightly", "--json", "--repo", checkout.root).json["run"] == "nightly-22"


def test_a_job_with_another_name_that_dies(hub: GitHub, checkout: Checkout) -> None:
    job = two(hub)
    hub.artefacts[21].clear()
    hub.jobs[21][0] |= {
        "conclusion": "failure",
        "name": str(hub.jobs[21][0]["name"]).replace("nightly and", "nightly and large and"),
    }
    hub.logs[job] = log_of(IDS[:2], "Killed").encode()
    ingest(checkout)
    found = said(checkout)
    assert found["not_run"] == 30 and list(found["died"]) == ["n150, run_forge_models, 0"]
    assert "not in this one" not in page(checkout)


def test_tests_that_moved_to_another_job(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21):
        night = Night(hub, number)
        cut = 10 if number == 20 else 20
        bad = {IDS[15]: OOM}
        first, second = (dict.fromkeys(some, "pass") for some in (IDS[:cut], IDS[cut:]))
        night.models("n150", first | ({IDS[15]: OOM} if number == 21 else {}))
        night.models("n150", second | (bad if number == 20 else {}), index=1)
    ingest(checkout)
    assert said(checkout) == {"failures": [("persisting", ["model15 n150"])]}


def test_a_night_with_one_arch_only(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21):
        night = Night(hub, number)
        night.models("n150", GOOD)
        if number == 20:
            night.models("p150", GOOD | {IDS[0]: OOM}, index=1)
    ingest(checkout)
    assert said(checkout) == {"not_run": 30}


def test_a_row_that_runs_on_another_arch_now(hub: GitHub, checkout: Checkout) -> None:
    Night(hub, 20).models("n150", GOOD | {IDS[0]: OOM})
    Night(hub, 21).models("p150", GOOD | {IDS[0]: OOM})
    ingest(checkout)
    assert said(checkout) == {"failures": [("new", ["model0 p150"])], "not_run": 30}


def test_a_job_that_is_new(hub: GitHub, checkout: Checkout) -> None:
    Night(hub, 20).models("n150", GOOD)
    night = Night(hub, 21)
    night.models("n150", GOOD)
    night.models("p150", GOOD | {IDS[3]: SORT}, index=1)
    ingest(checkout)
    assert said(checkout) == {"failures": [("new", ["model3 p150"])]}


@pytest.mark.parametrize("place", [b'<testcase classname="t" na', b"<prop", b'<failure message="Run'])
def test_a_report_that_ends_within_a_tag(hub: GitHub, checkout: Checkout, place: bytes) -> None:
    job = two(hub, **{IDS[20]: OOM})
    data = report_of(hub, job * 10)
    end = data.rindex(place) + len(place)
    replaced(hub, job * 10, data[:end])
    ingest(checkout, damaged=True)
    found = said(checkout)
    assert list(found.pop("died").values()) == ["left a truncated report"] and found.pop("not_run") > 0
    assert found in ({}, {"failures": [("new", ["model20 n150"])]})


def test_characters_that_xml_does_not_allow(hub: GitHub, checkout: Checkout) -> None:
    job = two(hub, **{IDS[5]: OOM})
    data = report_of(hub, job * 10)
    odd = data.replace(b"Out of Memory", b"Out\x00 of \x1b[31mMemory\x08 \xff\xfe &#x1b;[0m &#0;")
    assert odd != data
    replaced(hub, job * 10, odd)
    ingest(checkout)
    assert said(checkout) == {"failures": [("new", ["model5 n150"])]}


@pytest.mark.parametrize("data", [b"", b"\n", b"<testsuites/>"], ids=["empty", "blank", "nothing in it"])
def test_a_report_with_nothing_in_it(hub: GitHub, checkout: Checkout, data: bytes) -> None:
    job = two(hub)
    replaced(hub, job * 10, data)
    ingest(checkout, damaged=not data.strip())
    found = said(checkout)
    assert found.pop("not_run") == 30, found
    hub.asked.clear()
    ingest(checkout)
    assert not [path for _, path, _ in hub.asked if "/zip" in path], "it is not fetched again and again"
    assert "0 of 1 groups reported" in page(checkout)


def test_a_test_that_is_in_a_report_twice(hub: GitHub, checkout: Checkout) -> None:
    job = two(hub, **{IDS[5]: OOM})
    data = report_of(hub, job * 10)
    case = re.findall(rb"<testcase .*?</testcase>", data)[5]
    replaced(hub, job * 10, data.replace(case, case + case))
    ingest(checkout)
    assert said(checkout) == {"failures": [("new", ["model5 n150"])]}


def test_a_suite_for_each_retry(hub: GitHub, checkout: Checkout) -> None:
    job = two(hub, **{IDS[5]: OOM, IDS[6]: OOM})
    suites = report_of(hub, job * 10).decode().removesuffix("</testsuites>")
    more = junit("n150", {IDS[5]: "pass", IDS[6]: OOM}, "2026-11-21T02:00:00+00:00", "runner-1")
    replaced(hub, job * 10, (suites + more.removeprefix("<testsuites>")).encode())
    ingest(checkout)
    assert said(checkout) == {"failures": [("new", ["model6 n150"])], "retried": ["model5"]}


def test_a_run_of_a_branch_and_one_by_hand_between_nightlies(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21, 22, 23):
        mine = number in (21, 23)
        Night(hub, number).models("n150", GOOD | ({IDS[0]: OOM} if mine else {}))
        hub.runs[0] |= {
            "head_branch": "me/try" if mine else "main",
            "event": "workflow_dispatch" if mine else "schedule",
        }
    ingest(checkout, "--workflow", "nightly.yml")
    found = call("nightly", "--json", "--repo", checkout.root).json
    assert (found["run"], found["against"]) == ("nightly-22", "nightly-20") and said(checkout) == {}
    found = call("nightly", "23", "--json", "--repo", checkout.root).json
    assert found["against"] == "nightly-22" and said(checkout, "23") == {"failures": [("new", ["model0 n150"])]}


@pytest.mark.parametrize(
    "stamps",
    [
        ("2026-11-21T01:00:00", "2026-11-21T09:00:00"),
        ("2026-11-21T03:00:00+02:00", "2026-11-21T00:30:00-08:00"),
        ("2026-11-21T09:00:00", "2026-11-21T01:00:00"),
        ("1970-01-01T00:00:00", "1970-01-01T00:00:00"),
        ("2031-01-01T00:00:00", "2026-11-21T09:00:00"),
        ("", ""),
    ],
    ids=["no zone", "other zones", "a clock that was set back", "no clock", "the future", "none"],
)
def test_clocks_and_zones(hub: GitHub, checkout: Checkout, stamps: tuple[str, str]) -> None:
    Night(hub, 20).models("n150", GOOD)
    night = Night(hub, 21)
    jobs = [
        night.models("n150", GOOD | {IDS[0]: OOM, IDS[1]: OOM}),
        night.models("n150", {IDS[0]: "pass", IDS[1]: OOM}, attempt=2),
    ]
    hub.runs[0]["run_attempt"] = 2
    for job, stamp in zip(jobs, stamps, strict=True):
        data = re.sub(rb'timestamp="[^"]*"', f'timestamp="{stamp}"'.encode(), report_of(hub, job * 10))
        replaced(hub, job * 10, data)
    ingest(checkout)
    assert said(checkout) == {"failures": [("new", ["model1 n150"])], "retried": ["model0"]}


def test_an_artefact_that_was_replaced(hub: GitHub, checkout: Checkout) -> None:
    """The job has uploaded its report again under the same name."""
    job = two(hub, **{IDS[0]: OOM})
    ingest(checkout)
    (old,) = hub.artefacts[21]
    data = junit("n150", GOOD | {IDS[1]: SORT}, "2026-11-21T05:00:00+00:00", "runner-1").encode()
    hub.artefacts[21].clear()
    hub.add_artefact(21, 777, str(old["name"]), {f"report_{job}.xml": data})
    hub.runs[0]["updated_at"] = "2026-11-21T12:00:00Z"
    ingest(checkout)
    assert said(checkout) == {"failures": [("new", ["model1 n150"])], "retried": ["model0"]}
    (one,) = call("nightly", "--json", "--repo", checkout.root).json["jobs"]
    assert one["tests"] == 30


def benchmarks(hub: GitHub, values: list[str], name: str = "samples_per_sec") -> None:
    for at, value in enumerate(values):
        number = 22 - len(values) + at
        night = Night(hub, number)
        night.models("n150", GOOD)
        job = night.benchmark("resnet", "n150-perf", 100.0)
        measured = (
            f'[{{"measurement_name": "{name}", "value": {value}}}, {{"measurement_name": "ttft", "value": 80.0}}]'
        )
        text = (
            f'{{"model": "resnet", "batch_size": 8, "config": {{"display_name": "resnet"}}, "measurements": {measured},'
            ' "device_info": {"device_type": "n150-perf"}}'
        )
        replaced(hub, job * 10, text.encode(), "perf_report.json")


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-1", "null", '"fast"', "1e999", "true"])
def test_a_number_of_a_benchmark_that_is_none(hub: GitHub, checkout: Checkout, value: str) -> None:
    benchmarks(hub, ["100", "101", "99", "100", "102", value])
    ingest(checkout)
    assert said(checkout) == {}
    assert "no number any more: resnet (n150): samples/s" in page(checkout)


def test_a_benchmark_without_a_baseline(hub: GitHub, checkout: Checkout) -> None:
    Night(hub, 20).models("n150", GOOD)
    benchmarks(hub, ["100"])
    ingest(checkout)
    assert {one[2] for one in said(checkout)["performance"]} == {"no baseline"} and "regressed" not in page(checkout)


def test_a_benchmark_in_another_unit(hub: GitHub, checkout: Checkout) -> None:
    """Milliseconds in place of seconds are no regression."""
    benchmarks(hub, ["0.100", "0.101", "0.099", "0.100", "0.102", "100.5"], "device_fw_duration")
    ingest(checkout)
    assert said(checkout) == {"performance": [("resnet", "device_fw_duration", "another unit?")]}
    text = page(checkout)
    assert "another unit?: device_fw_duration 0.1 -> 100.5" in text and "regressed" not in text


def test_a_job_without_a_log(hub: GitHub, checkout: Checkout) -> None:
    Night(hub, 20).models("n150", GOOD)
    Night(hub, 21).models("n150", GOOD, report=False)
    ingest(checkout)
    assert said(checkout) == {"died": {"n150, run_forge_models, 0": "died in its tests"}, "not_run": 30}
    assert "GitHub has no log of it" in page(checkout)


@pytest.mark.parametrize("stamped", [True, False])
def test_a_hang_that_only_its_log_names_with_and_without_times_and_with_colours(
    hub: GitHub, checkout: Checkout, stamped: bool
) -> None:
    Night(hub, 20).models("n150", GOOD)
    job = Night(hub, 21).models("n150", GOOD, report=False)
    function = "tests/runner/test_models.py::test_all_models_torch"
    lines = [
        f"{function}[{IDS[0]}] \x1b[32mPASSED\x1b[0m\x1b[32m [ 10%]\x1b[0m",
        f"{function}[{IDS[1]}] ",
        "\x1b[38;2;1;2;3m2026-11-21 01:00:00.000\x1b[0m | info     | compiling",
        "##[error]The action 'Run tests' has timed out after 240 minutes.",
    ]
    stamp = "2026-11-21T01:00:00.0000000Z " if stamped else ""
    hub.logs[job] = "".join(f"{stamp}{line}\n" for line in lines).encode()
    ingest(checkout)
    assert said(checkout) == {"died": {"n150, run_forge_models, 0": "ran out of time"}, "not_run": 30}
    assert f"last test: {function}[{IDS[1]}]" in page(checkout)


def test_two_machines_that_fail_differently(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21):
        night = Night(hub, number)
        for at in range(3):
            mine = IDS[at * 10 : at * 10 + 10]
            bad = dict.fromkeys(mine[:6], (OOM, SORT)[at]) if number == 21 and at < 2 else {}
            night.models("n150", dict.fromkeys(mine, "pass") | bad, index=at, machine=f"runner-{at}")
    ingest(checkout)
    found = said(checkout)
    assert found["machines"] == ["runner-0", "runner-1"] and len(found["failures"]) == 2


def test_a_cause_on_all_machines_is_that_of_none(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21):
        night = Night(hub, number)
        for at in range(3):
            mine = IDS[at * 10 : at * 10 + 10]
            bad = dict.fromkeys(mine[:6], OOM) if number == 21 else {}
            night.models("n150", dict.fromkeys(mine, "pass") | bad, index=at, machine=f"runner-{at}")
    ingest(checkout)
    assert "machines" not in said(checkout)


def test_a_night_that_comes_late(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 22, 21):
        Night(hub, number).models("n150", GOOD | ({IDS[0]: OOM} if number > 20 else {}))
        hub.runs.sort(key=lambda run: -int(str(run["id"])))
        ingest(checkout)
    assert said(checkout, "21") == {"failures": [("new", ["model0 n150"])]}
    assert said(checkout) == {"failures": [("persisting", ["model0 n150"])]}
    assert "since nightly-21" in page(checkout)


def test_a_job_of_set_up_that_fails_takes_all_tests_with_it(hub: GitHub, checkout: Checkout) -> None:
    Night(hub, 20).models("n150", GOOD)
    night = Night(hub, 21)
    night.job("Build tt-xla / build", "failure", failed_step="Set up job", log="fatal: no wheel")
    night.models("n150", {}, report=False, conclusion="skipped")
    hub.jobs[21][-1] |= {"steps": [], "runner_name": ""}
    ingest(checkout)
    found = said(checkout)
    assert list(found.pop("died").values()) == ["failed"] and found == {"not_run": 30}


def test_the_op_that_a_test_hung_in_is_behind_its_cause(hub: GitHub, checkout: Checkout) -> None:
    """The device hung, and the job went on: the report has what was raised, and only the log the op."""
    hang = "RuntimeError: TIMEOUT: device timeout in fetch queue wait, potential hang detected"
    job = two(hub, **{IDS[0]: hang, IDS[1]: OOM})
    lines = ["Running op: ttnn.add", "passed", "Running op: BinaryNg", hang, "Running op: ttnn.matmul"]
    hub.logs[job] = "\n".join(lines).encode()
    ingest(checkout)
    text = page(checkout)
    assert text.count("the device hung in BinaryNg") == 1 and "ttnn.matmul" not in text
    assert said(checkout) == {"failures": [("new", ["model0 n150"]), ("new", ["model1 n150"])]}
    (one,) = call("nightly", "--json", "--repo", checkout.root).json["jobs"]
    assert one["hung_in"] == ["BinaryNg"] and one["died"] is None
    # A new attempt of another job does not forget it, and the log is not fetched again.
    hub.runs[0]["updated_at"] = "2026-11-21T12:00:00Z"
    ingest(checkout)
    assert "the device hung in BinaryNg" in page(checkout)
    assert sum("/logs" in path for host, path, _ in hub.asked if host == "api") == 1


def test_a_page_for_an_issue_is_never_longer_than_an_issue_may_be_and_calls_nobody(
    hub: GitHub, checkout: Checkout
) -> None:
    many = tuple(f"model{at}/pytorch-tiny-single_device-inference" for at in range(600))
    letters = [f"{a}{b}" for a in "abcdefghijklmnopqrstuvwxyz" for b in "abcdefghijklmnopqrstuvwxyz"]
    hostile = "</code></details><img src=x> @team/all ``` | [x](http://evil) #12 &lt;b&gt;"
    Night(hub, 20).models("n150", dict.fromkeys(many, "ValueError: before"))
    Night(hub, 21).models("n150", {id: f"ValueError: {hostile} {letters[at]} case" for at, id in enumerate(many)})
    ingest(checkout)
    text = page(checkout, "--format", "md")
    assert len(text) < 65_536 and len(text.splitlines()) <= 80
    assert " more; <code>ttmatrix nightly</code> has them" in text
    outside = re.sub(r"`[^`\n]*`|<code>.*?</code>", "", text)
    assert "@team" not in outside and "<img" not in outside and "](http://evil" not in outside
    assert outside.count("<details>") == outside.count("</details>")
    issue = page(checkout, "--issue", "ValueError").splitlines()
    fence = issue[2]
    assert set(fence) == {"`"} and len(fence) > 3 and issue[4] == fence


@pytest.mark.parametrize("stamp", ["1970-01-01T00:00:00", "2031-01-01T00:00:00", ""])
def test_a_machine_without_a_clock_does_not_move_its_night(hub: GitHub, checkout: Checkout, stamp: str) -> None:
    for number in (20, 21, 22):
        job = Night(hub, number).models("n150", GOOD | ({IDS[0]: OOM} if number > 20 else {}))
        if number == 21:
            data = re.sub(rb'timestamp="[^"]*"', f'timestamp="{stamp}"'.encode(), report_of(hub, job * 10))
            replaced(hub, job * 10, data)
    ingest(checkout)
    assert said(checkout, "21") == {"failures": [("new", ["model0 n150"])]}
    (one,) = call("nightly", "--json", "--repo", checkout.root).json["failures"]
    assert (one["tests"][0]["since"], one["tests"][0]["last_good"]) == ("nightly-21", "nightly-20")


def test_of_two_jobs_with_one_test_the_one_in_which_it_fails_counts(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21):
        night = Night(hub, number)
        night.models("n150", GOOD | ({IDS[0]: OOM} if number == 21 else {}))
        night.models("n150", {IDS[0]: "pass"}, index=1)
    ingest(checkout)
    assert said(checkout) == {"failures": [("new", ["model0 n150"])]}
