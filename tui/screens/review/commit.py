# SPDX-License-Identifier: Apache-2.0
"""The commit dialog: the messages, in how many commits, and what the checkout's validator and git's hooks say."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Label, Static, TextArea

from core import states
from core.base.errors import TTMatrixError
from core.base.text import counted, printable
from core.edits import EditPlan, Operation
from core.edits.commit import (
    Answer,
    CommitDraft,
    Composition,
    Delivered,
    Split,
    ValidatorRefused,
    compose_commits,
)
from core.matrix.view import hidden_words
from tui.protocol import Context
from tui.screens.dialogs import CHOOSE, Dialog, DialogKey
from tui.view_models import short_file
from tui.widgets import CachedText, Cycle, DialogBox, Form

T = TypeVar("T")
U = TypeVar("U")

_SPLITS = (
    (Split.NONE, "one commit"),
    (Split.REASON, "one per reason"),
    (Split.ISSUE, "one per issue"),
    (Split.ARCH, "one per arch"),
)
_BY_CAUSE = (Split.CAUSE, "one per cause")
"""Only where changes follow from results; where there are several causes, it is the first choice."""
_SHOWN_FILES = 3
_LINE = 72
"""Cells of a line of a message, as git has them."""
_SPARE = "\n"
"""There is room to type a line more, and below it one stays empty."""
_AROUND = 7
"""Lines of the box beside the message and what is said below it: empty ones, and those of the form that stay."""


class CommitDialog(Dialog[Delivered]):
    """Dismissed with what was committed. Every failure is shown here, and leaves everything as it was."""

    DEFAULT_CSS = """
    CommitDialog #message { height: 1fr; border: none; padding: 0; background: $boost; scrollbar-size-vertical: 1; }
    CommitDialog #files { text-wrap: nowrap; text-overflow: ellipsis; }
    CommitDialog #output-box { height: auto; max-height: 50vh; }
    CommitDialog #output { margin-top: 1; }
    CommitDialog #output.error { color: $text-error; }
    """
    KEYS = (
        DialogKey("tab", "app.focus_next", "split", "Next field"),
        *(one._replace(hint="split") for one in CHOOSE),
        DialogKey("ctrl+n", "other_message(1)", "message", "Next message", ahead=True),
        DialogKey("ctrl+p", "other_message(-1)", "message", "Previous message", ahead=True),
        DialogKey("ctrl+t", "markdown", "copy PR text", ahead=True),
        DialogKey("ctrl+s", "commit", "commit", ahead=True),
    )

    def __init__(
        self,
        context: Context,
        plan: Callable[[], EditPlan],
        operations: Sequence[Operation],
        ids: Sequence[int],
        *,
        edits: int = 0,
        hidden: int = 0,
    ) -> None:
        """`plan` makes the plan of the changes `ids`, which is written with the commit; it is called in a thread.

        `operations` are what is committed, whether written already or not; `edits` is how many loader edits are not
        committed; `hidden` is how many of the changes the filter of the review hides.
        """
        super().__init__()
        self._session = context.session
        self.context = context
        self._plan = plan
        self._operations = operations
        self._ids = ids
        self._causes = context.session.causes(ids)
        self._edits = edits
        self._hidden = hidden
        self._planned = EditPlan((), ())
        self._composition: Composition | None = None
        self._split = Split.NONE
        self._written: dict[Split, list[CommitDraft]] = {}
        """The commits by how they are split: what was typed for one number of commits stays while another is tried."""
        self._leaving = False
        """Whether it was said that leaving drops an edited message."""
        self._at = 0
        self._verify = True
        self._busy = True

    def compose(self) -> ComposeResult:
        with self.box("Commit", width=_LINE, lines=_AROUND + bool(self._edits)):
            yield Label("Commit", id="dialog-title")
            beside = CachedText(beside_words(self._edits), id="beside", markup=False)
            beside.display = bool(self._edits)
            yield Form(
                (
                    ("split", self._splits()),
                    ("files", CachedText("", id="files", markup=False)),
                    ("submodule", beside),
                    ("message", CachedText("", id="which", markup=False)),
                )
            )
            message = TextArea("", id="message", soft_wrap=True, tab_behavior="focus")
            message.cursor_blink = False
            yield message
            with VerticalScroll(id="output-box", can_focus=False):
                yield Static("", id="output", markup=False)
            yield self.hint_label()

    def on_mount(self) -> None:
        matrix, operations = self._session.matrix, self._operations
        evidence, planner = self._session.evidence(self._ids), self._session.bench.planner
        causes = self._causes
        self._say("Comparing with the last commit …")

        def compose() -> tuple[EditPlan, Composition]:
            planned = self._plan()
            return planned, compose_commits(matrix, operations, evidence=evidence, causes=causes, planner=planner)

        # The message is the question: keys typed right after the one that opened this are for it.
        self._ask("compose", compose, self._composed, keys_wait=True)

    def _splits(self) -> Cycle:
        known = (*_SPLITS, _BY_CAUSE) if self._causes else _SPLITS
        first = Split.CAUSE if len(set(self._causes.values())) > 1 else Split.NONE
        return Cycle([(one.value, words) for one, words in known], first.value, id="split")

    @property
    def _text(self) -> TextArea:
        return self.query_one("#message", TextArea)

    def _composed(self, made: tuple[EditPlan, Composition]) -> None:
        self._planned, self._composition = made
        composition = self._composition
        self._say("")
        names = [short_file(name) for name in composition.files]
        more = f" and {len(names) - _SHOWN_FILES} more" if len(names) > _SHOWN_FILES else ""
        self.query_one("#files", Static).update(", ".join(names[:_SHOWN_FILES]) + more)
        noun = "op case" if all(change.noun == "case" for change in composition.changes) else "test"
        tests = counted(len(composition.changes), noun)
        self.query_one("#dialog-title", Label).update(
            Text(f"Commit {tests}{hidden_words(self._hidden)}, and nothing else")
        )
        self._draft()
        self._text.focus()
        if not self._drafts:
            self._say("Nothing to commit: the last commit already says all of this.", error=True)

    @property
    def _drafts(self) -> list[CommitDraft]:
        """The commits that are to be made."""
        return self._written.get(self._split, [])

    @property
    def _edited(self) -> bool:
        """Whether a message is not as it was composed."""
        composed = self._composition
        return composed is not None and any(
            _messages(drafts) != _messages(composed.drafts(how)) for how, drafts in self._written.items()
        )

    def _draft(self) -> None:
        """Show the messages for the chosen number of commits."""
        if self._composition is not None:
            self._save_message()
            self._split = Split(self.query_one("#split", Cycle).value)
            if self._split not in self._written:
                self._written[self._split] = self._composition.drafts(self._split)
            self._show_message(0)

    def _show_message(self, at: int) -> None:
        self._at = at
        self._text.text = printable(self._drafts[at].message) if self._drafts else ""
        self.query_one(DialogBox).show_all_of(f"{self._text.text}{_SPARE}", "message")
        count = len(self._drafts)
        self.query_one("#which", Static).update(f"{at + 1} of {count}" if count > 1 else "")

    def _save_message(self) -> None:
        """Take over what was typed into the visible message."""
        if self._drafts:
            self._drafts[self._at] = CommitDraft(self._text.text, self._drafts[self._at].operations)

    def on_cycle_changed(self, event: Cycle.Changed) -> None:
        self._draft()

    def on_text_area_changed(self) -> None:
        if self._leaving:
            self._leaving = False
            self._say("")

    def action_other_message(self, by: int) -> None:
        if self._drafts:
            self._save_message()
            self._show_message((self._at + by) % len(self._drafts))

    def action_markdown(self) -> None:
        """Copy the text of a pull request."""
        composition, session = self._composition, self._session
        if composition is None or self._busy:
            return
        work = partial(states.pending_text_elsewhere, session.workspace.states, self._operations, composition.evidence)
        self._ask("markdown", work, self.context.notify.copy)

    def action_commit(self) -> None:
        if self._busy or not self._drafts:
            return
        self._save_message()
        session, planned, drafts, verify = self._session, self._planned, tuple(self._drafts), self._verify

        def work() -> Delivered:
            schema, python = session.matrix.schema, session.settings.python
            return session.bench.deliver(self._ids, planned, drafts, schema, verify=verify, python=python)

        self._say("Committing: first the checkout's validator, then git with its hooks …")
        self._ask("commit", work, self._delivered)

    def _delivered(self, delivered: Delivered) -> None:
        notes = [delivered.committed.output]
        if delivered.validation is not None and delivered.validation.answer is Answer.UNABLE:
            notes.append(f"The checkout's validator could not be run: {delivered.validation.detail}")
        if delivered.committed.detached:
            notes.append("HEAD is detached: git switch -c NAME gives the commits a branch.")
        # First: what is dismissed is the screen in front.
        self.dismiss(delivered)
        if text := "\n".join(filter(None, notes)):
            self.context.notify.error(TTMatrixError("Committed", text))

    def action_leave(self) -> None:
        if self._busy and self._drafts:
            self._say("Still committing …")
            return
        self._save_message()
        if not self._leaving and self._edited:
            self._leaving = True
            self._say("Nothing is committed yet: esc again drops the message that you have edited.")
        else:
            self.dismiss(None)

    def _ask(self, name: str, work: Callable[[], T], deliver: Callable[[T], None], *, keys_wait: bool = False) -> None:
        """Work in a thread, one thing at a time; an error is shown here."""
        self._busy = True

        def unless_left(take: Callable[[U], None]) -> Callable[[U], None]:
            def done(result: U) -> None:
                self._busy = False
                if self.is_attached:
                    take(result)

            return done

        refuse = unless_left(partial(self._refused, name))
        self.context.background.run(name, work, unless_left(deliver), fail=refuse, asks=keys_wait)

    def _refused(self, name: str, error: TTMatrixError) -> None:
        hint = error.hint
        if isinstance(error, ValidatorRefused):
            self._verify = False
            hint = "^s again commits anyway."
        untouched = "Nothing was written or committed." if name == "commit" else ""
        self._say("\n".join(filter(None, (error.title, error.detail, hint, untouched))), error=True)

    def _say(self, text: str, *, error: bool = False) -> None:
        output = self.query_one("#output", Static)
        output.set_class(error, "error")
        output.update(Text(printable(text)))
        self.query_one(DialogBox).show_all_of(printable(text), "output")


def _messages(drafts: Sequence[CommitDraft]) -> list[str]:
    """The messages as a person sees them."""
    return [printable(draft.message) for draft in drafts]


def beside_words(edits: int) -> str:
    """Says that the submodule has edits, and that they are not part of the commit."""
    return f"{counted(edits, 'uncommitted loader edit')}, not part of this commit"
