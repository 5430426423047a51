# SPDX-License-Identifier: Apache-2.0
"""`report`: finds exactly what was planted; the page loads nothing, even with names that contain markup."""

import time
from pathlib import Path
from typing import Any

import pytest

from core.base.settings import paths
from core.evidence import Ending, Observation
from core.evidence.reports import Setting, observe_cases
from core.sources import Checkout
from tests.support.browser import browser, open_page
from tests.support.cli import call
from tests.support.evidence import TEST_ID, observed
from tests.support.git import committed_checkout
from tests.support.planted import BAD_HOST, Nights, differences, planted_checkout
from tests.support.reports import keep
from tests.support.tree import sample

NIGHTS = 100


@pytest.fixture
def planted(tmp_path: Path) -> tuple[Checkout, Nights]:
    return planted_checkout(tmp_path / "c", NIGHTS)


def test_exactly_what_was_planted(planted: tuple[Checkout, Nights]) -> None:
    checkout, made = planted
    argv = "report", "--since", NIGHTS + 5, "--json", "--repo", checkout.root
    assert [one["host"] for one in call(*argv).json["hosts"] if one["suspect"]] == [BAD_HOST]
    alone = call(*argv, "--without-host", BAD_HOST).json
    assert differences(made, alone) == {}
    assert [one["host"] for one in alone["hosts"] if one["suspect"]] == [BAD_HOST]
    paths().policy_file.parent.mkdir(parents=True, exist_ok=True)
    paths().policy_file.write_text(f'ignored_hosts = ["{BAD_HOST}"]\n')
    found = call(*argv).json
    assert differences(made, found) == {}
    assert found["without_hosts"] == [BAD_HOST]
    assert found["total"]["ran"][-1] == sum(one["ran"][-1] for one in found["archs"]) > 0
    assert len(found["total"]["weeks"]) == -(-len(found["days"]) // 7)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = committed_checkout(sample(tmp_path / "tt-xla"))
    now, hostile = time.time(), "nightly|`<script>alert(1)</script>"
    rows = []
    for night in range(8):
        ending = Ending.FAILED if night > 5 else Ending.PASSED
        place: dict[str, Any] = {"when": now - (8 - night) * 86_400, "run": f"{hostile}{night}", "host": "<b>f10"}
        rows.append(observed(ending, test_id=TEST_ID, **place))
    keep(checkout, rows)
    return checkout


def test_markdown(checkout: Checkout) -> None:
    text = call("report", "--repo", checkout.root, "--by", "group").out
    (line,) = [line for line in text.splitlines() if line.startswith("| **broke** | n150 | alpha/")]
    assert "nightly\\|\\`&lt;script>alert(1)&lt;/script>6" in line
    assert "8 results of 8 runs" in text and "75.0% passed" not in text
    assert "<" not in text.replace("&lt;", "")
    assert "## Entries by status, from git" in text


def test_op_cases_have_a_series_over_nights(checkout: Checkout) -> None:
    now = time.time()
    rows: list[Observation] = []
    for night, status in enumerate(("pass", "fail")):
        setting = Setting(run=f"ops-{night}", when=now - (2 - night) * 86_400, job=f"ops-{night}", commit="c")
        documents = [
            {"id": f"m::{name}", "status": word, "backend": "eager", "key": "k", "seconds": {}}
            for name, word in (("a", "pass"), ("b", status))
        ]
        rows += observe_cases(documents, setting)
    keep(checkout, rows)
    (found,) = call("report", "--json", "--repo", checkout.root).json["ops"]
    assert found["backend"] == "eager"
    assert [(one["ran"], one["passed"]) for one in found["nights"]] == [(2, 2), (2, 1)]
    text = call("report", "--repo", checkout.root).out
    assert "## Op tests by night" in text
    assert "| eager | 2 of 2 | 1 of 2 |" in text
    assert "Op tests by night" in call("report", "--format", "html", "--repo", checkout.root).out


def test_without_results_it_says_what_to_do(tmp_path: Path) -> None:
    called = call("report", "--repo", sample(tmp_path / "tt-xla").root)
    assert called.code == 0
    assert "No results from" in called.out and "ttmatrix ingest --from-github" in called.err
    assert "No burn-down of entries" in called.err


def test_the_page_names_no_address(checkout: Checkout, tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    assert call("report", "--format", "html", "-o", page, "--repo", checkout.root).code == 0
    text = page.read_text()
    assert "<script" not in text and "http://" not in text and "https://" not in text and "url(" not in text
    assert "&lt;script&gt;alert(1)" in text and "&lt;b&gt;f10" in text


@pytest.mark.skipif(not browser(), reason="no Chromium is installed")
async def test_a_browser_shows_the_page_and_loads_nothing(checkout: Checkout, tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    call("report", "--format", "html", "-o", page, "--repo", checkout.root)
    async with open_page(page.as_uri(), 1000, 1200) as shown:
        await shown.until_loaded()
        text = await shown.value("document.body.innerText")
        lines = await shown.value("document.querySelectorAll('svg polyline').length")
        loaded = await shown.value("performance.getEntriesByType('resource').length")
        wide = await shown.value("document.documentElement.scrollWidth - window.innerWidth")
        assert shown.problems == []
    assert "nightly|`<script>alert(1)</script>6" in text and "Changed in the last week" in text
    assert (lines >= 2, loaded, wide <= 0) == (True, 0, True)
