# SPDX-License-Identifier: Apache-2.0
"""A machine that a person has, its lease, and how such times are written."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from core.base.errors import UsageError

DEVICE_NODES: Path = Path("/dev/tenstorrent")
"""Directory in which the driver lists the devices of a machine."""


@dataclass(frozen=True, slots=True)
class Host:
    """One machine: a table `[hosts.NAME]` of the hosts file."""

    name: str
    ssh: str = ""
    """`user@host:port`, or a name of the ssh configuration; empty: it is this machine."""
    labels: tuple[str, ...] = ()
    """Its archs, and any other labels by which tests are placed."""
    slots: int = 1
    """How many device runs may run there at once."""
    python: str = ""
    """Interpreter that runs models there; empty: that of the checkout's environment."""
    checkout: str = ""
    """The directory of the checkout there; empty: not known."""
    expires: datetime | None = None
    """When the reservation ends, with its time zone. None: it does not end."""
    ssh_config: str = ""
    """A file for `ssh -F`; empty: the person's own configuration."""
    worker: str = ""
    """The interpreter there that has `ttmatrix[dask]`; empty: `python`, else `python3`."""
    reset: str = ""
    """A line of sh that resets the devices there after a run was stopped or crashed; empty: nothing is done."""

    @property
    def here(self) -> bool:
        """Whether it is this machine."""
        return not self.ssh

    def time_left(self, now: datetime) -> float | None:
        """Seconds until the reservation ends, 0 where it has ended; None: it does not end."""
        return None if self.expires is None else max(0.0, (self.expires - now).total_seconds())


@dataclass(frozen=True, slots=True)
class Lease:
    """The time until which a person has a machine."""

    host: str
    ends: datetime

    def left(self, now: datetime) -> float:
        """Seconds until it ends; 0 where it has ended."""
        return max(0.0, (self.ends - now).total_seconds())

    def fits(self, estimate: float | None, now: datetime) -> bool:
        """Whether a run of `estimate` seconds (None: unknown) ends before the lease does."""
        left = self.left(now)
        return left > 0 and (estimate is None or estimate <= left)


def lease_here(hosts: Iterable[Host]) -> Lease | None:
    """The lease of this machine; None if the hosts file names no end."""
    return next((Lease(one.name, one.expires) for one in hosts if one.here and one.expires), None)


_CLOCK = re.compile(r"(?:(\d+)-)?(\d+):(\d\d)(?::(\d\d))?")
_WORDS = re.compile(r"[\s,]*".join(rf"(?:(\d+)\s*{unit}[a-z]*)?" for unit in "dhms"), re.IGNORECASE)
_UNITS = (86_400, 3_600, 60, 1)
_MOST = 366 * 86_400
"""Seconds: nobody has a machine for longer."""


def parse_span(text: str) -> float | None:
    """Seconds of `2h30m`, `90 min`, `1-02:00:00` or `11:59:30`; None for anything else, and for more than a year."""
    text = text.strip()
    found = _CLOCK.fullmatch(text) or _WORDS.fullmatch(text)
    if found is None or not any(found.groups()):
        return None
    seconds = sum(int(number or 0) * unit for number, unit in zip(found.groups(), _UNITS, strict=True))
    return float(seconds) if seconds <= _MOST else None


def parse_end(text: str, now: datetime) -> datetime:
    """When something ends: a span from `now` on (`4h`, `1:30:00`), or a date and time of ISO 8601.

    Without a time zone, that of this machine is used. Raises UsageError for anything else, and for a time in the past.
    """
    span = parse_span(text)
    if span is not None:
        return (now + timedelta(seconds=span)).replace(microsecond=0)
    try:
        end = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"Not a time: {text}", hint="Such as 4h, 1:30:00 or 2026-11-23T18:00.") from error
    end = end.astimezone() if end.tzinfo is None else end
    if end <= now:
        raise UsageError(f"This time has passed: {text}", hint="Such as 4h, 1:30:00 or 2026-11-23T18:00.")
    return end


def time_text(seconds: float) -> str:
    """`2 d 3 h`, `3 h 5 min`, `12 min`, `40 s`: rounded down."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes = whole // 60
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"
