# SPDX-License-Identifier: Apache-2.0
"""The memory of this process: its peak during one case, and a limit on its allocations."""

from __future__ import annotations

import resource
from contextlib import suppress
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_MARGIN = 2 << 30
"""Bytes allowed in addition to the tensors of a case: for compilers, thread stacks."""


def physical_bytes() -> int:
    """The memory of the machine, or of the control group of this process."""
    total = _field(Path("/proc/meminfo"), "MemTotal") or 1 << 33
    with suppress(OSError, ValueError):
        # The file says "max" if there is no limit.
        total = min(total, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return total


class Peak:
    """Measures the peak growth of this process's resident memory from now on."""

    def __init__(self) -> None:
        with suppress(OSError):
            # Resets the high-water mark (proc(5)).
            _CLEAR.write_text("5", encoding="ascii")
        self._start = _field(_STATUS, "VmRSS")

    def bytes(self) -> int | None:
        """The peak growth; None if the system does not report it."""
        highest = _field(_STATUS, "VmHWM")
        return max(0, highest - self._start) if highest and self._start else None


def bound(extra: int) -> None:
    """Let this process and its children allocate `extra` bytes more than now, plus some working memory.

    An op that allocates more fails by itself, before the system must choose a process to kill.
    """
    used = _field(_STATUS, "VmData")
    if used:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        soft = used + extra + _MARGIN
        resource.setrlimit(resource.RLIMIT_DATA, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def _field(path: Path, name: str) -> int:
    """A size in bytes; 0: no field of that name."""
    with suppress(OSError):
        for line in path.read_text(encoding="ascii").splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return 0
