# SPDX-License-Identifier: Apache-2.0
"""Whether the interpreter has what requirement files ask for already, so that pip would have nothing to do."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterable
from pathlib import Path


def satisfied(files: Iterable[Path]) -> bool:
    """Whether every line of `files` names what is there, in a version that fits, with all that it needs in turn.

    Options, URLs, extras and continued lines are left to pip: of these, False. So is everything where `packaging`
    is not there to read versions with.
    """
    lines = [line.partition(" #")[0].strip() for path in files for line in path.read_text().splitlines()]
    return all(_there(line, set()) for line in lines if line and not line.startswith("#"))


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
