# SPDX-License-Identifier: Apache-2.0
"""Problems in manifests, as findings."""

from collections.abc import Iterable, Iterator

from core.domain.model import Finding
from core.payload.ttmatrix_payload.ops import Manifest, Problem

MANIFEST_KIND = "op-manifest"
"""The kind of all findings about manifests of op tests."""


def manifest_findings(manifests: Iterable[Manifest]) -> Iterator[Finding]:
    """One finding per problem, including warnings. Its id is `model::case` if the problem is in a case."""
    for manifest in manifests:
        for problem in manifest.problems:
            id = f"{manifest.model}::{problem.case}" if problem.case else ""
            yield Finding(MANIFEST_KIND, problem_text(problem), manifest.path, problem.line, problem.column, id)


def problem_text(problem: Problem) -> str:
    """A problem with its hint. The first letter is not capitalised: it may be that of a name."""
    return f"{problem.message}; {problem.hint}" if problem.hint else problem.message
