# SPDX-License-Identifier: Apache-2.0
"""The umask of this process, and the one that the person had set before."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

_masks: list[int] = []
"""The umask that the person had set, once this process has changed it; else empty."""


def restrict(mask: int) -> None:
    """Set the umask of this process from now on."""
    before = os.umask(mask)
    _masks[:] = _masks or [before]


def persons_mask() -> int | None:
    """The umask that the person set, for files that others may read; None: the process has not changed it."""
    return _masks[0] if _masks else None


@contextmanager
def for_others() -> Iterator[None]:
    """Create files in the block with the person's own umask."""
    mask = persons_mask()
    if mask is None:
        yield
        return
    own = os.umask(mask)
    try:
        yield
    finally:
        os.umask(own)
