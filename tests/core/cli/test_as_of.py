# SPDX-License-Identifier: Apache-2.0
"""`--as-of`: what would have been said on that day, which is what was said when there was nothing later."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.base.settings import HOME_VARIABLE, paths
from core.cli.arguments import moment
from core.domain.model import BringupStatus, Status
from core.evidence import Ending, Observation
from core.sources import Checkout
from tests.support.cli import call
from tests.support.evidence import seen
from tests.support.git import committed_checkout
from tests.support.reports import keep
from tests.support.tree import sample

TINY, NET = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug"))
TRAIN = "alpha/pytorch-tiny-single_device-training"
FIRST = datetime(2026, 11, 1, 2, tzinfo=UTC).timestamp()
DAY = 86_400.0
NIGHTS = 6
COMMANDS = (
    ("verdicts", "--json"),
    ("verdicts", "turned:broke", "--json"),
    ("verdicts", "failed_on:host", "--json"),
    ("propose", "--json"),
    ("since", TINY, "--json"),
    ("since", TRAIN, "--json"),
    ("report", "--json", "--since", "30"),
)


def _night(at: int) -> Iterator[Observation]:
    """Each night is another one: what passes fails from the fourth on, and what fails passes from the third on."""
    run: dict[str, Any] = {
        "run": f"nightly-{at}",
        "when": FIRST + at * DAY,
        "host": f"host-{at % 3}",
        "job": "n150-job",
    }
    oom: dict[str, Any] = {"ending": Ending.FAILED, "reason": "DRAM OOM", "stage": BringupStatus.FAILED_RUNTIME}
    yield seen(test_id=TINY, pcc=0.995, **(run | (oom if at >= 4 else {})))
    yield seen(test_id=TRAIN, expected=Status.KNOWN_FAILURE_XFAIL, **(run | (oom if at < 3 else {})))
    if at != 5:
        yield seen(test_id=NET, pcc=0.999 - at / 1000, **run)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"{FIRST - 3 * DAY:.0f} +0000")
    return committed_checkout(sample(tmp_path / "tt-xla"))


def _said(checkout: Checkout, *more: str) -> list[Any]:
    return [call(*command, *more, "--repo", checkout.root).json for command in COMMANDS]


@pytest.mark.parametrize("known", range(NIGHTS + 1))
def test_later_results_change_nothing(
    known: int, checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = datetime.fromtimestamp(FIRST + (known - 1) * DAY, UTC).date().isoformat()
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "then"))
    for at in range(known):
        keep(checkout, [*_night(at)])
    then = _said(checkout, "--as-of", day)
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "now"))
    for at in range(NIGHTS):
        keep(checkout, [*_night(at)])
    assert _said(checkout, "--as-of", day) == then
    if known:
        assert then != _said(checkout, "--as-of", "2026-10-01"), "it depends on the day"


def test_no_clock_is_read_behind_it(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(NIGHTS):
        keep(checkout, [*_night(at)])
    now = _said(checkout, "--as-of", "2026-11-06")
    for clock in (FIRST + 400 * DAY, FIRST - 400 * DAY):
        monkeypatch.setattr("time.time", lambda clock=clock: clock)
        assert _said(checkout, "--as-of", "2026-11-06") == now


def test_ages_and_grace_follow_it(checkout: Checkout) -> None:
    for at in range(NIGHTS):
        keep(checkout, [*_night(at)])

    def proposed(day: str, *query: str) -> dict[str, int]:
        made = call("propose", *query, "--json", "--as-of", day, "--repo", checkout.root).json
        return {one["id"]: one["grade"] for one in made}

    # The entries are from three days before the first night: seven days later they are no longer young.
    assert proposed("2026-11-04")[TRAIN] == 1
    assert proposed("2026-11-06")[TRAIN] > 1
    assert proposed("2026-11-06", "age:<5d") == {}
    assert TRAIN in proposed("2026-11-06", "age:>5d")


def test_before_the_first_result_nothing_is_known(checkout: Checkout) -> None:
    keep(checkout, [*_night(0)])
    day = ("--as-of", "2026-10-31", "--repo", checkout.root)
    assert call("propose", "--json", *day).json == []
    assert "No results until 2026-10-31" in call("verdicts", *day).err
    assert call("since", TINY, "--json", *day).json["cells"] == []
    assert "0 results" in call("report", *day).err


def test_a_day_is_whole_and_in_utc() -> None:
    assert datetime.fromtimestamp(moment("2026-11-21"), UTC).isoformat() == "2026-11-21T23:59:59.999000+00:00"
    assert moment("2026-11-21T06:00") == moment("2026-11-21T08:00+02:00") == moment("2026-11-21 06:00Z")
    assert moment("20261121") == moment("2026-11-21")
    assert moment("9999-12-31") > moment("9999-12-01"), "no calendar ends"


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01", "2026-11-21T25:00", "", "0", "2026-11-21T06:00+99:00"])
def test_what_is_no_date_is_refused(text: str, checkout: Checkout) -> None:
    for command in (("verdicts",), ("propose",), ("since", TINY), ("report",), ("ingest", "x")):
        called = call(*command, "--as-of", text, "--repo", checkout.root)
        assert called.code == 64
        assert "2026-11-21T06:00 (UTC)" in called.err


def test_a_day_to_come_is_named(checkout: Checkout) -> None:
    keep(checkout, [*_night(0)])
    called = call("propose", "--as-of", "9999-01-01", "--json", "--repo", checkout.root)
    assert (called.code, "9999-01-01 is in the future: ages are counted to it" in called.err) == (0, True)
    assert "in the future" not in call("verdicts", "--as-of", "2026-11-02", "--repo", checkout.root).err


def test_reports_of_later_days_stay_out_and_can_be_added_later(checkout: Checkout, tmp_path: Path) -> None:
    for day in (2, 3):
        file = tmp_path / "nights" / f"nightly-{day}" / "report.xml"
        file.parent.mkdir(parents=True)
        tags = "{'arch': 'n150', 'bringup_status': 'PASSED', 'model_test_status': 'ModelTestStatus.EXPECTED_PASSING'}"
        case = f'<testcase classname="t" name="test_all_models_torch[{TINY}]" time="1"><properties>'
        case += f'<property name="tags" value="{tags}"/></properties></testcase>'
        stamp = f'timestamp="2026-11-{day:02}T23:30:00-02:00" hostname="f{day}"'
        file.write_text(f'<testsuites><testsuite name="pytest" {stamp}>{case}</testsuite></testsuites>')
    repo = ("--repo", checkout.root)
    found = call("ingest", tmp_path / "nights", "--as-of", "2026-11-03", "--json", *repo).json
    assert (found["files"], found["new"], found["later"]) == (2, 1, 1)
    assert call("ingest", tmp_path / "nights", "--json", *repo).json["new"] == 1
    assert call("ingest", "--from-github", "--as-of", "2026-11-03", *repo).code == 64


def test_an_issue_that_was_closed_later_was_open(checkout: Checkout, tmp_path: Path) -> None:
    keep(checkout, [*_night(0)])
    operations = tmp_path / "operations.json"
    operations.write_text(json.dumps([{"op": "set", "id": NET, "path": ["required_pcc"], "value": 0.5}]))
    call("edit", "--apply", operations, "--write", "--restore-when-closed", "7", "--repo", checkout.root)
    file = paths().issues_file
    file.parent.mkdir(parents=True, exist_ok=True)
    one = {"issue": "tenstorrent/tt-xla#7", "state": "closed", "closed": "2026-11-05", "asked": "2026-11-20"}
    file.write_text(json.dumps([one]))
    for day, said in (("2026-11-04", False), ("2026-11-05", True)):
        called = call("propose", "--as-of", day, "--repo", checkout.root)
        assert ("tt-xla#7" in called.out + called.err) is said
