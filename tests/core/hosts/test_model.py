# SPDX-License-Identifier: Apache-2.0
"""Ends of reservations: how they are written, and which runs still fit."""

from datetime import UTC, datetime, timedelta

import pytest

from core.base.errors import UsageError
from core.hosts import Host, Lease, lease_here, parse_end, time_text
from core.hosts.model import parse_span

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("4h", 14_400), ("2h30m", 9_000), ("90 min", 5_400), ("1 day, 2 hours", 93_600), ("45s", 45),
        ("11:59:30", 43_170), ("1:30", 5_400), ("1-02:00:00", 93_600), ("0:00:00", 0),
        ("", None), ("soon", None), ("4", None), ("9999-00:00:00", None), ("h", None),
    ],
)  # fmt: skip
def test_spans(text: str, seconds: float | None) -> None:
    assert parse_span(text) == seconds


def test_ends() -> None:
    assert parse_end("4h", NOW) == NOW + timedelta(hours=4)
    assert parse_end("2026-11-23T18:00:00Z", NOW) == datetime(2026, 11, 23, 18, tzinfo=UTC)
    for text in ("soon", "2026-11-23T11:00:00Z"):
        with pytest.raises(UsageError):
            parse_end(text, NOW)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59.9, "59 s"), (60, "1 min"), (3_599, "59 min"), (3_600, "1 h"), (11_100, "3 h 5 min"),
     (86_400, "1 d"), (97_200, "1 d 3 h")],
)  # fmt: skip
def test_time_left_is_never_more_than_there_is(seconds: float, text: str) -> None:
    assert time_text(seconds) == text


def test_what_fits_in() -> None:
    lease = Lease("here", NOW + timedelta(minutes=10))
    assert lease.fits(600, NOW) and not lease.fits(601, NOW)
    assert lease.fits(None, NOW), "nobody knows how long it takes"
    assert not lease.fits(None, NOW + timedelta(minutes=10))


def test_the_lease_of_this_machine() -> None:
    end = NOW + timedelta(hours=1)
    assert lease_here([Host("there", "m", expires=end), Host("here")]) is None
    assert lease_here([Host("there", "m"), Host("here", expires=end)]) == Lease("here", end)
