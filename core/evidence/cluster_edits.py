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
_SHORT = re.compile(r"(?:(?:(?P<owner>[\w.-]+)/)?(?P<repository>[\w.-]+)(?=#))?#?(?P<number>\d+)", re.ASCII)


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
    """The address of an issue, given in any form that columns and reasons show one.

    These are `123` and `#123` for one of tt-xla's own, `repository#123` for one of the same owner,
    `owner/repository#123`, and an address, with or without its `https://`. Raises UsageError for anything else.
    """
    text = text.strip()
    if short := _SHORT.fullmatch(text):
        owner, repository = _HOME.split("/")
        place = f"{short['owner'] or owner}/{short['repository'] or repository}"
        return f"https://github.com/{place}/issues/{short['number']}"
    address = text if "://" in text else f"https://{text}" if text.startswith("github.com/") else ""
    if _LINKS.fullmatch(address):
        return address
    raise UsageError(f"{text!r} is not an issue reference", "Use 123, tt-xla#123, owner/repository#123 or a URL")


def _rewritten(matrix: Matrix, cluster: Cluster, new: Callable[[str], str]) -> tuple[Operation, ...]:
    wishes: dict[str, dict[str, dict[str, object]]] = defaultdict(dict)
    for member in cluster.members:
        if member.declared and (text := new(member.declared)) != member.declared:
            wishes[member.id][member.arch] = {"reason": text}
    return tuple(op for id, wish in wishes.items() for op in operations_for(matrix, id, wish))
