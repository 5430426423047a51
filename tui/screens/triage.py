# SPDX-License-Identifier: Apache-2.0
"""Triage: what runs have shown of entries; decide what is proposed, in groups, and see what nobody knows."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from core.edits.pending import Change, Decision
from core.evidence.proposals import Agenda, Item, decided
from core.text import one_line
from tui.commands import Where, bindings
from tui.protocol import Host
from tui.screens.dialogs import ask_to_start
from tui.screens.evidence_screen import EvidenceScreen
from tui.screens.review import ChangeList
from tui.session import Session
from tui.view_models import (
    Line,
    Listed,
    Shown,
    TriageBy,
    TriageRows,
    counted,
    diff_style,
    group_lines,
    group_listed,
    item_of,
    listed,
    make_preview,
    paragraph,
    preview_lines,
    result_lines,
    strip_lines,
)
from tui.widgets import FilterBar, KeptText, KeyLine, LinesView, RowTable, TextLines

_DELAY = 0.06
"""Seconds the cursor must rest before what it is on is worked out."""
_SHOWN = tuple(Shown)


class TriageScreen(ChangeList, EvidenceScreen):
    """Tests above, what is known of the one under the cursor below. What is accepted becomes a pending change."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.TRIAGE)
    ORDER: ClassVar[Sequence[TriageBy]] = tuple(TriageBy)
    NAME: ClassVar[str] = "test"

    def __init__(self, session: Session, host: Host) -> None:
        super().__init__(session, host)
        self.view = LinesView(diff_style, id="diff")
        self.headline = Static("", id="diff-title", markup=False)
        self.shown = Shown.ATTENTION
        self._agenda: Agenda | None = None
        self._left_out: frozenset[str] = frozenset()
        self._listed: tuple[object, list[Listed]] = (None, [])

    def places(self) -> tuple[Where, ...]:
        if self.view.has_focus:
            return (Where.TRIAGE, Where.LINES)
        return (Where.TRIAGE, Where.TABLE, *((Where.TREE,) if self.by else ()))

    def compose(self) -> ComposeResult:
        yield KeptText("", id="title", markup=False)
        bar = FilterBar("", self.filter_by, self.leave_filter, placeholder="words of a test, a verdict, a reason")
        bar.display = False
        yield bar
        with Vertical(id="changes-box"):
            yield self.table
        yield self.headline
        yield self.view
        yield KeyLine()

    def on_mount(self) -> None:
        self._timer = self.set_timer(_DELAY, self._ask_preview)
        self.follow(self.host.pending_changed, self._refresh)
        self.follow(self.host.runs_changed, self.say_where)
        self.table.focus()
        self._refresh()
        self.follow_evidence()

    # What there is

    def look(self) -> None:
        work = partial(self.knowledge.agenda, self._left_out)
        self.host.in_thread("evidence", work, self._take, supersede=True)

    def _take(self, found: Agenda) -> None:
        self._agenda = found
        self._refresh()

    def _refresh(self) -> None:
        self.show_rows()

    def show_rows(self, keep: str | None = None) -> None:
        super().show_rows(keep)
        self.fit_list("#changes-box", len(self.table.rows))

    @property
    def changes(self) -> Sequence[Listed]:
        pending, agenda = self.session.pending, self._agenda
        key = (agenda, self.shown, pending)
        if self._listed[0] != key and agenda is not None:
            self._listed = key, listed(agenda.items, self.shown, pending)
        return self._listed[1]

    def rows_of(self, changes: Sequence[Change], opened: frozenset[str]) -> TriageRows:
        by = TriageBy(self.by)
        return TriageRows(group_listed(changes, by, self.loader_of), by, opened)

    def search_text(self, change: Change) -> str:
        item = change.item if isinstance(change, Listed) else None
        return f"{item.verdict if item else ''} {item.id if item else ''} {super().search_text(change)}".lower()

    def say_where(self) -> None:
        agenda = self._agenda
        if agenda is None:
            self.title_line("looking at the evidence …")
            return
        done, left = decided(one for one in self.changes if one.ops)
        words = f"{self.shown}: {counted(len(self.changes), 'test')}"
        alone = [one.host for one in agenda.suspects if one.host not in self._left_out]
        self.title_line(
            f"{done:,} decided, {left:,} left" if done + left else "",
            f"{', '.join(map(one_line, alone))} fails alone (H)" if alone else "",
            f"without {', '.join(map(one_line, sorted(self._left_out)))}" if self._left_out else "",
            words,
        )

    def go_back(self) -> None:
        """First the filter, then the list, then the screen."""
        if self.filtering:
            self.clear_filter()
        elif self.shown is not Shown.ATTENTION:
            self._show_list(Shown.ATTENTION)
        else:
            super().go_back()

    def action_next_list(self) -> None:
        self._show_list(_SHOWN[(_SHOWN.index(self.shown) + 1) % len(_SHOWN)])

    def _show_list(self, shown: Shown) -> None:
        self.shown = shown
        self._opened = frozenset()
        self._refresh()

    def action_leave_out(self) -> None:
        """Judge without the machines that fail alone, or with all again."""
        if not self._left_out and self._agenda and not self._agenda.suspects:
            self.host.say("No machine fails what others pass.")
            return
        alone = frozenset(one.host for one in self._agenda.suspects) if self._agenda else frozenset()
        self._left_out = frozenset() if self._left_out else alone
        self.ask()

    # Decisions

    def decide(self, decision: Decision, changes: Sequence[Change]) -> None:
        plain = [one.plain for one in changes if isinstance(one, Listed) and one.ops]
        if plain:
            self.host.decide_proposals(decision, plain)
        else:
            self.host.say("Nothing is proposed here: r reruns it, enter shows it in the matrix.")

    def caution(self, changes: Sequence[Change]) -> str:
        leaving = [one for one in map(item_of, changes) if one.proposal and one.proposal.leaves]
        return f"{counted(len(leaving), 'test')} LEAVES CI: no scheduled job selects it then." if leaving else ""

    def action_go_to_test(self) -> None:
        if isinstance(self.current, Listed):
            self.host.show_test(self.current.test)

    def action_rerun(self) -> None:
        """Fill what is not known: run the test under the cursor, or what is listed of its group, on the device."""
        line = self.table.line
        if line is None:
            return
        members = [line.change] if line.change is not None else line.group.changes
        items = [one.item for one in members if isinstance(one, Listed) and one.item is not None]
        wanted = [one for item in items for one in item.judgements if one.verdict is item.verdict]
        self.host.in_thread("plan reruns", partial(self.knowledge.plan_lacking, wanted), partial(ask_to_start, self))

    # What is known of the test under the cursor

    def on_row_table_highlighted(self, event: RowTable.Highlighted) -> None:
        self._timer.stop()
        self._timer = self.set_timer(_DELAY, self._ask_preview)

    def _ask_preview(self) -> None:
        change, session = self.current, self.session
        if not isinstance(change, Listed) or change.item is None:
            self._say_group()
            return
        matrix, width, item = session.matrix, self.view.line_width, change.item
        alone = [one.host for one in self._agenda.suspects] if self._agenda else []
        told, seen = strip_lines(item.about, width), result_lines(item.about, width, alone)

        def preview() -> Sequence[Line]:
            if not change.ops:
                return [*paragraph(change.note, "", width), *told, *seen]
            made = make_preview(matrix, [replace(change.plain, note="", evidence=())], change.ops, (), session.ci())
            return [*_warning(item, width), *told, *preview_lines(made, width), *seen]

        self.host.in_thread("preview", preview, partial(self._show_preview, one_line(item.id)), supersede=True)

    def _show_preview(self, headline: str, lines: Sequence[Line]) -> None:
        self.headline.update(headline)
        self.view.show(TextLines(lines))

    def _say_group(self) -> None:
        line = self.table.line
        if line is None:
            title, words = ("", "") if self._agenda is None else self._nothing()
            self._show_preview(title, paragraph(words, "dim", self.view.line_width) if words else [])
            return
        members = [item_of(one) for one in line.group.changes]
        name, width = self.table.rows.name(line.group), self.view.line_width
        self._show_preview(
            counted(len(members), "test"), [*paragraph(name, "heading", width), *group_lines(members, width)]
        )

    def _nothing(self) -> tuple[str, str]:
        """That nothing is listed, and what to know of it."""
        if self.filtering:
            return "nothing matches the filter", ""
        if self.shown is Shown.ATTENTION and not self.session.matrix.entries:
            return "there are no entries", ""
        if self._agenda is not None and not self._agenda.tests:
            return (
                "no results yet",
                "`ttmatrix ingest PATH` reads reports of CI. Device runs here count too.",
            )
        return "nothing here", "What runs have shown agrees with the entries. f shows other lists."

    def on_resize(self, event: events.Resize) -> None:
        if self.is_mounted:
            self.fit_list("#changes-box", len(self.table.rows))
            self.call_after_refresh(self._ask_preview)

    def action_other_pane(self) -> None:
        (self.table if self.view.has_focus else self.view).focus()


def _warning(item: Item, width: int) -> list[Line]:
    """That a test leaves CI comes before everything else."""
    leaves = item.proposal.leaves if item.proposal else ()
    text = f"LEAVES CI on {', '.join(leaves)}: no scheduled job selects it after this change"
    return list(paragraph(text, "error", width)) if leaves else []
