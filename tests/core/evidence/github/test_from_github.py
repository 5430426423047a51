# SPDX-License-Identifier: Apache-2.0
"""`ingest --from-github` with a server that behaves like GitHub's API, including the failures of the internet."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.processes import CommandResult
from core.base.settings import paths
from core.evidence import CiStore, store_file
from core.evidence.ci_runs import JobReport
from core.evidence.github import Transport, connect
from core.evidence.reports import ReadOptions, changed_reports
from core.evidence.store import EvidenceStore
from core.sources import Checkout
from tests.support.ci_night import Night
from tests.support.cli import Called, call
from tests.support.evidence import TEST_ID
from tests.support.github_server import TOKEN, Answer, GitHub, github
from tests.support.nightlies import nightly
from tests.support.tree import sample

ID = TEST_ID
JOB = "test-reports-a1b2c3-1.{}-n150-n150_and_expected_passing-{}"
COMMIT = "c" * 40


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHub]:
    monkeypatch.setenv("GH_TOKEN", TOKEN)
    with github() as state:
        monkeypatch.setenv("GITHUB_API_URL", state.api)
        yield state


def report(directory: Path, ending: str) -> bytes:
    return nightly(directory / f"{ending}.xml", "n150", {ID: ending}).read_bytes()


def filled(hub: GitHub, tmp_path: Path, runs: int = 3) -> GitHub:
    """Each run has two artefacts with a report each, one that has expired and one without reports."""
    for run in range(1, runs + 1):
        hub.add_run(run, 100 + run)
        for number in (1, 2):
            id = run * 10 + number
            data = report(tmp_path / f"made-{id}", "pass").replace(b"f10", f"host{id}".encode())
            hub.add_artefact(run, id, JOB.format(number, id), {f"report_{id}.xml": data})
        hub.add_artefact(run, run * 10 + 3, JOB.format(3, run * 10 + 3), {}, expired=True)
        hub.add_artefact(run, run * 10 + 4, "wheel", {"x.whl": b"x"})
    return hub


def ingest(checkout: Checkout, *more: str) -> Called:
    words = "ingest", "--from-github", "--repository", "team/tt-xla", "--json", "--repo"
    return call(*words, checkout.root, *more)


def stored(checkout: Checkout) -> EvidenceStore:
    return EvidenceStore(store_file(paths().evidence, checkout.root))


def downloads(hub: GitHub) -> list[str]:
    return [path for host, path, _ in hub.asked if host == "blobs"]


def test_every_report_comes_once_from_all_pages(hub: GitHub, checkout: Checkout, tmp_path: Path) -> None:
    filled(hub, tmp_path)
    done = ingest(checkout)
    assert done.code == 0, done.err
    runs = ["nightly-103", "nightly-102", "nightly-101"]
    nothing = {"refused": 0, "jobs": 0, "died": 0, "performance": 0}
    assert done.json["github"] == {"runs": runs, "downloaded": 6, "known": 0, "expired": 3, "other": 3, **nothing}
    assert (done.json["files"], done.json["new"], done.json["testcases"]) == (6, 6, 6)
    (first, *_) = rows = stored(checkout).of_test(ID)
    assert len(rows) == 6 and {row.run for row in rows} == set(runs)
    assert (first.arch, first.job, first.commit) == ("n150", "n150-n150_and_expected_passing", COMMIT)
    assert first.source.startswith("https://github.com/team/tt-xla/actions/runs/")
    again = ingest(checkout)
    assert again.json["github"] == {"runs": runs, "downloaded": 0, "known": 6, "expired": 3, "other": 3, **nothing}
    assert len(downloads(hub)) == 6


def test_the_token_goes_to_the_api_alone_and_is_nowhere_else(hub: GitHub, checkout: Checkout, tmp_path: Path) -> None:
    filled(hub, tmp_path, 1).faults["blobs:"] = [Answer(403)]
    refused = ingest(checkout)
    done = ingest(checkout)
    assert {sent for host, _, sent in hub.asked if host == "api"} == {f"Bearer {TOKEN}"}
    assert {sent for host, _, sent in hub.asked if host == "blobs"} == {None}
    said = refused.out + refused.err + done.out + done.err
    assert TOKEN not in said and "s3cr3t" not in said
    home = Path(os.environ["TTMATRIX_HOME"])
    assert not [file for file in home.rglob("*") if file.is_file() and TOKEN.encode() in file.read_bytes()]


def test_which_runs_are_asked_for(hub: GitHub, checkout: Checkout, tmp_path: Path) -> None:
    filled(hub, tmp_path)
    done = ingest(checkout, "--workflow", "nightly.yml", "--branch", "a b", "--since", "3", "--latest")
    assert done.json["github"]["runs"] == ["nightly-103"]
    asked = hub.asked[0][1]
    assert asked.startswith("/repos/team/tt-xla/actions/workflows/nightly.yml/runs?")
    assert "branch=a+b" in asked and "created=%3E%3D20" in asked
    hub.add_run(9, 7, workflow=2)
    assert ingest(checkout, "--latest").json["github"]["runs"] == ["weekly-7", "nightly-103"]
    assert "event=schedule" in hub.asked[-1][1] or any("event=schedule" in path for _, path, _ in hub.asked)


@pytest.mark.parametrize(
    "fault",
    [
        Answer(502),
        Answer(429, {"Retry-After": "0"}),
        Answer(403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}),
        Answer(200, body=b"{" * 9, cut=4),
    ],
    ids=["5xx", "429", "rate limit", "cut"],
)
@pytest.mark.parametrize("where", ["api:/repos/team/tt-xla/actions/runs?", "artifacts?", "blobs:"])
def test_what_passes_is_waited_for(
    hub: GitHub, checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Answer, where: str
) -> None:
    monkeypatch.setattr("core.evidence.github.transport._wait", lambda seconds: None)
    filled(hub, tmp_path, 1).faults[where] = [fault, fault]
    done = ingest(checkout)
    assert done.code == 0, done.err
    assert done.json["new"] == 2
    assert "trying again" in done.err


def test_what_does_not_pass_is_an_error_that_says_what_to_do(
    hub: GitHub, checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.evidence.github.transport._wait", lambda seconds: None)
    filled(hub, tmp_path)
    limit = Answer(403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 3000)})
    for fault, words in (
        ([Answer(503)] * 9, "does not answer"),
        ([Answer(403)], "allowed to read Actions"),
        ([Answer(401)], "not valid"),
        ([limit], "rate limit of GitHub is reached"),
        ([Answer(302, {"Location": "http://example.com/x"})], "not HTTPS"),
        ([Answer(302, {"Location": "/repos/team/tt-xla/loop"})] * 9, "redirects too often"),
        ([Answer(200, body=b'{"other": 1}')], "something else than expected"),
    ):
        # The first artefact of the second run fails: earlier ones are stored, and stay.
        hub.faults = {"runs/2/artifacts": list(fault), "loop": list(fault)}
        failed = ingest(checkout)
        assert failed.code == 2, failed
        assert words in failed.err + failed.out
        assert {row.run for row in stored(checkout).of_test(ID)} == {"nightly-103"}
    hub.faults = {}
    assert ingest(checkout).json["github"]["known"] == 2


def test_an_archive_that_cannot_be_read_is_a_problem_and_the_rest_is_read(
    hub: GitHub, checkout: Checkout, tmp_path: Path
) -> None:
    filled(hub, tmp_path, 1)
    bomb = b"<testsuites>" + b" " * 40_000_000
    hub.add_artefact(1, 15, JOB.format(5, 15), {"bomb.xml": bomb, "../../out.xml": b"<testsuites/>"})
    hub.archives[12] = b"no archive at all"
    hub.artefacts[1][0]["expired"] = False
    hub.faults["artifacts/11/zip"] = [Answer(410)]
    done = ingest(checkout)
    assert done.code == 1
    assert done.json["github"]["expired"] == 2
    messages = [one["message"] for one in done.json["problems"]]
    assert any("unpack" in text for text in messages) and any("leads out" in text for text in messages)
    assert any("not a readable archive" in text for text in messages)
    assert all(one["file"].startswith("https://github.com/team/tt-xla/actions/runs/1") for one in done.json["problems"])


def test_more_than_was_said_is_not_taken(hub: GitHub, tmp_path: Path) -> None:
    hub.archives[1] = b"x" * 100_000
    hub.runs, hub.artefacts = [], {}
    with pytest.raises(TTMatrixError, match="larger than GitHub said"):
        Transport(TOKEN).download("repos/team/tt-xla/actions/artifacts/1/zip", tmp_path / "x", 1000)


def test_killed_half_way_it_goes_on_where_it_was(hub: GitHub, checkout: Checkout, tmp_path: Path) -> None:
    filled(hub, tmp_path)
    reached, go_on = threading.Event(), threading.Event()

    def hold(id: int) -> None:
        if id == 22:
            reached.set()
            go_on.wait(60)

    hub.before_archive = hold
    words = [sys.executable, "-m", "tui", "ingest", "--from-github", "--repository", "team/tt-xla"]
    with subprocess.Popen([*words, "--repo", str(checkout.root)], start_new_session=True) as running:
        assert reached.wait(60)
        os.killpg(running.pid, signal.SIGKILL)
    go_on.set()
    before = len(stored(checkout).of_test(ID))
    assert before == 2, "one more is here, and not stored yet"
    hub.asked.clear()
    done = ingest(checkout)
    assert done.json["github"]["known"] == 2 and done.json["github"]["downloaded"] == 4
    assert [path.partition("?")[0].rpartition("/")[2] for path in downloads(hub)] == ["22", "11", "12"]
    assert len(stored(checkout).of_test(ID)) == 6
    assert not [*paths().evidence.rglob("*.zip")], "what is stored is not kept twice"


def test_an_error_in_the_middle_stores_what_has_come(hub: GitHub, checkout: Checkout, tmp_path: Path) -> None:
    filled(hub, tmp_path, 1)
    hub.faults["artifacts/12/zip"] = [Answer(418)]
    assert ingest(checkout).code == 2
    assert len(stored(checkout).of_test(ID)) == 1
    assert ingest(checkout).json["github"]["downloaded"] == 1 and len(downloads(hub)) == 2


def test_killed_while_it_stores_nothing_counts_twice(
    hub: GitHub, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Night(hub, 1).models("n150", {ID: "pass"})

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("core.evidence.github.fetch._Done.add", killed)
        ingest(checkout)
    done = ingest(checkout)
    assert (done.json["new"], done.json["known"]) == (0, 1) and len(downloads(hub)) == 1
    assert {state.job.id: state.report for state in CiStore(stored(checkout)).jobs(1)} == {job: JobReport(1, 1, False)}
    assert len(stored(checkout).of_test(ID)) == 1


def test_a_token_is_that_of_the_environment_or_of_gh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.evidence.github.gh.shutil.which", lambda name, path: f"/bin/{name}")

    def gh(argv: list[str], **_: object) -> CommandResult:
        assert argv == ["gh", "auth", "token"]
        return CommandResult(tuple(argv), 0, "of-gh\n", "")

    assert connect(environ={"GITHUB_TOKEN": "of-env"}, runner=gh).token == "of-env"  # type: ignore[arg-type]
    assert connect(environ={}, runner=gh).token == "of-gh"  # type: ignore[arg-type]
    assert "of-env" not in repr(Transport("of-env"))


def test_no_token_over_an_open_line() -> None:
    with pytest.raises(TTMatrixError, match="HTTPS only"):
        Transport("x", "http://example.com")


def test_a_directory_is_watched(tmp_path: Path) -> None:
    """Existing files, later ones, and one that was incomplete at first."""
    directory = tmp_path / "in"
    whole = report(directory / "run-1", "pass")
    readings = changed_reports(directory, ReadOptions(), ("n150",))
    assert [one.run for one in next(readings).reports] == ["run-1"]
    late = directory / "run-2" / "late.xml"
    late.parent.mkdir()
    late.write_bytes(whole[:40])
    assert [one.file for one in next(readings).problems] == [str(late)]
    late.write_bytes(whole.replace(b"f10", b"f11"))
    assert [one.run for one in next(readings).reports] == ["run-2"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Name paths"),
        (["--from-github", "--watch", "x"], "Name paths"),
        (["--from-github"], "Which repository"),
        (["--from-github", "--repository", "x"], "Not a repository"),
        (["--from-github", "--since", "-1"], "--since"),
        (["--watch", "nowhere"], "no directory"),
        (["--watch", ".", "--json"], "no single JSON document"),
    ],
)
def test_what_cannot_be_asked_for(checkout: Checkout, words: list[str], message: str) -> None:
    told = call("ingest", *words, "--repo", checkout.root)
    assert told.code == 64 and message in told.err


@pytest.mark.parametrize(
    ("place", "allowed"),
    [
        ("https://productionresultssa1.blob.core.windows.net/a/b.zip?sig=x", True),
        ("https://pipelines.actions.githubusercontent.com/x", True),
        ("https://codeload.github.com/x", True),
        ("/repos/team/tt-xla/zip", True),
        ("https://api.github.com:443/x", True),
        ("http://productionresultssa1.blob.core.windows.net/x", False),
        ("https://api.github.com.example.com/x", False),
        ("https://examplegithub.com/x", False),
        ("https://codeload.github.com:8443/x", False),
        ("https://codeload.github.com@example.com/x", False),
        ("http://127.0.0.1/x", False),
        ("file:///etc/passwd", False),
    ],
)
def test_only_hosts_of_github_are_followed(place: str, allowed: bool) -> None:
    there = Transport("", "https://api.github.com")
    if allowed:
        assert there._followed("https://api.github.com/repos/x", place)
        return
    with pytest.raises(TTMatrixError, match="GitHub redirects to"):
        there._followed("https://api.github.com/repos/x", place)


@pytest.mark.parametrize(
    "api", ["http://[bad", "http://example.com", "ftp://127.0.0.1", "https://", "https://x:0", "x"]
)
def test_an_api_that_cannot_be_asked_is_refused(api: str) -> None:
    with pytest.raises(TTMatrixError, match="over HTTPS only"):
        Transport("", api)


def test_an_archive_that_cannot_be_read_is_fetched_again(hub: GitHub, checkout: Checkout, tmp_path: Path) -> None:
    hub.add_run(1, 101)
    hub.add_artefact(1, 11, JOB.format(1, 11), {"report_11.xml": report(tmp_path, "pass")})
    hub.faults = {"blobs:": [Answer(body=b"<html>a page of a proxy</html>")]}
    first = ingest(checkout)
    assert (first.code, first.json["new"], len(first.json["problems"])) == (1, 0, 1)
    second = ingest(checkout)
    assert (second.code, second.json["new"], second.json["problems"]) == (0, 1, [])
