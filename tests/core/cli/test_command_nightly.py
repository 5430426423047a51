# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix nightly` reports exactly what was planted in synthetic nights."""

import itertools
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from core.sources import Checkout
from tests.support.ci_night import Night, ingest, log_of, nightly
from tests.support.cli import call
from tests.support.git import committed_checkout, git
from tests.support.github_server import Answer, GitHub, reached
from tests.support.tree import sample

IDS = tuple(f"model{at}/pytorch-tiny-single_device-inference" for at in range(60))
OOM = "RuntimeError: TT_FATAL: Out of Memory: Not enough space to allocate 4096 B L1 buffer"
SORT = "error: failed to legalize operation 'ttir.sort' that was explicitly marked illegal"
GOOD = dict.fromkeys(IDS, "pass")
TORCH = "nightly_tests / test nightly and single_device (n150, run_torch, 0)"

hub = pytest.fixture(reached)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def document(checkout: Checkout, *words: str) -> tuple[int, dict[str, Any]]:
    done = nightly(checkout, *words, "--json")
    assert done.code in (0, 1), done.err
    return done.code, done.json


def of_kind(found: dict[str, Any], kind: str) -> list[tuple[str, str, list[str]]]:
    return [
        (one["area"], one["cause"], sorted({test["id"] for test in one["tests"]}))
        for one in found["failures"]
        if one["kind"] == kind
    ]


def test_a_night_like_the_one_before_has_nothing_to_say(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21):
        Night(hub, number).models("n150", GOOD)
    code, found = document(checkout)
    assert code == 0
    assert (found["run"], found["against"], found["reported"], found["groups"]) == ("nightly-21", "nightly-20", 1, 1)
    assert not found["failures"] and not found["not_run"]


def test_without_a_run_it_says_what_to_do(checkout: Checkout) -> None:
    done = call("nightly", "--repo", checkout.root)
    assert done.code == 64 and "--from-github" in done.err


def test_one_cause_in_forty_tests_is_one_group_of_both_archs(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21):
        night = Night(hub, number)
        endings = GOOD | (dict.fromkeys(IDS[:40], OOM) if number == 21 else {})
        night.models("n150", endings)
        night.models("p150", endings, index=1)
    code, found = document(checkout)
    assert code == 1
    assert of_kind(found, "new") == [("model tests", OOM, sorted(IDS[:40]))]
    (group,) = found["failures"]
    assert {test["arch"] for test in group["tests"]} == {"n150", "p150"}
    assert all("/job/" in test["url"] for test in group["tests"])


def test_new_changed_persisting_and_fixed_are_apart(hub: GitHub, checkout: Checkout) -> None:
    Night(hub, 20).models("n150", GOOD | {IDS[1]: OOM, IDS[2]: OOM, IDS[3]: SORT})
    Night(hub, 21).models("n150", GOOD | {IDS[0]: OOM, IDS[1]: SORT, IDS[2]: OOM})
    _, found = document(checkout)
    assert of_kind(found, "new") == [("model tests", OOM, [IDS[0]])]
    assert of_kind(found, "fixed")[0][2] == [IDS[3]]
    changed = [one for one in found["failures"] if one["was"]]
    assert [(one["kind"], one["was"], one["cause"]) for one in changed] == [("persisting", OOM, SORT)]
    assert [one["tests"][0]["id"] for one in found["failures"] if one["kind"] == "persisting" and not one["was"]] == [
        IDS[2]
    ]


def test_a_job_that_died_is_one_line_and_its_tests_are_neither_fixed_nor_missing(
    hub: GitHub, checkout: Checkout
) -> None:
    Night(hub, 20).models("p150", GOOD | {IDS[0]: OOM})
    log = log_of(IDS[:3], "Fatal Python error: Segmentation fault\n##[error]Process completed with exit code 139.")
    job = Night(hub, 21).models("p150", GOOD, report=False, log=log)
    code, found = document(checkout)
    assert code == 1 and not found["failures"]
    (one,) = found["jobs"]
    assert (one["id"], one["not_run"], one["tests"], one["arch"]) == (job, 60, None, "p150")
    assert one["died"] == "died in its tests" and one["error"] == "Fatal Python error: Segmentation fault"
    assert one["last_test"].endswith(f"[{IDS[2]}]") and one["url"].endswith(f"/job/{job}")
    text = nightly(checkout).out
    assert text.count("Segmentation fault") == 1 and "60 cells without a result" in text


