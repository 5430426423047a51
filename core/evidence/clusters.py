# SPDX-License-Identifier: Apache-2.0
"""Failures that are one: what entries say and what runs have shown, gathered by what their reasons tell of."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.edits.issues import issues_in
from core.evidence.observation import FAILURES, RAN, Observation
from core.evidence.reasons import FAMILIES, signature, without_links
from core.matrix.effective import resolve, supports
from core.matrix.matrix import Matrix
from core.model import BringupStatus, Entry

_FAMILY_NAMES = frozenset(family.name for family in FAMILIES)


@dataclass(frozen=True, slots=True)
class Member:
    """One cell that fails for the reason of its cluster, by its entry, by its newest result or by both."""

    id: str
    arch: str
    declared: str = ""
    """The reason its entry gives, verbatim; empty where that tells of another failure."""
    seen: Observation | None = None
    """The newest result, where that tells of this failure."""
    stage: str = ""
    """The name of a `BringupStatus`; empty: nobody says."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Cells that fail for one reason."""

    signature: str
    canonical: str
    """A text that is fit for all of their entries: without what changes from run to run."""
    members: tuple[Member, ...]
    """By id and arch."""

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(member.id for member in self.members))

    @property
    def archs(self) -> Mapping[str, int]:
        """How many cells there are on each arch, most first."""
        return dict(Counter(member.arch for member in self.members).most_common())

    @property
    def stages(self) -> Mapping[str, int]:
        return dict(Counter(member.stage for member in self.members if member.stage).most_common())

    @property
    def issues(self) -> tuple[str, ...]:
        """Issues that the entries link to, the one cited most first."""
        return tuple(
            name for name, _ in Counter(one for m in self.members for one in issues_in(m.declared)).most_common()
        )

    @property
    def texts(self) -> Mapping[str, int]:
        """The reasons as they stand in entries, without links, with how often."""
        return dict(Counter(without_links(m.declared) for m in self.members if m.declared).most_common())


def find_clusters(matrix: Matrix, observations: Iterable[Observation] = ()) -> tuple[Cluster, ...]:
    """Every reason of an entry and of the newest result of a cell, the biggest cluster first.

    A cell whose newest result tells of another failure than its entry stands in both clusters.
    """
    failing = {row.cell: row for row in newest(observations) if row.ending in FAILURES and row.reason}
    found: dict[str, list[Member]] = defaultdict(list)
    for id, entry in matrix.entries.items():
        for arch, reason in _declared(entry, matrix.schema.archs):
            seen = failing.get((id, arch))
            same = seen is not None and signature(reason) in (signature(seen.reason), signature(seen.steady))
            if seen is not None and same:
                del failing[id, arch]
            stage = str(resolve(entry, "bringup_status", arch).value or "").upper()
            found[signature(reason)].append(Member(id, arch, reason, seen if same else None, stage))
    for row in failing.values():
        told = "" if row.stage is BringupStatus.UNKNOWN else row.stage.value
        found[signature(row.steady)].append(Member(row.test_id, row.arch, "", row, told))
    clusters = (_cluster(name, members) for name, members in found.items())
    return tuple(sorted(clusters, key=lambda one: (-len(one.ids), one.canonical)))


def newest(observations: Iterable[Observation]) -> Iterator[Observation]:
    """Of each cell the newest result that says something of the model."""
    found: dict[tuple[str, str], Observation] = {}
    for row in observations:
        if row.ending in RAN and (row.cell not in found or found[row.cell].when <= row.when):
            found[row.cell] = row
    yield from found.values()


def oldest(cluster: Cluster, ages: Mapping[str, int]) -> int | None:
    """For how many days the entry that has stood longest has had its status; None: of none that is known."""
    return max((ages[id] for id in cluster.ids if id in ages), default=None)


def _declared(entry: Entry, archs: Sequence[str]) -> Iterator[tuple[str, str]]:
    for arch in archs:
        reason = resolve(entry, "reason", arch).value if supports(entry, arch) else None
        if isinstance(reason, str) and reason.strip():
            yield arch, reason


def _cluster(name: str, members: Sequence[Member]) -> Cluster:
    return Cluster(name, _canonical(name, members), tuple(sorted(members, key=lambda one: (one.id, one.arch))))


def _canonical(name: str, members: Sequence[Member]) -> str:
    """What most entries say; of texts said as often the shortest, and where no entry says one, what was seen."""
    if name in _FAMILY_NAMES:
        return name
    texts = Counter(without_links(member.declared) for member in members if member.declared)
    texts = texts or Counter(without_links(member.seen.steady) for member in members if member.seen)
    return min(texts, key=lambda text: (-texts[text], len(text), text))
