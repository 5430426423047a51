# SPDX-License-Identifier: Apache-2.0
"""Findings about a work tree that is not what git records: files that are not here, other models."""

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from core.doctor.check import Check
from core.doctor.ids import UNKNOWN_ID
from core.domain.ids import TestId
from core.domain.model import Finding
from core.sources import Absent, Checkout, absent_files, loader_file, other_models

ABSENT_FILE = Check(
    "absent-file", "a file that git tracks and that cannot be read here, so that nobody knows what it says"
)

OTHER_MODELS = Check("other-models", "the models are checked out at another commit than the checkout records")


def other_models_findings(checkout: Checkout) -> Iterator[Finding]:
    """One, if the models are not those that the checkout records."""
    if other := other_models(checkout):
        message = f"{other.text}: findings about tests and loaders are about the former; {other.remedy}"
        yield Finding(OTHER_MODELS.kind, message, other.place)


def with_absent_files(checkout: Checkout, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """`findings` with one for each absent file, and without those of tests whose loader is absent."""
    absent = absent_files(checkout)
    models = checkout.relative(checkout.models)
    loaders = {_directory(one, models) for one in absent} - {""}
    kept = (one for one in findings if one.kind != UNKNOWN_ID.kind or _loader(one.id) not in loaders)
    return (*(_finding(one, models) for one in absent), *kept)


def _finding(one: Absent, models: str) -> Finding:
    message = f"git tracks this file, but it {one.why}{f'; {one.remedy}' if one.remedy else ''}"
    return Finding(ABSENT_FILE.kind, message, one.path, id=_directory(one, models))


def _directory(one: Absent, models: str) -> str:
    """The directory of an absent loader; empty: it is another file."""
    path = PurePosixPath(one.path)
    if not path.is_relative_to(models):
        return ""
    directory = path.relative_to(models).parent.as_posix()
    return directory if path == PurePosixPath(models, loader_file(directory)) else ""


def _loader(id: str) -> str | None:
    parsed = TestId.parse(id)
    return parsed.directory if parsed else None