def test_a_truncated_report_says_what_it_has(hub: GitHub, checkout: Checkout) -> None:
    Night(hub, 20).models("n150", GOOD)
    Night(hub, 21).models("n150", GOOD | {IDS[0]: OOM}, cut=True, log=log_of(IDS[:50], "Killed"))
    ingest(checkout, damaged=True)
    found = call("nightly", "--json", "--repo", checkout.root).json
    (one,) = found["jobs"]
    assert one["died"] == "left a truncated report" and 0 < one["tests"] < 60
    assert one["tests"] + one["not_run"] == 60
    assert of_kind(found, "new") == [("model tests", OOM, [IDS[0]])]
    assert found["reported"] == 0


def test_what_failed_before_its_tests_and_what_was_cancelled(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21):
        night = Night(hub, number)
        night.models("n150", GOOD)
        if number == 21:
            night.job(TORCH, "failure", failed_step="Set up job", log="ERROR: No matching distribution found for wheel")
            night.job(TORCH.replace("run_torch, 0", "run_jax, 1"), "cancelled")
            night.job("Build tt-xla / build", "failure", failed_step="Set up job", log="fatal: no space")
            night.job(TORCH.replace("run_torch, 0", "run_x, 2"), "skipped")
    code, found = document(checkout)
    assert code == 1
    died = {one["name"].rpartition("(")[2]: (one["died"], one["step"], one["error"]) for one in found["jobs"]}
    assert died["n150, run_torch, 0)"] == (
        "failed before its tests", "Set up job", "ERROR: No matching distribution found for wheel"
    )  # fmt: skip
    assert died["n150, run_jax, 1)"] == ("was cancelled", None, None)
    assert died["Build tt-xla / build"][0] == "failed"
    assert (found["reported"], found["groups"]) == (1, 3), "a skipped job is not waited for"


def test_an_attempt_that_passes_is_named_and_replaces_only_what_it_reran(hub: GitHub, checkout: Checkout) -> None:
    Night(hub, 20).models("n150", GOOD)
    night = Night(hub, 21)
    night.models("n150", GOOD | {IDS[0]: OOM, IDS[1]: OOM})
    hub.runs[0]["run_attempt"] = 2
    night.models("n150", {IDS[0]: "pass", IDS[1]: OOM}, attempt=2)
    _, found = document(checkout)
    assert [one["id"] for one in found["retried"]] == [IDS[0]]
    assert of_kind(found, "new") == [("model tests", OOM, [IDS[1]])]
    assert found["not_run"] == 0 and found["attempt"] == 2


def test_an_expected_failure_hides_neither_a_pass_nor_another_failure(hub: GitHub, checkout: Checkout) -> None:
    known = dict.fromkeys(IDS, SORT)
    Night(hub, 20).models("n150", known, conclusion="success", status="KNOWN_FAILURE_XFAIL")
    endings = known | {IDS[0]: "pass", IDS[1]: OOM}
    Night(hub, 21).models("n150", endings, conclusion="success", status="KNOWN_FAILURE_XFAIL")
    code, found = document(checkout)
    assert code == 0
    assert of_kind(found, "fixed")[0][2] == [IDS[0]]
    assert [(one["was"], one["cause"]) for one in found["failures"] if one["was"]] == [(SORT, OOM)]
    assert len(found["failures"]) == 2, "58 that fail as expected are not in the way"


