# SPDX-License-Identifier: Apache-2.0
"""Commits and versions that no clone has are asked of GitHub once, and known offline with their date."""

import base64
import json
import re
from pathlib import Path

import pytest

from core.evidence.analysis import Between
from core.evidence.github import Lookups, Transport
from core.sources import Checkout
from tests.support.ci_night import Night
from tests.support.cli import call
from tests.support.github_server import Answer, GitHub, reached
from tests.support.tree import sample

hub = pytest.fixture(reached)
OLD, NEW = "a" * 40, "b" * 40
MODELS = {OLD: "1" * 40, NEW: "2" * 40}
XLA, MLIR, METAL = "team/tt-xla", "tenstorrent/tt-mlir", "tenstorrent/tt-metal"
GOOD = {f"model{at}/pytorch-tiny-single_device-inference": "pass" for at in range(3)}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def commit(number: int, subject: str) -> dict[str, object]:
    by = {"name": "Ann", "date": f"2026-11-{number:02}T00:00:00Z"}
    return {"sha": f"{number:040x}", "commit": {"message": f"{subject}\n\nmore", "author": by, "committer": by}}


def compared(*subjects: str, status: str = "ahead") -> dict[str, object]:
    commits = [commit(at, subject) for at, subject in enumerate(subjects, 1)]
    return {"status": status, "total_commits": len(commits), "commits": commits}


def text(content: str) -> dict[str, object]:
    return {"type": "file", "encoding": "base64", "content": base64.b64encode(content.encode()).decode()}


def laid_out(hub: GitHub) -> None:
    """Two heads that no clone has, with another tt-mlir and another tt-metal."""
    hub.other[f"/repos/{XLA}/compare/{OLD}...{NEW}"] = compared("Fix a", "Uplift tt-mlir")
    for sha, mlir in ((OLD, "aaaa1111"), (NEW, "bbbb2222")):
        place = f"/repos/{XLA}/contents/third_party"
        hub.other[f"{place}/CMakeLists.txt?ref={sha}"] = text(f'set(TT_MLIR_VERSION "{mlir}")\n')
        hub.other[f"{place}/tt_forge_models?ref={sha}"] = {"type": "submodule", "sha": MODELS[sha]}
        build = f'set(TT_METAL_VERSION "{mlir[:4]}eeee")\n'
        hub.other[f"/repos/{MLIR}/contents/third_party/CMakeLists.txt?ref={mlir}"] = text(build)
    models = f"/repos/tenstorrent/tt-forge-models/compare/{MODELS[OLD]}...{MODELS[NEW]}"
    hub.other[models] = compared("Add a model")
    hub.other[f"/repos/{MLIR}/compare/aaaa1111...bbbb2222"] = compared("Lower sort", "Fuse")
    hub.other[f"/repos/{METAL}/compare/aaaaeeee...bbbbeeee"] = compared("Faster matmul")
    for number, sha in ((20, OLD), (21, NEW)):
        Night(hub, number, sha).models("n150", GOOD)


def questions(hub: GitHub) -> list[str]:
    return [path for _, path, _ in hub.asked if "/compare/" in path or "/contents/" in path]


def ingest(checkout: Checkout) -> None:
    done = call("ingest", "--from-github", "--repository", XLA, "--json", "--repo", checkout.root)
    assert done.code == 0, done.err


def test_all_four_repositories_are_known_after_one_ingest_and_asked_once(hub: GitHub, checkout: Checkout) -> None:
    laid_out(hub)
    ingest(checkout)
    asked = questions(hub)
    assert len(asked) == len(set(asked)) > 8
    found = call("nightly", "--json", "--repo", checkout.root).json
    subjects = {one["repository"]: [commit["subject"] for commit in one["commits"]] for one in found["commits"]}
    assert subjects == {
        "tt-xla": ["Uplift tt-mlir", "Fix a"], "tt_forge_models": ["Add a model"],
        "tt-mlir": ["Fuse", "Lower sort"], "tt-metal": ["Faster matmul"],
    }  # fmt: skip
    pins = {one["name"]: (one["before"], one["after"]) for one in found["pins"]}
    assert pins == {"tt-mlir": ("aaaa1111", "bbbb2222"), "tt-metal": ("aaaaeeee", "bbbbeeee")}
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", found["asked"])
    page = call("nightly", "--format", "md", "--repo", checkout.root).out
    assert "tt-metal" in page and "Faster matmul" in page and f"what GitHub said on {found['asked']}" in page
    call("nightly", "--refresh", "--repo", checkout.root)
    ingest(checkout)
    assert questions(hub) == asked, "nothing is asked twice"


