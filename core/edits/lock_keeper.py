# SPDX-License-Identifier: Apache-2.0
"""Runs beside a commit. If its ttmatrix is killed, the lock on git's index is removed as soon as its gits are done.

A program of its own, of the standard library alone, so that it starts at once. Arguments: the process id of its parent,
the mark of the scratch directory, and the lock, which is another name of that mark. The rest is left to the next
ttmatrix.
"""

import fcntl
import os
import select
import sys

_POLL_SECONDS = 0.05


def wait_for_end(parent: int) -> None:
    """Return once the process that started us has ended."""
    try:
        if os.getppid() == parent:
            select.select([os.pidfd_open(parent)], [], [])
    except (OSError, AttributeError):
        # An older system: a process that loses its parent gets another one.
        while os.getppid() == parent:
            select.select([], [], [], _POLL_SECONDS)


def remove(mark: str, lock: str) -> None:
    """Remove `lock` if it is `mark`, once nobody holds that: neither the killed process nor a git that it started."""
    descriptor = os.open(mark, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    if os.path.samestat(os.lstat(lock), os.fstat(descriptor)):
        os.unlink(lock)  # noqa: PTH108


if __name__ == "__main__":
    wait_for_end(int(sys.argv[1]))
    try:
        remove(*sys.argv[2:])
    except OSError:
        # It is gone, or is none that can be proven to be ours.
        sys.exit()
