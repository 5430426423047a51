# SPDX-License-Identifier: Apache-2.0
"""Triage: what runs have shown about entries; decide what is proposed, in groups, and see what is not known."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial

from core.base.text import counted, one_line
from core.edits import combined, retyped
from core.edits.pending import Change, Decision
from core.evidence import Page, page_of
from core.evidence.proposals import (
    Progress,
    Proposal,
    Worklist,
    decided,
    edited,
    note_of,
    reasons_of,
    schedule_markers,
    shared_by,
    with_schedule_markers,
)
from core.matrix.query import MOST_NAMED, exactly
from core.workspace import Evidence
from tui.commands import Changes, Need, Where, command
from tui.protocol import Context
from tui.screens.dialogs import ask_to_start
from tui.screens.group_decision import GroupChoice, GroupDecision
from tui.screens.review import (
    ChangeList,
    ChangeTable,
    DecisionScreen,
    loader_of,
)
from tui.view_models import (
    MOST_STRIPS,
    Line,
    Listed,
    ReviewRows,
    Shown,
    TriageBy,
    TriageItems,
    TriageLook,
    grade_lines,
    group_lines,
    group_listed,
    item_of,
    listed_of,
    make_preview,
    paragraph,
    preview_lines,
    proposed_words,
    result_lines,
    shared_lines,
    since_words,
    statuses_proposed,
    strip_lines,
)

_SHOWN = tuple(Shown)
_MOST_REASONS = 20
"""So many of the reasons of a group are offered."""
_MOST_AT_ONCE = 100
"""Most tests of a group whose common traits are worked out at once; for more, in the background."""
_PLACEHOLDER = "words of a test, a verdict, a reason"


class TriageTests:
    """A ChangeSource: the tests that need a person, each with what is proposed for it, if anything is."""

    orders: Sequence[StrEnum] = tuple(TriageBy)
    noun = "test"

    def __init__(self, context: Context) -> None:
        self._session = context.session
        self._context = context
        self.accepted: Callable[[], None] = lambda: None
        """Called when changes that are made in a thread are accepted."""
        self.shown = Shown.ATTENTION
        """The list that is shown."""
        self._listed: tuple[object, list[Listed]] = (None, [])

    @property
    def worklist(self) -> Worklist | None:
        """None: nothing is known yet."""
        known = self._context.worklists.known
        return known.worklist if known else None

    @property
    def changes(self) -> Sequence[Listed]:
        known, pending = self._context.worklists.known, self._session.pending
        key = (id(known), self.shown, id(pending))
        if self._listed[0] != key and known is not None:
            self._listed = key, known.listed(self.shown, pending)
        return self._listed[1]

    def rows(
        self,
        changes: Sequence[Change],
        by: StrEnum,
        opened: Collection[str],
        left_out: Collection[str],
        matches: Callable[[str], bool],
    ) -> ReviewRows:
        order, known = TriageBy(by), self._context.worklists.known
        groups = group_listed(changes, order, partial(loader_of, self._session.matrix))
        return ReviewRows(groups, TriageLook(order, left_out, known.strip if known else 0), opened, left_out=left_out)

    def search_text(self, change: Change) -> str:
        known = self._context.worklists.known
        return known.search_text(listed_of(change)) if known is not None else ""

    def decide(self, decision: Decision, changes: Sequence[Change]) -> None:
        plain = [one.plain for one in map(listed_of, changes) if one.ops]
        if plain:
            self._context.edits.decide_proposals(decision, plain)
        else:
            again, show = map(self._context.keymap.key, ("triage.run", "decide.go"))
            words = f"{again} reruns the test, {show} shows it in the matrix."
            self._context.notify.info(f"Nothing is proposed here: {words}")

    def warning(self, changes: Sequence[Change]) -> str:
        count = len(_leaving(changes))
        them = "it" if count == 1 else "them"
        return f"{counted(count, 'test')} will leave CI: no scheduled job selects {them}." if count else ""

    def named_first(self, change: Change) -> bool:
        """Changes that take a test out of CI come first."""
        return bool(_leaving([change]))

    def other_way(self, changes: Sequence[Change]) -> str:
        """For tests that would leave CI, the marker that keeps them there."""
        count = len(_leaving(changes))
        return f"accept with the marker that keeps {'it' if count == 1 else 'them'} in CI" if count else ""

    def accept_otherwise(self, changes: Sequence[Change]) -> None:
        self.accept_made(changes, lambda: self._kept_in_ci(_proposals(changes)))

    def _kept_in_ci(self, proposals: Sequence[Proposal]) -> Sequence[Proposal]:
        """The proposals, with a marker where their tests would leave CI. Not for the app's own thread."""
        matrix, ci = self._session.matrix, self._session.workspace.ci
        return with_schedule_markers(proposals, schedule_markers(matrix, ci, proposals))

    def accept_made(self, changes: Sequence[Change], make: Callable[[], Sequence[Proposal]]) -> None:
        """Accept changes as `make` proposes them, which is called in a thread; say how many it does not."""
        plain = {one.test: one.plain for one in map(listed_of, changes)}

        def accept(made: Sequence[Proposal]) -> None:
            found = [_remade(plain[one.id], one) for one in made]
            if found:
                self._context.edits.decide_proposals(Decision.ACCEPTED, found)
                self.accepted()
            if left := len(plain) - len(found):
                self._context.notify.info(f"Nothing is left to change for {counted(left, 'test')}.")

        self._context.background.run("decide a group", make, accept, asks=True)

    def decide_group(self, changes: Sequence[Change], choice: GroupChoice) -> None:
        """Accept changes as a person decided for all of them."""
        workspace = self._session.workspace

        def make() -> Sequence[Proposal]:
            made = edited(workspace.matrix, workspace.ci, _proposals(changes), choice.edit)
            return self._kept_in_ci(made) if choice.keep else made

        self.accept_made(changes, make)


