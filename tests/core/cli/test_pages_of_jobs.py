# SPDX-License-Identifier: Apache-2.0
"""What is claimed of a test carries the page of the job that the claim rests on; text from outside makes no link."""

from pathlib import Path

import pytest

from core.base.text import is_page
from core.evidence import page_of
from core.sources import Checkout
from tests.support.ci_night import Night, ingest
from tests.support.cli import call
from tests.support.evidence import seen
from tests.support.git import committed_checkout, git
from tests.support.github_server import GitHub, reached
from tests.support.tree import sample

hub = pytest.fixture(reached)
ID = "alpha/pytorch-tiny-single_device-inference"
RUNS = "https://github.com/team/tt-xla/actions/runs"
FIRST, LAST = f"{RUNS}/21/job/21001", f"{RUNS}/22/job/22001"


@pytest.fixture
def checkout(hub: GitHub, tmp_path: Path) -> Checkout:
    """Three nights of a test: it passes, then it fails twice."""
    found = sample(tmp_path / "tt-xla")
    for number, ending in ((20, "pass"), (21, "RuntimeError: boom"), (22, "RuntimeError: boom")):
        Night(hub, number).models("n150", {ID: ending})
    ingest(found)
    return found


def test_since_names_the_job_in_which_it_began(checkout: Checkout) -> None:
    (cell,) = call("since", ID, "--json", "--repo", checkout.root).json["cells"]
    assert cell["since"]["url"] == cell["first_bad"]["url"] == FIRST
    assert cell["last_good"]["url"] == f"{RUNS}/20/job/20001"
    said = call("since", ID, "--repo", checkout.root)
    assert FIRST in said.out + said.err


def test_a_cluster_names_its_newest_job(checkout: Checkout) -> None:
    (cluster,) = call("clusters", "--json", ID, "--repo", checkout.root).json
    assert cluster["url"] == cluster["members"][0]["seen"]["url"] == LAST
    assert f"newest job: {LAST}" in call("clusters", "--cluster", "boom", "--repo", checkout.root).out


def test_show_names_the_newest_job(checkout: Checkout) -> None:
    assert f"    {LAST}\n" in call("show", ID, "--repo", checkout.root).out


def test_compare_names_both_jobs(checkout: Checkout) -> None:
    found = call("compare", "--json", "nightly-21", "nightly-22", "--repo", checkout.root).json
    (one,) = found["differences"]
    assert (one["before"]["url"], one["after"]["url"]) == (FIRST, LAST)


def test_a_report_leads_to_the_job_in_which_a_cell_turned(checkout: Checkout) -> None:
    words = "report", "--as-of", "2026-11-23", "--repo", checkout.root
    (turned,) = call(*words, "--format", "json").json["turned"]
    assert turned["url"] == FIRST
    assert f"| [nightly-21]({FIRST}) |" in call(*words).out
    assert f'<a href="{FIRST}">nightly-21</a>' in call(*words, "--format", "html").out


def test_a_commit_and_a_pull_request_cite_the_job(checkout: Checkout, tmp_path: Path) -> None:
    committed_checkout(checkout)
    file = tmp_path / "p.json"
    assert call("propose", ID, "-o", file, "--repo", checkout.root).code == 0
    assert FIRST in file.read_text()
    done = call("apply", file, "--commit", "--no-verify-config", "--grade", "any", "--repo", checkout.root)
    assert done.code == 0, done.err
    assert f"job: {FIRST}" in git(checkout.root, "log", "-1", "--format=%b")
    assert FIRST in call("pr", "HEAD", "--repo", checkout.root).out


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "http://example.org/x",
        'https://example.org/"onclick="x',
        "https://example.org/x) [y](https://example.org",
        "https://example.org/x\n# y",
        "https://example.org",
    ],
)
def test_no_other_text_becomes_a_link(address: str) -> None:
    assert not is_page(address)
    assert is_page("https://github.com/o/n/actions/runs/1/job/2#step:8:12")


def test_the_newest_known_job_comes_before_a_newer_run_without_one() -> None:
    old = seen(when=1.0, source=f"{RUNS}/1/nightly-1/test-reports-x-7.zip!report_7.xml")
    new = seen(when=2.0, source=f"{RUNS}/2/nightly-2/some.zip!report.xml")
    assert page_of([new, old]).url == f"{RUNS}/1/job/7"
    assert page_of([new]).url == f"{RUNS}/2"
    assert "files" in page_of([seen(source="/tmp/report.xml")]).why
    assert "no report" in page_of([]).why
