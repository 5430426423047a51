# SPDX-License-Identifier: Apache-2.0
"""Ties between a process and those that it forks, which only Linux knows."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

# From linux/prctl.h.
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36

_libc = ctypes.CDLL(None)
"""Loaded before any fork: in a child, the lock of the loader may never be free."""


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when `parent`, which has forked it, ends; it may have ended already."""
    if not sys.platform.startswith("linux"):
        return
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def adopt_orphans(adopt: bool) -> None:
    """Whether descendants of this process whose parent ends become its children, not those of init."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0)