def _progress_words(progress: Progress | None) -> str:
    """The progress of a list that is being worked out; empty: none is."""
    return f"reading results: {progress.done:,} of {counted(progress.total, 'test')} …" if progress else ""


def _leaving(changes: Iterable[Change]) -> list[Listed]:
    return [one for one in map(listed_of, changes) if one.leaves]


def _proposals(changes: Iterable[Change]) -> list[Proposal]:
    return [proposal for one in changes if (proposal := item_of(one).proposal)]


def _offered(reasons: Sequence[str], cause: str) -> Sequence[str]:
    """The reasons to choose from: where tests have different ones, what these share comes first."""
    return list(dict.fromkeys((*([cause] if cause and len(reasons) > 1 else []), *reasons)))[:_MOST_REASONS]


def _remade(change: Change, proposal: Proposal) -> Change:
    """A change with what is proposed now in its place."""
    facts = proposal.facts or change.facts
    return replace(
        change,
        ops=proposal.ops,
        bases=(proposal.base,),
        facts=facts,
        note=note_of(proposal),
        grade=proposal.grade,
        grade_why=proposal.grade_why,
    )


def _alone_words(hosts: Sequence[str], key: str) -> str:
    """Words for machines that fail alone, with the key that ignores them."""
    one = len(hosts) == 1
    return f"{key} ignores {f'bad host {one_line(hosts[0])}' if one else f'{len(hosts)} bad hosts'}"


_NO_RESULTS = "There are no results yet: `ttmatrix ingest --from-github` downloads the reports of CI."


class TriageTable(ChangeTable):
    """The table of tests, in which single ones can be left out of their group."""

    def places(self) -> tuple[Where, ...]:
        return (Where.TRIAGE_TABLE, *super().places())

    action_leave_out = command(
        "triage.leave", Where.TRIAGE_TABLE, "space", "Leave out", "Leave the test out of its group", needs=Need.CHANGE
    )(ChangeTable.action_leave_out)


