# SPDX-License-Identifier: Apache-2.0
"""Clusters of failures: declared by entries or seen in runs, grouped by the cause that their reasons name."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.edits import Operation, operations_for
from core.edits.commit import issues_in
from core.errors import UsageError
from core.evidence.observation import FAILURES, Observation, newest
from core.evidence.reasons import FAMILIES, signature, with_issue, without_links
from core.matrix import Matrix, resolve, supports
from core.model import BringupStatus, Entry

_FAMILY_NAMES = frozenset(family.name for family in FAMILIES)


@dataclass(frozen=True, slots=True)
class ClusterCell:
    """One cell that fails for the reason of its cluster, by its entry, by its newest result or by both."""

    id: str
    arch: str
    declared: str = ""
    """The reason in its entry, verbatim; empty if that names another failure."""
    seen: Observation | None = None
    """The newest result, if it is this failure."""
    stage: str = ""
    """The name of a `BringupStatus`; empty: unknown."""


@dataclass(frozen=True)
class Cluster:
    """Cells that fail for one reason. What lists and details ask for again and again is counted once."""

    signature: str
    canonical: str
    """A reason that fits all of their entries: without parts that change from run to run."""
    members: tuple[ClusterCell, ...]
    """By id and arch."""

    @cached_property
    def ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(member.id for member in self.members))

    @cached_property
    def archs(self) -> Mapping[str, int]:
        """The number of cells on each arch, most first."""
        return dict(Counter(member.arch for member in self.members).most_common())

    @cached_property
    def stages(self) -> Mapping[str, int]:
        return dict(Counter(member.stage for member in self.members if member.stage).most_common())

    @cached_property
    def issues(self) -> tuple[str, ...]:
        """Issues that the entries link to, the one cited most first."""
        return tuple(
            name for name, _ in Counter(one for m in self.members for one in issues_in(m.declared)).most_common()
        )

    @cached_property
    def texts(self) -> Mapping[str, int]:
        """The reasons as entries have them, without links, with their counts."""
        return dict(Counter(without_links(m.declared) for m in self.members if m.declared).most_common())


def find_clusters(matrix: Matrix, observations: Iterable[Observation] = ()) -> tuple[Cluster, ...]:
    """The clusters of all reasons in entries and in the newest results of cells, the biggest first.

    A cell is in two clusters if its newest result is another failure than its entry declares.
    """
    failing = {row.cell: row for row in newest(observations) if row.ending in FAILURES and row.reason}
    found: dict[str, list[ClusterCell]] = defaultdict(list)
    for id, entry in matrix.entries.items():
        for arch, reason in _declared(entry, matrix.schema.archs):
            seen = failing.get((id, arch))
            same = seen is not None and signature(reason) in (signature(seen.reason), signature(seen.steady))
            if seen is not None and same:
                del failing[id, arch]
            stage = str(resolve(entry, "bringup_status", arch).value or "").upper()
            found[signature(reason)].append(ClusterCell(id, arch, reason, seen if same else None, stage))
    for row in failing.values():
        stage_text = "" if row.stage is BringupStatus.UNKNOWN else row.stage.value
        found[signature(row.steady)].append(ClusterCell(row.test_id, row.arch, "", row, stage_text))
    clusters = (_cluster(name, members) for name, members in found.items())
    return tuple(sorted(clusters, key=lambda one: (-len(one.ids), one.canonical)))


def oldest(cluster: Cluster, ages: Mapping[str, int]) -> int | None:
    """The age in days of the oldest status among the entries; None: unknown for all."""
    return max((ages[id] for id in cluster.ids if id in ages), default=None)


def _declared(entry: Entry, archs: Sequence[str]) -> Iterator[tuple[str, str]]:
    for arch in archs:
        reason = resolve(entry, "reason", arch).value if supports(entry, arch) else None
        if isinstance(reason, str) and reason.strip():
            yield arch, reason


def _cluster(name: str, members: Sequence[ClusterCell]) -> Cluster:
    return Cluster(name, _canonical(name, members), tuple(sorted(members, key=lambda one: (one.id, one.arch))))


def _canonical(name: str, members: Sequence[ClusterCell]) -> str:
    """The reason that most entries have; among equally frequent ones the shortest; without entries, the seen one."""
    if name in _FAMILY_NAMES:
        return name
    texts = Counter(without_links(member.declared) for member in members if member.declared)
    texts = texts or Counter(without_links(member.seen.steady) for member in members if member.seen)
    return min(texts, key=lambda text: (-texts[text], len(text), text))


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
    """Operations that append a link to `issue` to those reasons of `cluster` that have none."""
    link = issue_link(issue)
    return _rewritten(
        matrix, cluster, lambda reason: reason if _LINKS.search(reason) else with_issue(reason.strip(), link)
    )


def issue_link(text: str) -> str:
    """The address of an issue, given in any form in which columns and reasons show it.

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