def test_the_run_before_is_one_of_the_workflow_that_has_results(hub: GitHub, checkout: Checkout) -> None:
    Night(hub, 20).models("n150", GOOD | {IDS[0]: OOM})
    Night(hub, 21).job("Build tt-xla / build", "failure", failed_step="Set up job", log="fatal: x")
    Night(hub, 22, workflow=2).models("n150", GOOD)
    Night(hub, 23).models("n150", GOOD | {IDS[0]: OOM})
    code, found = document(checkout)
    assert (code, found["run"], found["against"]) == (0, "nightly-23", "nightly-20")
    assert [one["kind"] for one in found["failures"]] == ["persisting"]
    assert "nightly-21 left no results" in nightly(checkout).out


def test_a_group_that_the_run_before_lost_is_compared_with_one_further_back(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21, 22):
        night = Night(hub, number)
        night.models("n150", GOOD)
        log = log_of(IDS[:3], "Killed")
        night.models("p150", GOOD | {IDS[0]: OOM}, index=1, report=number != 21, log=log)
    code, found = document(checkout)
    assert code == 0 and [one["kind"] for one in found["failures"]] == ["persisting"]
    assert "with nightly-20" in nightly(checkout).out


def test_the_night_after_the_lost_one_still_misses_its_tests(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21):
        night = Night(hub, number)
        night.models("n150", GOOD)
        night.models("p150", GOOD, index=1, report=number == 20, log=log_of(IDS[:3], "Killed"))
    _, found = document(checkout)
    assert found["not_run"] == 60 and found["reported"] == 1


def test_names_of_jobs_drift(hub: GitHub, checkout: Checkout) -> None:
    """Another position, runner and mark: tests are the same by id and arch."""
    Night(hub, 20).models("n150", GOOD | {IDS[0]: OOM})
    night = Night(hub, 21)
    job = night.models("n150", GOOD | {IDS[0]: OOM}, index=7)
    name = str(hub.jobs[21][0]["name"]).replace("n150 and", "n150 and x and")
    name = name.replace("(n150,", "(tt-ubuntu-2204-n150-stable,")
    hub.jobs[21][0]["name"] = name
    (artefact,) = hub.artefacts[21]
    artefact["name"] = f"test-reports-ffff-1.7-tt-ubuntu-2204-n150-stable-n150_and_x_and_nightly-{job}"
    code, found = document(checkout)
    assert code == 0 and [one["kind"] for one in found["failures"]] == ["persisting"]
    assert not found["not_run"] and found["jobs"][0]["arch"] == "n150"


def test_a_test_that_its_job_does_not_report_any_more_is_missing(hub: GitHub, checkout: Checkout) -> None:
    Night(hub, 20).models("n150", GOOD | {IDS[5]: OOM})
    Night(hub, 21).models("n150", {id: "pass" for id in IDS if id != IDS[5]})
    _, found = document(checkout)
    assert [(one["kind"], one["tests"][0]["id"]) for one in found["failures"]] == [("missing", IDS[5])]


def test_a_group_that_is_not_there_is_lost(hub: GitHub, checkout: Checkout) -> None:
    night = Night(hub, 20)
    night.models("n150", GOOD)
    night.models("p150", GOOD, index=1)
    Night(hub, 21).models("n150", GOOD)
    code, found = document(checkout)
    assert code == 1 and found["not_run"] == 60 and not found["failures"]
    assert "is not in this one" in nightly(checkout).out


def test_a_machine_that_fails_alone(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21):
        night = Night(hub, number)
        bad = dict.fromkeys(IDS[:10], OOM) if number == 21 else {}
        night.models("n150", dict.fromkeys(IDS[:20], "pass") | bad, machine="runner-3")
        night.models("n150", dict.fromkeys(IDS[20:], "pass"), index=1, machine="runner-4")
    _, found = document(checkout)
    assert found["machines"] == [{"name": "runner-3", "failed": 10, "ran": 20}]