class TriageScreen(DecisionScreen):
    """Tests above, what is known about the one under the cursor below. What is accepted becomes a pending change."""

    PLACES = (Where.TRIAGE,)
    PURPOSE = "Results that disagree with the entries, by cause."

    def __init__(self, context: Context) -> None:
        self.tests = TriageTests(context)
        super().__init__(
            context,
            ChangeList(self.tests, context.notify.info, self._rows_shown, placeholder=_PLACEHOLDER, table=TriageTable),
        )
        self.tests.accepted = self.listing.go_on
        self._shown: TriageItems | None = None
        """The rows of the list."""

    def on_mount(self) -> None:
        self.follow(self.context.signals.pending_changed, self.listing.show)
        self.follow(self.context.signals.runs_changed, self._say_where)
        self.follow(self.context.signals.worklist_changed, self._take)
        self._shown = self.context.worklists.known
        self.listing.show()
        self.context.worklists.want()

    def on_screen_resume(self) -> None:
        self.context.worklists.want()
        self._take()

    def on_screen_suspend(self) -> None:
        self.context.worklists.release()

    # What is listed

    def _take(self) -> None:
        """Show another list, if there is one, and how far the next one is."""
        if self._shown is self.context.worklists.known:
            self._say_where()
        elif self.is_current:
            self._shown = self.context.worklists.known
            self.listing.show()

    def _look(self, left_out: Collection[str]) -> Evidence:
        """The evidence without the machines in `left_out`. Not for the app's own thread."""
        return self.session.look().without(left_out)

    def _rows_shown(self) -> None:
        if self.tests.worklist is not None:
            self.say_when_empty("test", len(self.tests.changes), self._nothing(self.tests.worklist))
        self._say_where()
        self.fit_list()

    def _say_where(self) -> None:
        worklist, tests = self.tests.worklist, self.tests.changes
        working = _progress_words(self.context.worklists.progress)
        if worklist is None:
            self.title_line(working or "reading the evidence …")
            return
        done, left = decided(one for one in tests if one.ops)
        left_out = self.context.worklists.left_out
        alone = [one.host for one in worklist.suspects if one.host not in left_out]
        key = self.context.keymap.key("triage.host")
        progress = f"{left:,} of {len(tests):,} open" if done + left else counted(len(tests), "test")
        self.title_line(
            f"{self.tests.shown}: {progress}",
            f"without {', '.join(map(one_line, sorted(left_out)))}" if left_out else "",
            working,
            keyed=[_alone_words(alone, key)] if alone else (),
        )

    def lacks(self, need: Need) -> bool:
        if need is Need.LISTED_TEST:
            return self.listing.table.line is None
        if need is Need.CHANGE:
            return self.listing.current is None
        return super().lacks(need)

    def test_of(self, change: Change) -> str:
        return item_of(change).id

    def page(self) -> Callable[[], Page]:
        """The page of the newest result that asks for a change, of the test or of any in the group."""
        judged = [one for change in self.listing.selected for one in item_of(change).asking]
        return partial(page_of, [row for one in judged for row in (*one.rows, one.first, one.last_reported)])

    def close_one(self) -> bool:
        """First the filter, then the list."""
        if self.listing.filter.active:
            self.listing.filter.clear()
        elif self.tests.shown is not Shown.ATTENTION:
            self._show_list(Shown.ATTENTION)
        else:
            return False
        return True

    def place_of(self, ids: Collection[str]) -> str:
        """The first test that needs attention among these; empty: none does, as far as is known."""
        known = self.context.worklists.known
        found = known.listed(Shown.ATTENTION, self.session.pending) if known is not None else ()
        return next((one.test for one in found if one.test in ids), "")

    def go_to(self, id: str) -> None:
        """Put the cursor on the group that a test is in."""
        self.listing.filter.clear()
        self._show_list(Shown.ATTENTION)
        self.listing.go_to(lambda one: item_of(one).id == id)

    # Actions

    @command(
        "triage.decide",
        Where.TRIAGE,
        "E",
        "Decide",
        "Set status, reason, issue of the group",
        footer=True,
        needs=Need.LISTED_TEST,
        changes=Changes.EDITS,
    )
    def action_decide_group(self) -> None:
        """Decide all of a group, or one test, in a dialog: status, reason, issue, archs, marker."""
        changes = [one for one in self.listing.selected if one.ops]
        open_ones = [one for one in changes if one.decision is Decision.UNDECIDED] or changes
        proposals = _proposals(open_ones)
        if not proposals or not all(self.session.has_entry(one.id) for one in proposals):
            self.context.notify.info("Nothing is proposed here that could be decided as a group.")
            return
        archs = list(dict.fromkeys(arch for one in proposals for arch in one.archs))
        dialog = GroupDecision(
            f"{counted(len(open_ones), 'test')}: {proposals[0].cause.what or proposals[0].cause.text}",
            len(open_ones),
            proposed=statuses_proposed(open_ones),
            reasons=_offered(reasons_of(proposals), proposals[0].cause.what),
            archs=[arch for arch in self.session.matrix.schema.archs if arch in archs],
            leaving=len(_leaving(open_ones)),
        )

        def decided(choice: GroupChoice | None) -> None:
            if choice is not None:
                self.tests.decide_group(open_ones, choice)

        self.app.push_screen(dialog, decided)

    @command(
        "triage.show", Where.TRIAGE, "t", "Tests", "Show the tests of the group in the matrix", needs=Need.LISTED_TEST
    )
    def action_show_tests(self) -> None:
        """Show the tests of the group in the matrix, and nothing else."""
        tests = self._rows_selected()
        if len(tests) > MOST_NAMED:
            mark = self.context.keymap.key("triage.mark")
            self.context.notify.info(f"Too many tests to filter by name: {mark} marks them in the matrix.")
        elif tests:
            self.context.navigation.show_tests(exactly(tests))

    @command(
        "triage.mark", Where.TRIAGE, "M", "Mark", "Mark the tests of the group in the matrix", needs=Need.LISTED_TEST
    )
    def action_mark_tests(self) -> None:
        """Mark the tests of the group in the matrix."""
        tests, matrix = self._rows_selected(), self.context.keymap.key("app.matrix")
        if tests:
            self.session.view.mark(tests)
            self.context.edits.save_marks()
            self.context.notify.info(f"{counted(len(tests), 'test')} marked in the matrix ({matrix}).")

    def _show_list(self, shown: Shown) -> None:
        self.tests.shown = shown
        self.listing.show_folded()

    def take_threshold(self, change: Change, text: str) -> None:
        """Accept the proposal with another threshold."""
        new = replace(listed_of(change).plain, ops=combined(self.session.matrix, change.ops, retyped(change.ops, text)))
        if not new.ops:
            self.context.notify.info("The entry already says this.")
        else:
            self.context.edits.decide_proposals(Decision.ACCEPTED, [new])

    @command("triage.list", Where.TRIAGE, "f", "List", "Next list (attention, PCC, unknown, blind spots)", footer=True)
    def action_next_list(self) -> None:
        self._show_list(_SHOWN[(_SHOWN.index(self.tests.shown) + 1) % len(_SHOWN)])

    @command("triage.reruns", Where.TRIAGE, "R", "Reruns", "List what is worth a rerun, or all again")
    def action_reruns(self) -> None:
        """Toggle between tests worth a rerun and those that need attention."""
        self._show_list(Shown.ATTENTION if self.tests.shown is Shown.RERUN else Shown.RERUN)

    @command(
        "triage.run",
        Where.TRIAGE,
        "r",
        "Rerun",
        "Run the test or group on the device",
        needs=Need.LISTED_TEST,
        changes=Changes.RUNS,
    )
    def action_rerun(self) -> None:
        """Fill what is not known: run the test under the cursor, or what is listed of its group, on the device."""
        items = [item_of(one) for one in self.listing.selected]
        tests = [item for item in items if self.session.runs_as_test(item.id)]
        wanted = [one for item in tests for one in item.judgements if one.verdict is item.verdict]
        if items and not tests:
            run, kind = self.context.keymap.key("matrix.run"), self.session.kind_of(items[0].id)
            what = f"{kind.noun}s".capitalize() if kind else "They"
            self.context.notify.info(f"{what} run in the matrix, with {run}.")
        elif tests:
            session, ask = self.session, partial(ask_to_start, self)
            self.context.background.run("plan reruns", lambda: session.look().plan_lacking(wanted), ask, asks=True)

    def _rows_selected(self) -> list[str]:
        """The tests and op cases under the cursor that the matrix has; says so if it has none."""
        rows = self.session.view.matrix.rows
        found = [id for id in (item_of(one).id for one in self.listing.selected) if id in rows]
        if not found:
            self.context.notify.info("The checkout has no such test.")
        return found

    @command("triage.host", Where.TRIAGE, "H", "Host", "Toggle results of machines that fail alone")
    def action_leave_out(self) -> None:
        """Judge without the machines that alone fail, or with all of them again."""
        worklist, worklists = self.tests.worklist, self.context.worklists
        if not worklists.left_out and worklist and not worklist.suspects:
            self.context.notify.info("No machine fails tests that pass on all others.")
            return
        alone = frozenset(one.host for one in worklist.suspects) if worklist else frozenset()
        worklists.leave_out(frozenset() if worklists.left_out else alone)

    # What is known about the test under the cursor

    def ask_preview(self) -> None:
        current, session, worklist = self.listing.current, self.session, self.tests.worklist
        if current is None:
            self._preview_group()
            return
        change, matrix, width = listed_of(current), session.matrix, self.pane.width
        item = change.item
        left_out = self.context.worklists.left_out
        alone = [one.host for one in worklist.suspects] if worklist else []
        results = result_lines(item.about, width, alone)

        def preview() -> Sequence[Line]:
            on_archs = session.has_entry(item.id)
            evidence, archs = self._look(left_out), {one.arch for one in item.about}
            series = evidence.strips([item.id]) if on_archs else {}
            strips = strip_lines(item.about, width, {arch: rows for (_, arch), rows in series.items()})
            cells = evidence.since(item.id, archs) if on_archs and archs else ()
            since = since_words([line for one in cells for line in one.lines], width)
            if not change.ops:
                return [*paragraph(change.note, "", width), *strips, *since, *results]
            planned = session.bench.plan(change.ops, matrix.schema, matrix.files)
            plain = replace(change.plain, note="", evidence=(), facts=(), grade=None)
            made = make_preview(planned, matrix, [plain], (), session.workspace.ci)
            known = [*self._leaves_ci(change, width), *grade_lines(item, width), *strips]
            return [*known, *preview_lines(made, width), *since, *results]

        self.context.background.run(
            "preview of a proposal",
            preview,
            self.pane.if_last(partial(self._show_preview, one_line(item.id))),
            supersede=True,
        )

    def _leaves_ci(self, change: Listed, width: int) -> list[Line]:
        """Lines that a test leaves CI, shown before all others, and what keeps it in. Not for the app's own thread."""
        if not change.leaves:
            return []
        text = f"will leave CI on {', '.join(change.leaves)}: no scheduled job selects it after this change"
        found = schedule_markers(self.session.matrix, self.session.workspace.ci, _proposals([change]))
        key = self.context.keymap.key("decide.accept")
        more = [f"the marker {one.marker} keeps it in CI: {key} offers it" for one in found.values()]
        return [*paragraph(text, "error", width), *(line for words in more for line in paragraph(words, "", width))]

    def _show_preview(self, headline: str, lines: Sequence[Line]) -> None:
        self.pane.say(headline)
        self.pane.show(lines)

    def _preview_group(self) -> None:
        line, width = self.listing.table.line, self.pane.width
        if line is None:
            self._show_preview("", [])
            return
        members = [item_of(one) for one in line.group.changes]
        headline = f"{counted(len(members), 'test')}: {self.listing.table.rows.look.name(line.group)}"
        if self.listing.by is not TriageBy.CAUSE or not all(self.session.has_entry(one.id) for one in members):
            self._show_preview(headline, group_lines(members, {}, width))
            return
        left_out = self.context.worklists.left_out
        if len(members) <= _MOST_AT_ONCE:
            proposed = proposed_words(line.group.changes)
            soon = shared_lines(shared_by(members), (), width, proposed)
            self._show_preview(headline, [*soon, *group_lines(members, {}, width)])
        else:
            self._show_preview(headline, [])

        def known() -> Sequence[Line]:
            evidence = self._look(left_out)
            shared, commits = evidence.shared(members)
            series = evidence.strips([one.id for one in members[:MOST_STRIPS]])
            said = shared_lines(shared, commits, width, proposed_words(line.group.changes))
            return [*said, *group_lines(members, series, width)]

        show = partial(self._show_preview, headline)
        self.context.background.run("what a group shares", known, self.pane.if_last(show), supersede=True)

    def _nothing(self, worklist: Worklist) -> str:
        """Why the list has no test, and what to do about it."""
        other = self.context.keymap.key("triage.list")
        if self.tests.shown is Shown.ATTENTION and not self.session.matrix.entries:
            return "The checkout has no entries."
        if not worklist.tests:
            return self.first_step(_NO_RESULTS)
        if self.tests.shown is Shown.ATTENTION:
            return f"All results agree with the entries: {other} shows the other lists."
        return f"No test is in this list: {other} shows the next one."
