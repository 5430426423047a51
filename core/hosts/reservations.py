# SPDX-License-Identifier: Apache-2.0
"""The reservations that `ird list` prints, each with machine, ssh port and time left, converted to hosts."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from core.base.errors import TTMatrixError
from core.hosts.model import Host, parse_span

_NEEDED = ("machine", "job", "ssh")
_RULE = re.compile(r"[\s|+─│┼═=-]*")
_COLUMN = re.compile(r"\s*[|│]\s*")
_GAP = re.compile(r"\s{2,}|\t")
_HINT = "It needs the columns MACHINE, JOB ID and SSH PORT, as `ird list` prints them."


@dataclass(frozen=True, slots=True)
class Reservation:
    """One row of `ird list`."""

    machine: str
    job: str
    port: int
    left: float | None
    """Seconds; None: not reported."""

    @property
    def container(self) -> str:
        """The suffix of the machine name inside its container."""
        return f"-for-reservation-{self.job}"


def parse_reservations(text: str) -> list[Reservation]:
    """The rows after the line of column names. Raises TTMatrixError with the line for a row without them."""
    found: list[Reservation] = []
    columns: list[str] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if _RULE.fullmatch(line):
            continue
        cells = _cells(line)
        if columns is None:
            names = [_meaning(cell) for cell in cells]
            columns = names if all(one in names for one in _NEEDED) else None
            continue
        found.append(_reservation(dict(zip(columns, cells, strict=False)), number))
    if columns is None:
        raise TTMatrixError("This is not a list of reservations", "No line has its column names.", _HINT)
    return found


def _cells(line: str) -> list[str]:
    if "|" in line or "│" in line:
        return _COLUMN.split(line.strip().strip("|│").strip())
    return _GAP.split(line.strip())


def _meaning(cell: str) -> str:
    """The column that a heading means; empty: one that is not needed."""
    words = cell.lower().replace("_", " ")
    for sign in ("machine", "job", "ssh", "left", "remaining"):
        if sign in words:
            return "left" if sign == "remaining" else sign
    return ""


def _reservation(row: Mapping[str, str], number: int) -> Reservation:
    machine, job, port = (row.get(name, "").strip() for name in _NEEDED)
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", machine) or not job.isdecimal() or not port.isdecimal():
        raise TTMatrixError(
            "Cannot read this reservation", f"line {number}: machine {machine!r}, job {job!r}, ssh port {port!r}", _HINT
        )
    return Reservation(machine, job, int(port), parse_span(row.get("left", "")))


def imported(
    hosts: Iterable[Host],
    reservations: Iterable[Reservation],
    now: datetime,
    *,
    user: str = "",
    labels: Sequence[str] = (),
    here: str = "",
) -> list[Host]:
    """The hosts for reservations: known ones with their new end, and new ones.

    `user` logs in to new hosts, which get `labels`; `here` is the name of this machine.
    """
    known = {one.ssh.rpartition("@")[2]: one for one in hosts if one.ssh}
    local = next((one for one in hosts if one.here), None)
    names = {one.name for one in hosts}
    found = []
    for one in reservations:
        expires = None if one.left is None else (now + timedelta(seconds=one.left)).replace(microsecond=0)
        address = f"{one.machine}:{one.port}"
        host = known.get(address)
        if here.endswith(one.container):
            host = local or host
        if host is None:
            name = one.machine if one.machine not in names else f"{one.machine}-{one.job}"
            ssh = "" if here.endswith(one.container) else f"{user}@{address}" if user else address
            host = Host(name, ssh, tuple(labels))
        names.add(host.name)
        found.append(replace(host, expires=expires or host.expires))
    return found
