# SPDX-License-Identifier: Apache-2.0
"""What is done to all entries of a cluster at once: one text for all, a link for those that have none."""

import re
from collections import defaultdict
from collections.abc import Callable

from core.edits.bulk import operations_for
from core.edits.operations import Operation
from core.errors import UsageError
from core.evidence.clusters import Cluster
from core.evidence.reasons import without_links
from core.evidence.rules import with_issue
from core.matrix.matrix import Matrix

_LINKS = re.compile(r"https?://[^\s)\],;]+")
_HOME = "tenstorrent/tt-xla"
_SHORT = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)#(?P<number>\d+)")


def with_canonical(matrix: Matrix, cluster: Cluster, text: str) -> tuple[Operation, ...]:
    """Operations that give all entries of `cluster` the reason `text`; each keeps its links."""
    text = text.strip()
    if not text or "\n" in text:
        raise UsageError("A reason is one line of text")

    def new(reason: str) -> str:
        if without_links(reason) == text:
            return reason
        links = [link.rstrip(".") for link in _LINKS.findall(reason)]
        return " - ".join((text, *dict.fromkeys(links)))

    return _rewritten(matrix, cluster, new)


def with_link(matrix: Matrix, cluster: Cluster, issue: str) -> tuple[Operation, ...]:
    """Operations that put a link to `issue` behind the reasons of `cluster` that have none."""
    link = issue_link(issue)
    return _rewritten(
        matrix, cluster, lambda reason: reason if _LINKS.search(reason) else with_issue(reason.strip(), link)
    )


def issue_link(text: str) -> str:
    """The address of an issue, given that, `owner/repository#number`, or a number of tt-xla's own.

    Raises UsageError for anything else.
    """
    text = text.strip()
    if text.isascii() and text.isdigit():
        text = f"{_HOME}#{text}"
    if short := _SHORT.fullmatch(text):
        return f"https://github.com/{short['repository']}/issues/{short['number']}"
    if _LINKS.fullmatch(text):
        return text
    raise UsageError(f"{text!r} is no issue", "It must be a number, owner/repository#number, or an address.")


def _rewritten(matrix: Matrix, cluster: Cluster, new: Callable[[str], str]) -> tuple[Operation, ...]:
    wishes: dict[str, dict[str, dict[str, object]]] = defaultdict(dict)
    for member in cluster.members:
        if member.declared and (text := new(member.declared)) != member.declared:
            wishes[member.id][member.arch] = {"reason": text}
    return tuple(op for id, wish in wishes.items() for op in operations_for(matrix, id, wish))
