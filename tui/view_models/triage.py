# SPDX-License-Identifier: Apache-2.0
"""Tests that need a person, as rows: the verdict, the test, its evidence, and the proposal."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum

from core.base.text import counted, one_line
from core.edits.pending import Change, ChangeGroup, Decision, GroupBy, Pending, group_changes
from core.evidence import longest_strip, passes_text, summary_text
from core.evidence.proposals import (
    URGENCY,
    Cause,
    CauseKind,
    Concern,
    InboxItem,
    Worklist,
    new_change,
    pending_change,
)
from core.evidence.verdicts import Verdict
from tui.view_models.changes import Describe, brief_operations, describe_operations
from tui.view_models.headings import Part, share_cells
from tui.view_models.review import DECISIONS, search_text
from tui.view_models.style import VERDICT_STYLES, Cell, TableColumn


class TriageBy(StrEnum):
    """The common property of the tests in a group."""

    CAUSE = "cause"
    CHANGE = "change"
    VERDICT = "verdict"
    LOADER = "loader"
    REASON = "reason"
    NOTHING = ""


class Shown(StrEnum):
    """The lists of Triage."""

    ATTENTION = "needs attention"
    PCC = "PCC ratchet"
    UNKNOWN = "unknown"
    BLIND = "blind spots"
    RERUN = "worth a rerun"
    """Of those that need attention: `TriageItems` leaves the others out."""

    def takes(self, item: InboxItem) -> bool:
        match self:
            case Shown.ATTENTION | Shown.RERUN:
                return item.concern in (Concern.DECIDE, Concern.NOT_PROPOSED)
            case Shown.PCC:
                return item.verdict in (Verdict.PCC_LOOSE, Verdict.PCC_TIGHT)
            case Shown.UNKNOWN:
                return item.concern is Concern.UNKNOWN
            case Shown.BLIND:
                return item.concern is Concern.BLIND


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Change):
    """A change with the test that needs it; without operations if nothing is proposed."""

    item: InboxItem

    @property
    def plain(self) -> Change:
        """The change without the test, as it is saved."""
        return Change(**{one.name: getattr(self, one.name) for one in fields(Change)})

    @property
    def test(self) -> str:
        return self.item.id

    @property
    def leaves(self) -> tuple[str, ...]:
        """Archs on which the change removes the test from CI; another marker may keep it in by now."""
        proposal = self.item.proposal
        return proposal.leaves if proposal is not None and self.ops == proposal.ops else ()

    @property
    def asks(self) -> str:
        """The proposal, or why there is none."""
        if self.ops:
            warning = f"will leave CI on {', '.join(self.leaves)}; " if self.leaves else ""
            return warning + brief_operations(self.ops)
        return self.note


class TriageItems:
    """The tests of a worklist as Triage lists them, with all that does not depend on decisions: made once, in a thread.

    A list of it is made between two frames.
    """

    def __init__(self, worklist: Worklist) -> None:
        self.worklist = worklist
        self._open = {id: _open(item) for id, item in ((one.id, one) for one in worklist.items)}
        self._texts = {id: (one, _search_text(one)) for id, one in self._open.items()}
        self._ids = {shown: [one.id for one in worklist.items if shown.takes(one)] for shown in Shown}
        self._ids[Shown.RERUN] = [id for id in self._ids[Shown.RERUN] if id in worklist.reruns]
        self.strip = longest_strip(item.results for item in worklist.items)
        """Marks of the longest strip."""
        self._decided: dict[str, tuple[Sequence[Change], Listed]] = {}
        """With the pending changes about their entries."""
        for item in worklist.items:
            # What headings say of them.
            _ = item.cause, item.passes

    def listed(self, shown: Shown, pending: Pending) -> list[Listed]:
        """The tests of one list, each with the decision on it."""
        return [self._listed(self._open[id], pending) for id in self._ids[shown]]

    def _listed(self, one: Listed, pending: Pending) -> Listed:
        about = pending.about(one.test) if one.ops else ()
        if not about:
            return one
        known = self._decided.get(one.test)
        if known is None or known[0] != about:
            found = pending_change(one, about)
            known = self._decided[one.test] = about, one if found is None else _with(found, one.item)
        return known[1]

    def search_text(self, one: Listed) -> str:
        """All that a person might look for a test by, in lower case."""
        known = self._texts.get(one.test)
        if known is None or known[0] is not one:
            known = self._texts[one.test] = one, _search_text(one)
        return known[1]


def _search_text(one: Listed) -> str:
    return f"{one.item.verdict} {one.test} {search_text(one)}".lower()


def _open(item: InboxItem) -> Listed:
    """A test that nobody has decided on."""
    if item.proposal is None:
        return Listed((), "; ".join(dict.fromkeys(_why(item))), item=item)
    return _with(new_change(item.proposal), item)


def _with(change: Change, item: InboxItem) -> Listed:
    return Listed(**{name: getattr(change, name) for name in _OF_CHANGE}, item=item)


_OF_CHANGE = tuple(one.name for one in fields(Change))


def _why(item: InboxItem) -> Iterable[str]:
    if item.not_proposed:
        return (f"{one.arch}: {one.why}" for one in item.not_proposed)
    return (one.why for one in item.judgements if one.verdict is item.verdict)


def group_listed(changes: Sequence[Change], by: TriageBy, loader_of: Callable[[str], str]) -> tuple[ChangeGroup, ...]:
    """`changes` in groups, most urgent verdict first, larger groups first among equals."""
    if by is TriageBy.CAUSE:
        return _by_cause(changes)
    match by:
        case TriageBy.VERDICT:
            found = _grouped(changes, lambda one: item_of(one).verdict)
        case TriageBy.LOADER:
            found = _grouped(changes, lambda one: loader_of(item_of(one).id))
        case TriageBy.CHANGE:
            # Without proposals, group by the reason for that.
            silent = _grouped([one for one in changes if not one.ops], _note)
            found = [*group_changes([one for one in changes if one.ops], GroupBy.CHANGE, loader_of), *silent]
        case _:
            found = group_changes(changes, GroupBy(by), loader_of)
    return tuple(sorted(found, key=lambda group: (_urgency(group), -len(group.changes))))


def _by_cause(changes: Sequence[Change]) -> tuple[ChangeGroup, ...]:
    """In the order of a morning: what broke first, and of each kind what began last."""
    found: dict[Cause, list[Change]] = {}
    began: dict[Cause, float] = {}
    for one in changes:
        own = item_of(one).cause
        cause = own._replace(newest=0.0)
        found.setdefault(cause, []).append(one)
        began[cause] = max(began.get(cause, 0.0), own.newest)
    ranked = sorted(found, key=lambda cause: (_CAUSES.index(cause.kind), -began[cause], -len(found[cause])))
    return tuple(ChangeGroup(cause.text, tuple(found[cause])) for cause in ranked)


_CAUSES = tuple(CauseKind)


def _note(change: Change) -> str:
    return change.note


def _grouped(changes: Sequence[Change], key: Callable[[Change], str]) -> Sequence[ChangeGroup]:
    found: dict[str, list[Change]] = {}
    for one in changes:
        found.setdefault(key(one), []).append(one)
    return [ChangeGroup(name, tuple(members)) for name, members in found.items()]


def _urgency(group: ChangeGroup) -> int:
    return min(URGENCY.index(item_of(one).verdict) for one in group.changes)


class TriageLook:
    """The ChangeLook for tests that need a person."""

    def __init__(self, by: TriageBy, left_out: Collection[str] = (), strip: int = 0) -> None:
        """`left_out` are tests that decisions on their group leave out; strips of results have `strip` cells."""
        self.by = by
        self._strip = strip
        self._left_out = left_out
        self.columns: Sequence[TableColumn] = (
            TableColumn("decision", 10),
            TableColumn("verdict", 12),
            TableColumn(f"test, by {by}" if by else "test", 24, share=2, elide=True, ids=True),
            # A whole strip of one arch: its newest result is at its end.
            TableColumn("evidence", max(18, strip + _AROUND_STRIP), yields=1),
            TableColumn("reason · proposed" if by is TriageBy.REASON else "proposed", 28, share=3),
        )

    def headed(self, group: ChangeGroup) -> bool:
        """Not for a single test, whose own line has the same text."""
        return bool(self.by) and len(group.changes) > 1

    def asks(self, change: Change) -> bool:
        """Not without a proposal: there is nothing to decide."""
        return bool(change.ops)

    def key(self, change: Change) -> str:
        return item_of(change).id

    def id(self, change: Change) -> str:
        return item_of(change).id

    def name(self, group: ChangeGroup, describe: Describe = describe_operations) -> str:
        match self.by:
            case TriageBy.CHANGE:
                first = group.changes[0]
                return describe(first.ops) or one_line(first.note)
            case TriageBy.NOTHING:
                return ""
            case TriageBy.LOADER | TriageBy.VERDICT | TriageBy.CAUSE:
                return one_line(group.key) or "none"
            case TriageBy.REASON:
                return one_line(group.key) or "no reason"

    def heading(self, group: ChangeGroup, *, opened: bool) -> Sequence[Sequence[Cell]]:
        arrow = Cell("▾" if opened else "▸", "running")
        verdicts = list(dict.fromkeys(item_of(one).verdict for one in group.changes))
        verdict = Cell(verdicts[0], VERDICT_STYLES.get(verdicts[0], "dim")) if len(verdicts) == 1 else Cell("")
        count, left = len(group.changes), len(group.undecided)
        tests = counted(count, "test")
        progress = Cell(tests if left == count else f"{tests}, {left:,} open", "dim")
        name = Cell(self.name(group, brief_operations), "running")
        passes = _passes(group)
        match self.by:
            case TriageBy.CAUSE:
                cause = item_of(group.changes[0]).cause
                kind = Cell(f"{count:,} {cause.kind}", VERDICT_STYLES.get(verdicts[0], "dim"))
                what = Cell(one_line(" · ".join(_what(cause))), "running")
                return [arrow, _decision_of(group)], [kind], [Cell(_weight(group), "dim")], passes, [what]
            case TriageBy.VERDICT:
                return [arrow], [verdict], [progress], passes
            case TriageBy.LOADER:
                return [arrow], [verdict], [name], passes, [progress]
            case _:
                return [arrow], [verdict], [progress], passes, [name]

    def change(self, change: Change) -> Sequence[Sequence[Cell]]:
        change = listed_of(change)
        item = change.item
        left_out = item.id in self._left_out
        style = "dim" if left_out or change.decision is Decision.REJECTED else ""
        decision = DECISIONS[change.decision] if change.ops else Cell("  -", "dim")
        if left_out and change.decision is Decision.UNDECIDED:
            decision = Cell("- out", "dim")
        return (
            [decision],
            [Cell(item.verdict, style or VERDICT_STYLES.get(item.verdict, "dim"))],
            [Cell(one_line(item.id), style)],
            [Cell(summary_text(item.results, self._strip), style)],
            [Cell(one_line(change.asks), style or _asks_style(change))],
        )


def _passes(group: ChangeGroup) -> list[Cell]:
    """The passes of the tests of a group: as a rate with a bar, then by arch."""
    found = [item_of(one).passes for one in group.changes]
    every = [one for passes in found for one in passes.values()]
    passed, ran = sum(one.passed for one in every), sum(one.ran for one in every)
    parts = Part(passed, "pass"), Part(ran - passed, "fail", "░")
    return [*share_cells(parts), Cell(passes_text(found), "dim")]


def _decision_of(group: ChangeGroup) -> Cell:
    """The one decision on all changes of a group, without its word; nothing where they differ."""
    found = {one.decision for one in group.changes if one.ops}
    looks = [DECISIONS[one] for one in found] if len(found) == 1 else []
    return next((Cell(f" {look.text[0]}", look.style) for look in looks), Cell(""))


def _weight(group: ChangeGroup) -> str:
    """On which archs the tests of a group are so, and how much that weighs: `n150, p150 · grade 1-3`."""
    items = [item_of(one) for one in group.changes]
    archs = list(dict.fromkeys(one.arch for item in items for one in item.asking))
    grades = [one.grade for one in group.changes if one.grade is not None]
    low, high = min(grades, default=0), max(grades, default=0)
    where = ", ".join(archs) if len(archs) <= _NAMED_ARCHS else f"{len(archs)} archs"
    return f"{where} · grade {low}{f'-{high}' if high > low else ''}" if grades else where


def _what(cause: Cause) -> Iterator[str]:
    if cause.what:
        yield cause.what
    if cause.since:
        yield f"since {cause.since}"


_NAMED_ARCHS = 2
_AROUND_STRIP = len("n150 ") + len(" 12/12")


def _asks_style(change: Listed) -> str:
    return "dim" if not change.ops else "fail" if change.leaves else ""


def listed_of(change: Change) -> Listed:
    """A change of Triage, which lists no others, with its test."""
    assert isinstance(change, Listed)
    return change


def item_of(change: Change) -> InboxItem:
    """The test of a change of Triage."""
    return listed_of(change).item
