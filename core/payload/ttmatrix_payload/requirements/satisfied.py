# SPDX-License-Identifier: Apache-2.0
"""Requirement lines that the interpreter does not satisfy; without any, pip need not run."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterable
from pathlib import Path


def wanting(files: Iterable[Path]) -> list[str]:
    """The lines of `files` whose package is missing, has another version, or lacks a dependency.

    Options, URLs, extras and continued lines are always included: pip must decide. So is every line if `packaging`
    is not installed to compare versions.
    """
    return [line for path in files for line in named_lines(path.read_text()) if not _there(line, set())]


def named_lines(text: str) -> list[str]:
    """The lines of a requirement file without comments."""
    lines = (line.partition(" #")[0].strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _there(text: str, known: set[str]) -> bool:
    try:
        from packaging.requirements import InvalidRequirement, Requirement
    except ImportError:
        return False
    try:
        asked = Requirement(text)
    except InvalidRequirement:
        return False
    if asked.marker is not None and not asked.marker.evaluate({"extra": ""}):
        return True
    if asked.url or asked.extras:
        return False
    try:
        there = importlib.metadata.distribution(asked.name)
    except importlib.metadata.PackageNotFoundError:
        return False
    if not asked.specifier.contains(there.version, prereleases=True):
        return False
    if asked.name in known:
        return True
    known.add(asked.name)
    return all(_there(one, known) for one in there.requires or ())