def test_offline_what_is_known_stays_and_the_rest_says_what_to_do(
    hub: GitHub, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid_out(hub)
    Night(hub, 22, "d" * 40).models("n150", GOOD)
    ingest(checkout)
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:1")
    asked = call("nightly", "21", "20", "--refresh", "--json", "--repo", checkout.root)
    assert asked.code == 0 and "versions and commits are those that are known" in asked.err
    assert asked.json["commits"][0]["unknown"]
    found = call("nightly", "22", "--json", "--repo", checkout.root).json
    assert "GitHub does not know it (asked on" in found["commits"][0]["unknown"]


def test_the_head_that_is_older_is_known_without_a_clone(hub: GitHub, checkout: Checkout) -> None:
    laid_out(hub)
    hub.other[f"/repos/{XLA}/compare/{OLD}...{NEW}"] = compared(status="behind")
    ingest(checkout)
    assert call("nightly", "--json", "--repo", checkout.root).json["older"]


def lookups(hub: GitHub, file: Path, at: float = 0.0) -> Lookups:
    return Lookups(file, Transport("x", api=hub.api), now=lambda: at)


def test_what_github_does_not_know_is_asked_again_after_a_day(hub: GitHub, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    for at, requests in ((0.0, 1), (3600.0, 1), (90_000.0, 2)):
        found = lookups(hub, file, at).compared("o/n", OLD, NEW)
        assert found is not None and "GitHub does not know it" in found.unknown
        assert len(hub.asked) == requests
    assert lookups(hub, file, 0.0).file("o/n", "x", OLD) is None


def test_pages_are_bounded_and_the_rest_is_counted(hub: GitHub, tmp_path: Path) -> None:
    place = f"/repos/o/n/compare/{OLD}...{NEW}"
    page = {**compared(*(f"c{at}" for at in range(1, 29))), "total_commits": 900}
    headers = {"Link": f'<{hub.api}{place}?page=2>; rel="next"'}
    hub.other[place] = Answer(headers=headers, body=json.dumps(page).encode())
    found = lookups(hub, tmp_path / "x.json").compared("o/n", OLD, NEW)
    assert found is not None and (len(found.commits), found.more, len(hub.asked)) == (84, 816, 3)


@pytest.mark.parametrize(
    "lie",
    [
        [], None, 7, {}, {"total_commits": 1}, {"total_commits": "x", "commits": []},
        {"total_commits": 1, "commits": {}}, {"total_commits": 1, "commits": [None]},
        {"total_commits": 1, "commits": [{"sha": "--output=x", "commit": {}}]},
        {"total_commits": 1, "commits": [{"sha": "a" * 40, "commit": None}]},
        Answer(body=b"<html>"), Answer(500), Answer(403), Answer(429, {"Retry-After": "9999"}),
        Answer(302, {"Location": "https://192.0.2.1/x"}, b""), Answer(302, {"Location": "file:///etc/passwd"}, b""),
        Answer(cut=1), Answer(body=b" " * (17 * 2**20)), Answer(410), Answer(404), Answer(422),
    ],
)  # fmt: skip
def test_a_lie_leaves_it_unknown(hub: GitHub, tmp_path: Path, lie: object) -> None:
    said: list[str] = []
    hub.other[f"/repos/o/n/compare/{OLD}...{NEW}"] = lie
    hub.other["/repos/o/n/contents/x"] = lie
    for ask in ("compared", "file"):
        found = Lookups(tmp_path / "x.json", Transport("x", api=hub.api), said.append)
        answer = found.compared("o/n", OLD, NEW) if ask == "compared" else found.file("o/n", "x", OLD)
        assert not answer or (isinstance(answer, Between) and answer.unknown)
        assert all(line.isprintable() and len(line) < 600 for line in said)
    assert {host for host, *_ in hub.asked} == {"api"}


@pytest.mark.parametrize("version", ["", "a b", "--x", "a/../b", "a..b", "../x", "a?b", "x" * 200, "a\n"])
def test_a_version_that_is_none_is_not_asked_for(hub: GitHub, tmp_path: Path, version: str) -> None:
    found = lookups(hub, tmp_path / "x.json")
    assert found.compared("o/n", version, NEW) is None and found.file("o/n", "x", version) is None
    assert not hub.asked


def test_texts_of_commits_are_plain(hub: GitHub, tmp_path: Path) -> None:
    hub.other[f"/repos/o/n/compare/{OLD}...{NEW}"] = compared("\x1b[2Jboom\x07 [red]x")
    found = lookups(hub, tmp_path / "x.json").compared("o/n", OLD, NEW)
    assert found is not None and found.commits[0].subject.isprintable()


def test_a_damaged_file_is_asked_again(hub: GitHub, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text('{"compared": 7}')
    hub.other[f"/repos/o/n/compare/{OLD}...{NEW}"] = compared("a")
    assert lookups(hub, file).compared("o/n", OLD, NEW) is not None
    assert Lookups(file).compared("o/n", OLD, NEW) is not None, "it is known without asking"
