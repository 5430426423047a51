# SPDX-License-Identifier: Apache-2.0
"""A models tree of one loader, and what that fetches."""

from pathlib import Path
from typing import Protocol

import pytest

from core.sources.downloads import Fetched, fetched_by

DIRECTORY = "some/pytorch"


class Fetch(Protocol):
    """Writes a loader and modules beside it, by path below the models tree, and asks what it fetches."""

    def __call__(self, source: str, variant: str = "", files: dict[str, str] | None = None) -> Fetched: ...


@pytest.fixture
def fetch(tmp_path: Path) -> Fetch:
    def ask(source: str, variant: str = "", files: dict[str, str] | None = None) -> Fetched:
        for path, text in {f"{DIRECTORY}/loader.py": source, **(files or {})}.items():
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return fetched_by(tmp_path, DIRECTORY, variant)

    return ask
