# SPDX-License-Identifier: Apache-2.0
"""`ird list` as hosts: its columns, known hosts, and the container itself."""

from datetime import UTC, datetime, timedelta

import pytest

from core.base.errors import TTMatrixError
from core.hosts import Host, imported, parse_reservations
from core.hosts.reservations import Reservation

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
SPACED = """\
Your reservations:

MACHINE          JOB ID   SSH PORT   DEBUDA PORT   TIME LEFT
---------------  -------  ---------  ------------  ---------
sjc-snva-t3007   3201     48396      48397         11:59:30
aus-wh-01        3202     52001      52002         1-00:00:00
"""
BOXED = """\
+----------------+--------+----------+-------------+-----------+
| Machine        | Job ID | SSH port | Debuda port | Remaining |
+----------------+--------+----------+-------------+-----------+
| sjc-snva-t3007 | 3201   | 48396    | 48397       | 11:59:30  |
| aus-wh-01      | 3202   | 52001    | 52002       | 1-00:00:00|
+----------------+--------+----------+-------------+-----------+
"""
T3007, WH01 = Reservation("sjc-snva-t3007", "3201", 48396, 43_170), Reservation("aus-wh-01", "3202", 52001, 86_400)


@pytest.mark.parametrize("text", [SPACED, BOXED])
def test_rows_are_read_by_their_columns(text: str) -> None:
    assert parse_reservations(text) == [T3007, WH01]


def test_what_is_no_list_is_said() -> None:
    with pytest.raises(TTMatrixError, match="not a list of reservations"):
        parse_reservations("ird: command not found\n")
    with pytest.raises(TTMatrixError) as caught:
        parse_reservations(SPACED.replace("48396", "none "))
    assert "line 5" in caught.value.detail
    assert parse_reservations(SPACED[: SPACED.index("sjc")]) == []


def test_new_hosts_and_known_ones() -> None:
    known = Host("mine", "me@aus-wh-01:52001", ("n150",), slots=2, checkout="/c", expires=NOW)
    first, second = imported([known], [T3007, WH01], NOW, user="you", labels=["t3k"])
    assert first == Host(
        "sjc-snva-t3007", "you@sjc-snva-t3007:48396", ("t3k",), expires=NOW + timedelta(seconds=43_170)
    )
    assert second.expires == NOW + timedelta(days=1)
    assert (second.name, second.ssh, second.labels, second.checkout) == ("mine", known.ssh, ("n150",), "/c")


def test_two_reservations_of_one_machine_are_two_hosts() -> None:
    again = Reservation(T3007.machine, "3300", 48400, None)
    assert [one.name for one in imported([], [T3007, again], NOW)] == ["sjc-snva-t3007", "sjc-snva-t3007-3300"]


def test_inside_its_container_a_reservation_is_this_machine() -> None:
    inside = "sjc-snva-t3007-special-me-for-reservation-3201"
    first, _ = imported([], [T3007, WH01], NOW, here=inside)
    assert first.here and first.expires
    own = Host("box", labels=("n150",))
    assert imported([own], [T3007], NOW, here=inside)[0].name == "box"
