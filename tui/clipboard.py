# SPDX-License-Identifier: Apache-2.0
"""Keeps what was copied in a file: over ssh and tmux the terminal often does not pass a copy on."""

from pathlib import Path

from core.errors import TTMatrixError
from core.files import atomic_write


def keep_copy(cache: Path, text: str) -> Path:
    """Write `text` to the file of the last copy below `cache`; returns that file.

    Raises TTMatrixError where it cannot be written.
    """
    kept = cache / "clip.txt"
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TTMatrixError(f"Cannot make {cache}", error.strerror or str(error)) from error
    atomic_write(kept, text)
    return kept
