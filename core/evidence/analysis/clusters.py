# SPDX-License-Identifier: Apache-2.0
"""Clusters of failures: declared by entries or seen in runs, grouped by the cause that their reasons name."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.base.errors import UsageError
from core.domain.model import BringupStatus, Entry
from core.edits import Operation, operations_for
from core.edits.commit import issues_in
from core.evidence.analysis.failures import CellFailure
from core.evidence.observation import Observation, order
from core.evidence.reasons import FAMILIES, signature, with_issue, without_links
from core.matrix import Matrix, resolve, supports

_DAY = 86_400.0
"""In seconds."""
_FAMILY_NAMES = frozenset(family.name for family in FAMILIES)


@dataclass(frozen=True, slots=True)
class ClusterCell:
    """One cell that fails for the reason of its cluster, by its entry, by its newest result or by both."""

    id: str
    arch: str
    declared: str = ""
    """The reason in its entry, verbatim; empty if that names another failure."""
    failure: CellFailure | None = None
    """What it has shown, if that is this failure."""
    stage: str = ""
    """The name of a `BringupStatus`; empty: unknown."""

    @property
    def seen(self) -> Observation | None:
        """The newest result that is this failure."""
        return self.failure.row if self.failure else None


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
    def first_bad(self) -> Observation | None:
        """The first of all results that are this failure, of the cells that show it now; None: none does."""
        began = [member.failure.began for member in self.members if member.failure]
        return min(began, key=order, default=None)

    def age(self, now: float) -> int | None:
        """For how many days it has failed; None: it does not, or nobody knows since when."""
        return max(0, int((now - self.first_bad.when) // _DAY)) if self.first_bad and self.first_bad.when else None

    @cached_property
    def lately(self) -> int:
        """How many of its cells failed on the last day that has results."""
        return sum(member.failure.lately for member in self.members if member.failure)

    @cached_property
    def texts(self) -> Mapping[str, int]:
        """The reasons as entries have them, without links, with their counts."""
        return dict(Counter(without_links(m.declared) for m in self.members if m.declared).most_common())


def find_clusters(matrix: Matrix, failures: Iterable[CellFailure] = ()) -> tuple[Cluster, ...]:
    """The clusters of all reasons in entries and of `failures`, in their order (`cluster_order`).

    A cell is in two clusters if what it shows is another failure than its entry declares.
    """
    failing = {one.row.cell: one for one in failures}
    found: dict[str, list[ClusterCell]] = defaultdict(list)
    for id, entry in matrix.entries.items():
        for arch, reason in _declared(entry, matrix.schema.archs):
            one = failing.get((id, arch))
            same = one is not None and signature(reason) in (signature(one.row.reason), signature(one.row.steady))
            if one is not None and same:
                del failing[id, arch]
            stage = str(resolve(entry, "bringup_status", arch).value or "").upper()
            found[signature(reason)].append(ClusterCell(id, arch, reason, one if same else None, stage))
    for one in failing.values():
        stage_text = "" if one.row.stage is BringupStatus.UNKNOWN else one.row.stage.value
        found[signature(one.row.steady)].append(ClusterCell(one.row.test_id, one.row.arch, "", one, stage_text))
    return tuple(sorted((_cluster(name, members) for name, members in found.items()), key=cluster_order))


def cluster_order(cluster: Cluster) -> tuple[object, ...]:
    """Sort key: what failed last night before all else, what began last first, then what most entries declare."""
    first = cluster.first_bad
    return not cluster.lately, first is None, -first.when if first else 0.0, -len(cluster.ids), cluster.canonical


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