def test_a_drop_beyond_the_noise_is_a_regression_and_noise_is_none(hub: GitHub, checkout: Checkout) -> None:
    """12 % among noise of 4 %; a series that only swings; one without a night before; one with a single one."""
    noise = itertools.cycle((1.0, 1.04, 0.97, 1.02, 0.96, 1.01, 1.03))
    for number in range(10, 18):
        night = Night(hub, number)
        night.models("n150", GOOD)
        night.benchmark("resnet", "n150-perf", 100.0 * (0.88 if number == 17 else next(noise)))
        night.benchmark("swings", "p150-perf", 100.0 * (0.955 if number == 17 else next(noise)))
        if number == 17:
            night.benchmark("fresh", "n150-perf", 10.0)
        if number > 15:
            night.benchmark("young", "n150-perf", 100.0 if number == 16 else 85.0)
    code, found = document(checkout)
    assert code == 0, "a number decides nothing alone"
    speed = {one["model"]: one for one in found["performance"] if one["metric"] == "samples/s"}
    assert {name: one["trend"] for name, one in speed.items()} == {
        "resnet": "regressed", "swings": "steady", "fresh": "no baseline", "young": "too few nights"
    }  # fmt: skip
    assert speed["resnet"]["change"] == pytest.approx(-0.12, abs=0.03) and speed["resnet"]["nights"] == 7
    assert speed["fresh"]["before"] is None and speed["resnet"]["arch"] == "n150"
    assert {one["trend"] for one in found["performance"] if one["metric"] == "ttft"} == {"steady", "no baseline"}


def test_commits_pins_and_presets_between(hub: GitHub, checkout: Checkout) -> None:
    build = checkout.root / "third_party/CMakeLists.txt"
    build.parent.mkdir(exist_ok=True)
    build.write_text('set(TT_MLIR_VERSION "aaaa1111")\n')
    committed_checkout(checkout)
    before = git(checkout.root, "rev-parse", "HEAD").strip()
    build.write_text('set(TT_MLIR_VERSION "bbbb2222")\n')
    git(checkout.root, "commit", "-qam", "Uplift tt-mlir")
    after = git(checkout.root, "rev-parse", "HEAD").strip()
    Night(hub, 20, before).models("n150", GOOD)
    Night(hub, 21, after).models("n150", GOOD)
    _, found = document(checkout)
    assert found["commits"][0]["commits"][0]["subject"] == "Uplift tt-mlir"
    (pin,) = found["pins"]
    assert (pin["name"], pin["before"], pin["after"]) == ("tt-mlir", "aaaa1111", "bbbb2222")
    assert pin["url"].endswith("/compare/aaaa1111...bbbb2222") and not found["older"]
    assert document(checkout, "20", "21")[1]["older"], "the head of the first night is older than that of the second"


