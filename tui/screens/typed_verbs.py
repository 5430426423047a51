# SPDX-License-Identifier: Apache-2.0
"""Verbs of the command line: what is done with something typed behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from textual.app import App

from core import sessions
from core.base.errors import TTMatrixError, UsageError
from core.edits import EntryForm, FormField, entry_fields
from core.matrix import NO_ARCH
from core.matrix.query import Query
from core.matrix.view import GROUPINGS, LAYOUTS, TABLE_FIELDS, ViewSpec
from core.runs.planning import KINDS
from tui.commands import refusal
from tui.protocol import Context
from tui.screens.command_line import Verb
from tui.screens.matrix import MatrixScreen
from tui.themes import THEME_WORDS, THEMES

Values = Sequence[tuple[str, str]]
"""Possible texts, each with a word about it."""

_ANY_ARCH, _NO_GROUP = "any", "nothing"
_HOURS: Values = [(hours, "hours") for hours in ("1", "2", "4", "8", "12")]
_COMMITS: Values = [("HEAD", "the last commit"), ("@{upstream}..HEAD", "what is not pushed yet")]

_RANGES: Values = [
    ("", "what is not committed"),
    ("HEAD~1..HEAD", "the last commit"),
    ("HEAD..index", "what is staged"),
]
_TOUR: Values = [("", "from the first step"), ("end", "leave it")]
_UPLIFTS: Values = [("origin/main", "the newest that was fetched"), ("HEAD", "the one that is checked out")]


class Verbs:
    """Each closes the command line and acts; what is about tests shows the matrix first."""

    def __init__(self, app: App[None], context: Context, screen: MatrixScreen) -> None:
        """`screen` is the matrix, in front or not."""
        self._app = app
        self._context = context
        self._session = context.session
        self._screen = screen
        self._doubted = ""
        """The setting that was asked about last."""

    def all(self) -> list[Verb]:
        """All of them, in the order in which they are listed."""
        archs: Values = [(arch, "") for arch in self._session.matrix.schema.archs]
        groups: Values = [(_NO_GROUP, "no groups"), *((one.name, one.help) for one in GROUPINGS)]
        layouts: Values = [(one.name, one.help) for one in LAYOUTS]
        columns: Values = [(one.name, one.help) for one in TABLE_FIELDS]
        themes: Values = [(name, THEME_WORDS[name]) for name in THEMES]
        kinds: Values = [
            (" ".join(filter(None, (kind, arch))), one.help)
            for kind, one in KINDS.items()
            for arch, _ in (("", ""), *archs)
        ]
        set_field, extract = (
            self._allowed("matrix.set", self._set_field),
            self._allowed("matrix.extract", self._extract),
        )
        run, plan = self._allowed("matrix.run_with", self._run), self._allowed("matrix.run_with", self._plan)
        return [
            Verb("goto", "Show a test in the matrix", self._ids, self._go_to),
            Verb("filter", "Show the tests of a query or a saved view", self._saved, self._filter),
            Verb("arch", "Show the values for an arch", lambda: [(_ANY_ARCH, "base values"), *archs], self._show_arch),
            Verb("group", "Group the tests", lambda: groups, self._group),
            Verb("grid", "Lay out a grid", lambda: layouts, lambda name: self._view(lambda s: s._replace(grid=name))),
            Verb("sort", "Sort by a column", lambda: columns, self._sort),
            Verb("set", "Set a field of the marked entries", lambda: _settings(self._fields), set_field),
            Verb("run", "Run the marked tests with a kind and an arch", lambda: kinds, run),
            Verb("plan", "Plan a session of a number of hours", lambda: _HOURS, plan, str),
            Verb("extract", "Write the ops of this model into a file", self._manifest, extract, self._default_manifest),
            Verb("pr", "Copy the text of a pull request, from a commit", lambda: _COMMITS, self._copy_pr, str),
            Verb("diff", "Show what commits change", lambda: _RANGES, self._diff, str),
            Verb(
                "uplift", "Show what a commit of the models changes", lambda: _UPLIFTS, partial(self._diff, uplift=True)
            ),
            Verb("theme", "Change the colours", lambda: themes, self._set_theme),
            Verb("tour", "Learn the main job in six steps", lambda: _TOUR, self._tour, str),
        ]

    def _allowed(self, command: str, act: Callable[[str], None]) -> Callable[[str], None]:
        """`act`, which is refused whenever that command is."""

        def act_or_refuse(text: str) -> None:
            if why := refusal(command, read_only=self._session.read_only):
                raise TTMatrixError(why)
            act(text)

        return act_or_refuse

    # What may be typed

    def _ids(self) -> Values:
        return [(id, "") for id in self._session.matrix.ids]

    def _manifest(self) -> Values:
        default = self._default_manifest()
        return [(default, "named after the model")] if default else []

    def _default_manifest(self) -> str:
        return self._screen.extraction.default() or ""

    def _saved(self) -> Values:
        return [(name, "saved view") for name in self._session.saved.all()]

    @property
    def _fields(self) -> Sequence[FormField]:
        return entry_fields(self._session.matrix.schema)

    # What is done

    def _close(self, act: Callable[[], object]) -> None:
        """Close the command line, then act on the screen below."""
        self._app.pop_screen()
        self._app.call_later(act)

    def _on_matrix(self, act: Callable[[], object]) -> None:
        def show() -> None:
            self._context.navigation.switch("matrix")
            act()

        self._close(show)

    def _view(self, change: Callable[[ViewSpec], ViewSpec]) -> None:
        spec = change(self._session.view.spec)
        spec.check()
        self._session.view.select(spec.query)
        self._on_matrix(lambda: self._screen.views.go(spec))

    def _go_to(self, id: str) -> None:
        if id not in self._session.matrix.rows:
            nearest = self._session.matrix.closest(id, 1)
            raise UsageError(f"There is no test {id!r}", hint=f"Nearest: {nearest[0]}" if nearest else "")
        self._close(lambda: self._context.navigation.show_test(id))

    def _filter(self, text: str) -> None:
        saved = self._session.saved.all()
        self._view(lambda spec: saved[text] if text in saved else spec._replace(query=Query.parse(text)))

    def _show_arch(self, name: str) -> None:
        arch = NO_ARCH if name == _ANY_ARCH else name
        self._session.matrix.check_arch(arch)
        self._view(lambda spec: spec._replace(arch=arch))

    def _group(self, name: str) -> None:
        self._view(lambda spec: spec._replace(group="" if name == _NO_GROUP else name, grid=""))

    def _sort(self, name: str) -> None:
        self._view(lambda spec: spec._replace(sort=name, descending=False))

    def _set_field(self, text: str) -> None:
        name, equals, value = (part.strip() for part in text.partition("="))
        names = [field.name for field in self._fields]
        if not equals or name not in names:
            raise UsageError("Type a field and its value: field=value", hint=f"Fields: {', '.join(names)}.")
        # What is wrong or odd about it is said here, where it can be corrected.
        form = EntryForm(self._session.matrix, ())
        form.read(name, value)
        doubt = form.doubt({name: value}) if text != self._doubted else ""
        self._doubted = text
        if doubt:
            raise UsageError(doubt, "Enter again sets it anyway.")
        self._on_matrix(lambda: self._screen.tests.set_field(name, value))

    def _run(self, text: str) -> None:
        kind, *rest = text.split() or [""]
        if kind not in KINDS or len(rest) > 1:
            raise UsageError("Type how to run, and on which arch if that matters", hint=f"Kinds: {', '.join(KINDS)}.")
        arch = rest[0] if rest else self._session.view.arch
        self._session.matrix.check_arch(arch)
        self._on_matrix(lambda: self._screen.tests.run_as(kind, arch))

    def _plan(self, text: str) -> None:
        hours = sessions.hours_if_any(text)
        self._close(lambda: self._context.navigation.plan_session(hours))

    def _extract(self, file: str) -> None:
        self._screen.extraction.check(file)
        self._on_matrix(lambda: self._screen.extraction.extract(file))

    def _copy_pr(self, revision: str) -> None:
        def read() -> None:
            work = partial(self._session.pull_request, revision or "HEAD")
            self._context.background.run("text of a pull request by name", work, self._context.notify.copy)

        self._close(read)

    def _diff(self, range: str, *, uplift: bool = False) -> None:
        self._close(lambda: self._context.navigation.show_diff(range, uplift=uplift))

    def _set_theme(self, name: str) -> None:
        if name not in THEMES:
            raise UsageError(f"There is no theme {name!r}", hint=f"Themes: {', '.join(THEMES)}.")
        self._close(lambda: setattr(self._app, "theme", name))

    def _tour(self, word: str) -> None:
        if word not in dict(_TOUR):
            raise UsageError(f"There is no tour {word!r}", hint="`tour` begins it, `tour end` leaves it.")
        tour = self._context.tour
        self._close(tour.end if word else tour.begin)


def _settings(fields: Sequence[FormField]) -> Values:
    """Fields with the values that they can have."""
    chosen = [(f"{field.name}={choice}", "") for field in fields for choice in field.choices]
    return [*chosen, *((f"{field.name}=", "any text") for field in fields if not field.choices)]
