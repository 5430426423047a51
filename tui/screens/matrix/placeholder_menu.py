# SPDX-License-Identifier: Apache-2.0
"""Edits of placeholders: remove one, or replace it by entries for tests of its model."""

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import partial

from core.base.errors import UsageError
from core.base.text import one_line
from core.domain.model import Status
from core.edits import PROMOTED_STATUSES, promotion, removal
from core.matrix import resolve_id
from core.workspace import Workspace
from tui.screens.base import SessionScreen
from tui.screens.dialogs import Ask, Confirm
from tui.screens.pick import Option, Pick
from tui.view_models import counted

_SHOWN_NAMES = 6
_ONE_DEVICE = "-single_device-inference"
_STATUS_HELP = {
    Status.EXPECTED_PASSING: "it runs, and a failure fails CI",
    Status.KNOWN_FAILURE_XFAIL: "it runs and fails, with the bring-up status and reason of the placeholder",
    Status.NOT_SUPPORTED_SKIP: "it does not run, with the bring-up status and reason of the placeholder",
    Status.UNSPECIFIED: "it runs in experimental jobs only",
}


class PlaceholderAct(Enum):
    """One edit of placeholders; the value is its name and its help."""

    PROMOTE = ("make entry", "replace the placeholder by an entry for a test of its model")
    REMOVE = ("remove", "remove the placeholder; asks first")


class _PickTest(Pick[tuple[str, ...]]):
    TITLES = ("entry", "test", "")


class PlaceholderMenu:
    """The menu of edits for placeholders, over a screen."""

    def __init__(self, screen: SessionScreen, names: Sequence[str]) -> None:
        self._app, self._context, self._session = screen.app, screen.context, screen.session
        self._names = names

    def open(self) -> None:
        """Ask which edit, and propose it."""
        title = one_line(self._names[0]) if len(self._names) == 1 else counted(len(self._names), "placeholder")
        menu = Pick(title, [Option(act, *act.value) for act in PlaceholderAct])
        self._app.push_screen(menu, lambda act: self._begin(act) if act else None)

    def _begin(self, act: PlaceholderAct) -> None:
        if act is PlaceholderAct.REMOVE:
            self._remove()
        elif len(self._names) > 1:
            self._context.notify.info("Make entries for one placeholder at a time.")
        else:
            work = partial(self._session.workspace.read, Workspace.placeholder_tests)
            self._context.background.run("tests of placeholders", work, self._choose_test, asks=True)

    def _remove(self) -> None:
        shown = [one_line(name) for name in self._names[:_SHOWN_NAMES]]
        more = [f"and {len(self._names) - _SHOWN_NAMES:,} more"] if len(self._names) > _SHOWN_NAMES else []
        title = f"Remove {counted(len(self._names), 'placeholder')}?"
        question = Confirm(title, "\n".join((*shown, *more)), verb="propose it")
        operations = partial(removal, self._session.matrix, self._names)
        self._app.push_screen(question, lambda yes: self._context.edits.propose(operations()) if yes else None)

    def _choose_test(self, known: tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]) -> None:
        tests, near = (one.get(self._names[0], ()) for one in known)
        if not tests:
            nearest = f" The nearest is {one_line(near[0])}." if near else ""
            self._ask_test(f"No loader has exactly this model.{nearest} Part of the id of its test:")
            return
        entries = self._session.matrix.entries
        options: list[Option[tuple[str, ...]]] = [
            Option((id,), "has one" if id in entries else "none yet", one_line(id)) for id in tests
        ]
        plain = tuple(id for id in tests if id.endswith(_ONE_DEVICE) and id not in entries)
        if len(plain) > 1:
            options.insert(0, Option(plain, f"all {len(plain)}", "all variants: inference on one device"))
        options.append(Option((), "other", "another test: type a part of its id"))
        self._app.push_screen(_PickTest("Which test gets the entry?", options), self._test_chosen)

    def _test_chosen(self, ids: tuple[str, ...] | None) -> None:
        if ids:
            self._choose_status(ids)
        elif ids is not None:
            self._ask_test("Part of the id of its test:")

    def _ask_test(self, words: str) -> None:
        def check(text: str) -> str:
            id = resolve_id(self._session.matrix, text)
            if id in self._session.matrix.strays:
                raise UsageError(
                    f"{id} has no loader", "Add the loader first: entries are of tests that a loader generates."
                )
            return id

        question = Ask("Which test gets the entry?", words, verb="choose its status", check=check)
        self._app.push_screen(question, lambda text: self._choose_status((check(text),)) if text else None)

    def _choose_status(self, ids: Sequence[str]) -> None:
        if all(id in self._session.matrix.entries for id in ids):
            # Nothing to be said of an entry that is there: the placeholder goes.
            self._context.edits.propose(promotion(self._session.matrix, self._names[0], ids, Status.UNSPECIFIED))
            return
        options = [Option(status, status, _STATUS_HELP[status]) for status in PROMOTED_STATUSES]

        def take(status: Status | None) -> None:
            if status:
                self._context.edits.propose(promotion(self._session.matrix, self._names[0], ids, status))

        self._app.push_screen(Pick("Status of the entry", options), take)
