# SPDX-License-Identifier: Apache-2.0
"""The hosts file as it is now, and the lease of this machine."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from core import hosts
from core.base.errors import TTMatrixError
from core.base.files import Stamp, stamp
from core.hosts.model import Host, Lease


class HostsFile:
    """The hosts of the hosts file, which is read again when it changes."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._seen: Stamp | None = None
        self._hosts: dict[str, Host] = {}

    def look(self) -> Mapping[str, Host]:
        """By name, in the order of the file. While the file is invalid, the last known hosts remain."""
        try:
            seen = stamp(self._file)
        except OSError:
            self._seen, self._hosts = None, {}
            return self._hosts
        if seen != self._seen:
            self._seen = seen
            with suppress(TTMatrixError):
                self._hosts = {one.name: one for one in hosts.read_hosts(self._file)}
        return self._hosts

    def ending(self, needs: str, estimate: float | None, now: datetime) -> tuple[str, ...]:
        """The machines that a run could use, if all their leases are too short for it; else none.

        `needs` is a label or name, empty for this machine; `estimate` is in seconds, None where it is not known.
        """
        able = [one for one in self.look().values() if (needs in (one.name, *one.labels) if needs else one.here)]
        if any(one.expires is None or Lease(one.name, one.expires).fits(estimate, now) for one in able):
            return ()
        return tuple(one.name for one in able)

    def lease(self) -> Lease | None:
        """The lease of this machine; None: it does not end."""
        return hosts.lease_here(self.look().values())
