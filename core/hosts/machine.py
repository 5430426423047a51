# SPDX-License-Identifier: Apache-2.0
"""Until when a person has the machine that we are on."""

from contextlib import suppress
from pathlib import Path

from core import hosts
from core.errors import TTMatrixError
from core.files import Stamp, stamp
from core.hosts.model import Lease


class MachineLease:
    """The lease of this machine, by the hosts file, which is read again when it has changed."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._seen: Stamp | None = None
        self._lease: Lease | None = None

    def look(self) -> Lease | None:
        """None: it does not end. While the file is wrong, the last end that is known holds; commands report it."""
        try:
            seen = stamp(self._file)
        except OSError:
            self._seen = self._lease = None
            return None
        if seen != self._seen:
            self._seen = seen
            with suppress(TTMatrixError):
                self._lease = hosts.lease_here(hosts.read_hosts(self._file))
        return self._lease
