# SPDX-License-Identifier: Apache-2.0
"""What the app is asked to open, and who opens it."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class AppRequest(NamedTuple):
    """What the app is to be opened on."""

    repo: Path | None
    """None: the nearest checkout upward from the current directory."""
    arch: str = ""
    query: str = ""


OpenApp = Callable[[AppRequest], int]
"""Opens the app and returns its exit code; given from outside, because core knows no front end."""
