# SPDX-License-Identifier: Apache-2.0
"""The tour: six steps through the main job, each shown until its command has been run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from tui.keymap import Keymap, with_keys


class Step(NamedTuple):
    """One step of the tour."""

    commands: tuple[str, ...]
    """The commands that do it: any one of them leads to the next step."""
    words: str


STEPS = (
    Step(
        ("overview.open", "overview.filter", "app.matrix"),
        "{overview.open} on the overview ({app.overview}) opens what a number counts. {app.matrix} shows all tests.",
    ),
    Step(
        ("matrix.filter",),
        "{matrix.filter} filters while you type. Try status:xfail, then enter. `f1` lists what can be asked.",
    ),
    Step(
        ("matrix.detail",),
        "{matrix.detail} shows the entry of the test under the cursor, its history, its runs and its results.",
    ),
    Step(("matrix.run",), "{matrix.run} runs the test here, on the CPU, in the background. `space` marks several."),
    Step(
        ("matrix.log", "app.log", "app.runs"),
        "{matrix.log} in the matrix shows the log of the last run, live. {app.runs} lists all runs.",
    ),
    Step(
        ("app.triage", "app.review"),
        "{app.triage} proposes what entries should say by now. {app.review} shows each change and commits it. "
        "{app.help} lists the keys of each screen.",
    ),
)


class Tour:
    """The step of the tour where a person is."""

    def __init__(self, keymap: Keymap, say: Callable[[str, str], None], done: Callable[[], None]) -> None:
        """`say` shows a title and words in place of what it showed before; `done` takes them away."""
        self._keymap = keymap
        self._say = say
        self._done = done
        self._at: int | None = None

    def begin(self) -> None:
        """Show the first step, also in the middle of the tour."""
        self._at = 0
        self._show()

    def end(self) -> None:
        """Leave the tour."""
        if self._at is not None:
            self._at = None
            self._done()

    def used(self, commands: Iterable[str]) -> None:
        """These commands were run: go to the next step if one of them is what this step is about."""
        if self._at is None or not {*STEPS[self._at].commands}.intersection(commands):
            return
        if self._at + 1 == len(STEPS):
            self.end()
        else:
            self._at += 1
            self._show()

    def _show(self) -> None:
        if self._at is not None:
            words = with_keys(STEPS[self._at].words, self._keymap)
            self._say(f"Step {self._at + 1} of {len(STEPS)} · :tour end leaves", words)
