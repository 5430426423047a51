# SPDX-License-Identifier: Apache-2.0
"""The memory of this process: its peak over one case, and a bound to what it may ask for."""

from __future__ import annotations

import resource
from contextlib import suppress
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_MARGIN = 2 << 30
"""Bytes beside the tensors of a case: compilers, stacks of threads."""


def physical_bytes() -> int:
    """The memory of the machine, or of the control group that this process is in."""
    total = _field(Path("/proc/meminfo"), "MemTotal") or 1 << 33
    with suppress(OSError, ValueError):
        # "max" where there is no limit.
        total = min(total, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return total


class Peak:
    """By how much the resident memory of this process grows at most, from now on."""

    def __init__(self) -> None:
        with suppress(OSError):
            # Resets the high-water mark (proc(5)).
            _CLEAR.write_text("5", encoding="ascii")
        self._start = _field(_STATUS, "VmRSS")

    def bytes(self) -> int | None:
        """None where the system does not tell."""
        highest = _field(_STATUS, "VmHWM")
        return max(0, highest - self._start) if highest and self._start else None


def bound(extra: int) -> None:
    """Let this process and what it starts ask for `extra` bytes more than now, and some to work with.

    An op that asks for more fails by itself, before the system has to choose what to kill.
    """
    used = _field(_STATUS, "VmData")
    if used:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        soft = used + extra + _MARGIN
        resource.setrlimit(resource.RLIMIT_DATA, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def _field(path: Path, name: str) -> int:
    """A size in bytes; 0: there is none of that name."""
    with suppress(OSError):
        for line in path.read_text(encoding="ascii").splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return 0
