# SPDX-License-Identifier: Apache-2.0
"""Where manifests of op tests are, and their contents."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from core.base.errors import UsageError
from core.payload.ttmatrix_payload.ops import (
    Case,
    Duplicate,
    File,
    Manifest,
    NotRead,
    OpKind,
    Row,
    case_digest,
    condition_context,
    duplicates,
    find_files,
    kind_of,
    read_files,
    rows,
    skip_reason,
)

OpCase = Row
"""A case with its id and its manifest."""


class OpTests:
    """The op cases of some manifests, immutable."""

    def __init__(self, manifests: Sequence[Manifest]) -> None:
        self.manifests = tuple(manifests)
        self.rows = rows(self.manifests)

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models of all manifests, in the order of the files."""
        return tuple(dict.fromkeys(one.model for one in self.manifests if one.cases or not one.problems))

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The path of the manifest of each case, by id; also of a faulty case, if it has a name."""
        wrong = {
            f"{one.model}::{problem.case}": one.path
            for one in self.manifests
            for problem in one.problems
            if problem.case
        }
        return {**wrong, **{row.id: row.manifest.path for row in self.rows}}

    def of_models(self, models: Collection[str]) -> tuple[Row, ...]:
        """The rows of these models, or all rows if none is named. Raises UsageError for an unknown model."""
        for model in models:
            if model not in self.models:
                raise UsageError(f"No op cases of a model {model!r}", f"Models: {', '.join(self.models) or 'none'}")
        return tuple(row for row in self.rows if not models or row.manifest.model in models)


def read_op_tests(
    checkout: Path,
    configured: Sequence[str],
    given: Sequence[Path] = (),
    *,
    include_template: bool = False,
) -> OpTests:
    """The manifests in directories that the settings name, or in those that are `given` instead.

    A directory in the settings is relative to the checkout, must be below it, and need not exist. A given directory or
    file may be anywhere. Raises UsageError if it does not exist. Problems in a file are part of its
    manifest.
    """
    files: list[File] = []
    for place, name, root in _given(checkout, given) if given else _configured(checkout, configured):
        files.extend(find_files(place, name, root, include_template=include_template))
    return OpTests(read_files(files))


def _configured(checkout: Path, directories: Sequence[str]) -> Iterator[tuple[Path, str, Path]]:
    for directory in dict.fromkeys(directories):
        place = checkout / directory
        if place.exists():
            yield place, directory, checkout


def _given(checkout: Path, places: Sequence[Path]) -> Iterator[tuple[Path, str, Path]]:
    for place in dict.fromkeys(places):
        absolute = place.expanduser().absolute()
        if not absolute.exists():
            raise UsageError(f"{place} does not exist", "--ops-dir names a directory of op manifests, or one file.")
        inside = absolute.is_relative_to(checkout)
        name = absolute.relative_to(checkout).as_posix() if inside else str(place)
        yield absolute, name, absolute if absolute.is_dir() else absolute.parent


def skips(selected: Sequence[Row], backend: str, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """By id, why a case is skipped on the CPU with that backend. Cases that are not skipped are absent."""
    found: dict[str, str] = {}
    for row in selected:
        if row.case.skip_if:
            context = condition_context(row.case, row.manifest.model, backend=backend, environment=environment)
            try:
                reason = skip_reason(row.case, context)
            except NotRead as error:
                reason = f"skip_if cannot be evaluated: {error}"
            if reason:
                found[row.id] = reason
    return found


def deduplicated(selected: Sequence[Row], skipped: Collection[str], *, dedupe: bool) -> dict[str, Duplicate]:
    """By id, the case that represents each selected row: one that is not skipped, so that one of them runs."""
    running = [row for row in selected if row.id not in skipped]
    resting = [row for row in selected if row.id in skipped]
    return {**duplicates(running, dedupe=dedupe), **duplicates(resting, dedupe=False)}


def case_key(row: Row) -> str:
    """The digest of the computation of a case, as results have it."""
    return case_digest(row.case)


def computes_nothing(case: Case) -> bool:
    """Whether the op of a case computes nothing: a tracer recorded it."""
    return kind_of(case.op) is OpKind.NOT_AN_OP