class _Loads(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_page_for_pasting_has_at_most_80_lines_and_the_rest_is_folded(hub: GitHub, checkout: Checkout) -> None:
    hostile = "boom <script>alert(1)</script> `tick` | [x](javascript:alert(1)) case "
    Night(hub, 20).models("n150", GOOD)
    words = (f"{a}{b}" for a, b in itertools.product("abcdefghij", repeat=2))
    endings = {id: f"ValueError: {hostile}{next(words)}" for id in IDS}
    Night(hub, 21).models("n150", endings)
    done = nightly(checkout, "--format", "md")
    assert done.code == 1 and len(done.out.splitlines()) <= 80
    assert all(id in done.out for id in IDS), "folded, not left out"
    folded = "\n".join(re.findall(r"<details>.*", done.out))
    assert "<script" not in folded and "<script" not in re.sub(r"`[^`]*`", "", done.out)
    page = nightly(checkout, "--format", "html").out
    found = _Loads()
    found.feed(page)
    assert not {tag for tag, _ in found.tags} & {"script", "img", "link", "iframe"}
    assert all(str(attrs.get("href", "https://")).startswith("https://") for _, attrs in found.tags)


def test_the_log_of_a_job_is_printed_and_fetched_once(hub: GitHub, checkout: Checkout) -> None:
    night = Night(hub, 20)
    job = night.models("n150", GOOD, log="one\n\x1b[31mtwo\x1b[0m")
    for _ in range(2):
        assert nightly(checkout, "--log", str(job)).out.splitlines() == ["one", "two"]
    assert sum("/logs" in path for host, path, _ in hub.asked if host == "api") == 1
    assert nightly(checkout, "--log", "no such").code == 64


def test_since_when_it_fails_and_whether_it_comes_and_goes(hub: GitHub, checkout: Checkout) -> None:
    for number in range(10, 22):
        flaky = OOM if number % 2 else "pass"
        old = OOM if number > 14 else "pass"
        Night(hub, number).models("n150", GOOD | {IDS[0]: flaky, IDS[1]: old})
    _, found = document(checkout)
    tests = {test["id"]: test for one in found["failures"] for test in one["tests"]}
    assert (tests[IDS[1]]["since"], tests[IDS[1]]["last_good"], tests[IDS[1]]["flaky"]) == (
        "nightly-15",
        "nightly-14",
        False,
    )
    assert tests[IDS[0]]["flaky"]
    assert "1 of 1 flaky" in nightly(checkout).out and "since nightly-15" in nightly(checkout).out


def test_a_test_of_the_matrix_names_the_issue_that_its_entry_cites(hub: GitHub, checkout: Checkout) -> None:
    file = next(checkout.test_config.rglob("*single_device.yaml"))
    id = "alpha/pytorch-tiny-single_device-inference"
    issue = "https://github.com/tenstorrent/tt-xla/issues/7"
    text = f'test_config:\n  {id}:\n    status: KNOWN_FAILURE_XFAIL\n    reason: "broken - {issue}"\n'
    file.write_text(text)
    for number in (20, 21):
        Night(hub, number).models("n150", {id: OOM})
    _, found = document(checkout)
    assert [test["issue"] for one in found["failures"] for test in one["tests"]] == [issue]


def test_a_machine_that_only_its_reports_name(hub: GitHub, checkout: Checkout) -> None:
    """The runner is another one for each job, and the host is named in the reports."""
    for number in (20, 21):
        night = Night(hub, number)
        for at in range(6):
            ids = IDS[at * 10 : at * 10 + 10]
            bad = dict.fromkeys(ids[:6], OOM) if number == 21 and at in (0, 1) else {}
            host = "tt-host-1" if at in (0, 1) else "tt-host-2"
            night.models("n150", dict.fromkeys(ids, "pass") | bad, index=at, host=host)
            hub.jobs[number][-1]["runner_name"] = ""
    _, found = document(checkout)
    assert found["machines"] == [{"name": "tt-host-1", "failed": 12, "ran": 20}]


def test_a_report_that_cannot_be_read_is_no_lost_group(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21):
        job = Night(hub, number).models("n150", GOOD | {IDS[0]: OOM})
    hub.faults[f"artifacts/{job * 10}/zip"] = [Answer(410)]
    code, found = document(checkout)
    assert code == 0 and not found["failures"]
    assert (found["reported"], found["not_run"], found["jobs"][0]["died"]) == (0, 60, None)
    assert [one["why"] for one in found["unread"]] == ["expired"]
    assert "its report was not read" in nightly(checkout).out


def test_the_text_of_an_issue_about_a_cause_and_about_a_job(hub: GitHub, checkout: Checkout) -> None:
    Night(hub, 20).models("n150", GOOD)
    night = Night(hub, 21)
    night.models("n150", GOOD | dict.fromkeys(IDS[:40], OOM))
    job = night.models("p150", GOOD, index=1, report=False, log=log_of(IDS[:3], "Killed"))
    text = nightly(checkout, "--issue", "out of memory").out
    title, *rest = text.splitlines()
    assert title == f"# {OOM} (40 tests)"
    assert sum(line.startswith("- `model") and "/job/21001" in line for line in rest) == 30 and "- and 10 more" in rest
    assert "Seen in [nightly-21](https://github.com/team/tt-xla/actions/runs/21), 2026-11-21, cccccccccc" in text
    assert "Passed last in nightly-20." in text
    assert f"pytest -svv 'tests/runner/test_models.py::test_all_models_torch[{IDS[0]}]'" in rest
    text = nightly(checkout, "--issue", "run_forge_models 1").out
    assert text.startswith("# run_forge_models 1 on p150: died in its tests in 'Run tests': Killed\n")
    assert f"/job/{job}" in text and f"test_all_models_torch[{IDS[2]}]'" in text
    assert nightly(checkout, "--issue", "no such words").code == 64
