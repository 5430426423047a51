# SPDX-License-Identifier: Apache-2.0
"""Machines as rows and as a text."""

import socket
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.base.processes import own_identity
from core.hosts import Host, HostReport
from core.hosts.check import Finding
from core.runs.cluster import ClusterStatus, HostState, HostStatus
from core.runs.store import Queued, RunRecord, Started
from core.runs.store.record import Presence, fold
from tests.core.runs.conftest import MakeSpec, make_spec  # noqa: F401 - a fixture
from tui.view_models import HostView, host_news, host_rows, host_text, host_views, hosts_words, leases_words
from tui.view_models.hosts import lease_bar
from tui.view_models.runs import run_rows

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


def cluster(*hosts: HostStatus) -> ClusterStatus:
    return ClusterStatus(own_identity(), hosts)


def shown(views: Sequence[HostView]) -> list[list[str]]:
    rows = host_rows(views, NOW)
    return [["".join(cell.text for cell in cells) for cells in rows.cells(at)] for at in range(len(rows))]


@pytest.fixture
def records(make_spec: MakeSpec) -> list[RunRecord]:  # noqa: F811
    """One runs on a host, one here, one waits for the label of both hosts."""
    there, here, waiting = make_spec(), make_spec(moment=1), replace(make_spec(moment=2), needs="n150")
    began = Started(NOW.timestamp() - 60, own_identity(), ("true",))
    watched = Presence(watched=True)
    return [
        fold(there, Path(), [replace(began, place="a")], watched),
        fold(here, Path(), [began], watched),
        fold(waiting, Path(), [Queued(1.0, "h", "b")], watched),
    ]


def test_rows_have_slots_leases_and_runs(records: list[RunRecord]) -> None:
    hosts = [
        Host("a", "a", labels=("n150",), slots=2, expires=NOW + timedelta(hours=3, minutes=30)),
        Host("b", "b", labels=("n150",), slots=9, expires=NOW),
    ]
    mine, theirs = records[0].spec.run_id, "20260101-000000-000000"
    status = cluster(
        HostStatus("a", HostState.UP, "", 0.0, 2, (mine, theirs)), HostStatus("b", HostState.LOST, "cut", 0.0, 1)
    )
    views = host_views(hosts, status, records)
    test = records[0].spec.test_id
    assert shown(views) == [
        ["here", "here", "1 run", "", "", test],
        ["a", "up", "■■ 2/2", "███▌     3 h 30 min", "n150", f"{test}, 1 run of another queue"],
        ["b", "lost", "0/9", "         over", "n150", "cut"],
    ]
    assert hosts_words(status) == "hosts: 1 up, 1 lost"
    assert hosts_words(status, short=True) == "2 hosts, 1 lost"
    assert hosts_words(cluster()) == hosts_words(cluster(), short=True) == ""
    assert [view.waiting for view in views] == [0, 1, 1]


def test_this_machine_has_the_name_that_the_file_gives_it(records: list[RunRecord]) -> None:
    (view,) = host_views([Host("box", labels=("n150",))], None, records)
    assert (view.host.name, view.state, len(view.runs), view.waiting) == ("box", "here", 1, 1)


def test_this_machine_is_described_as_others_are(records: list[RunRecord]) -> None:
    there, here, _ = records
    (nothing,) = host_views([], None, [there])
    assert host_text(nothing, None, 0.0).plain.splitlines() == [
        "here  this machine",
        "runs        nothing",
        f"host name   {socket.gethostname()}",
    ]
    (busy,) = host_views([Host("box", labels=("n150", "fast"), slots=2)], None, [here])
    name, runs, *facts = host_text(busy, None, NOW.timestamp()).plain.splitlines()
    assert name == "box  this machine"
    assert runs.startswith(f"runs        {here.spec.test_id}")
    assert facts == [f"host name   {socket.gethostname()}", "labels      n150, fast", "slots       2"]


@pytest.mark.parametrize(
    ("seconds", "bar"), [(1, "▏"), (450, "▏"), (451, "▎"), (3600, "█"), (8 * 3600, "████████"), (9e9, "████████")]
)
def test_a_cell_of_the_bar_is_an_hour(seconds: float, bar: str) -> None:
    assert lease_bar(seconds) == bar.ljust(8)


def test_a_person_hears_of_hosts_that_go_and_come() -> None:
    def in_state(state: HostState, why: str = "") -> ClusterStatus:
        return cluster(HostStatus("a", state, why, 0.0, 1))

    up, lost = in_state(HostState.UP), in_state(HostState.LOST, "the link is gone")
    assert list(host_news(up, lost)) == ["a is lost: the link is gone. Its runs go elsewhere, or wait."]
    assert list(host_news(lost, up)) == ["a is up again."]
    assert list(host_news(in_state(HostState.CONNECTING), up)) == list(host_news(None, lost)) == []
    assert list(host_news(up, up)) == list(host_news(up, None)) == []


def test_the_text_has_the_reason_the_remedy_and_the_check(records: list[RunRecord]) -> None:
    host = Host("a", "me@a", checkout="/there", reset="tt-smi -r")
    status = cluster(HostStatus("a", HostState.REFUSED, "no distributed", 0.0, 1, remedy="Install it"))
    view = host_views([host], status, records)[1]
    report = HostReport("a", (Finding("ssh", True, "box"), Finding("disk", False, "1 GiB free", "Remove some")))
    text = host_text(view, report, NOW.timestamp()).plain
    for words in (
        "no distributed",
        "what helps  Install it",
        "/there",
        "tt-smi -r",
        "no  disk    1 GiB free",
        "Remove some",
    ):
        assert words in text
    assert "nothing is missing" in host_text(view, HostReport("a", ()), 0.0).plain


def test_runs_say_their_host_where_one_went_elsewhere(records: list[RunRecord]) -> None:
    titles = [column.title for column in run_rows(records).columns]
    assert "host" in titles
    cells = run_rows(records).cells(0)
    assert len(cells) == len(titles) and cells[titles.index("host")][0].text == "a"
    assert "host" not in [column.title for column in run_rows(records[1:]).columns]


def test_the_title_has_the_lease_that_ends_first_and_every_warning() -> None:
    soon, later = NOW + timedelta(minutes=20), NOW + timedelta(hours=2)
    hosts = [Host("box", expires=later), Host("a", "a", expires=soon), Host("down", "down", expires=soon)]
    assert leases_words(hosts, None, NOW) == ("2 h left", ())
    status = cluster(HostStatus("a", HostState.UP, "", 0.0, 1))
    title, warnings = leases_words(hosts, status, NOW)
    assert title == "! a: 20 min left" and [one.split(" ends")[0] for one in warnings] == ["The lease of a"]
    title, warnings = leases_words(hosts, status, soon)
    assert title == "1 h 40 min left" and "No run starts there any more" in warnings[0]
    assert leases_words([], None, NOW) == ("", ())
