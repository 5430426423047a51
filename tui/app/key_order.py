# SPDX-License-Identifier: Apache-2.0
"""Handle keys one by one: the widget that a key opens gets the keys after it, even if it opens late."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from textual import events
from textual.app import App
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

_GIVE_UP_SECONDS = 1.0
"""Most seconds that a key delays those after it; more only if something goes wrong."""
_ROUNDS = 2
"""Rounds in which a key is followed: one for its effect, one for the messages that this has sent."""
_PAUSE_SECONDS = 2.0
"""Seconds that keys wait for a question that background work asks: nobody types ahead for longer."""
_DEAF_SECONDS = 0.5
"""After a question that appears later than that, keys are dropped this long: they were meant for what it covers."""


class Pause:
    """Makes keys wait from its creation to its end."""

    def __init__(self, end: Callable[[Pause], None]) -> None:
        self._end = end
        self.over = False
        """Whether it took so long that keys no longer wait."""

    def end(self) -> None:
        """End the pause: what was waited for exists, or never will."""
        self._end(self)


class KeyOrder:
    """Passes a key on when the one before has taken effect.

    The stock app passes every key at once to whatever has the focus. Over a slow connection keys come in bursts, and
    those after one that opens a form would run as commands below it, or be lost while the form is made.
    """

    class Followed(Message):
        """Goes the way that a key has gone, behind it: when it is back at the app, the key is done."""

    def __init__(
        self,
        app: App[Any],
        hand_on: Callable[[events.Event], Awaitable[None]],
        dropped: Callable[[], None] = lambda: None,
    ) -> None:
        """`hand_on` is how the stock app takes an event; `dropped` is called when keys have waited in vain."""
        self._app = app
        self._take = hand_on
        self._dropped = dropped
        self._keys: deque[events.Key | events.Paste] = deque()
        """Input that has not been passed on yet."""
        self._follower: KeyOrder.Followed | None = None
        """Follows the current key; None if no key is being handled."""
        self._rounds = 0
        self._pauses: list[Pause] = []
        self._deaf_until = 0.0

    @property
    def in_line(self) -> int:
        """The number of keys that have not been handed on yet."""
        return len(self._keys)

    def start(self) -> None:
        """Start following keys to the screens that they open."""
        self._app.screen_change_signal.subscribe(self._app, self._follow_screen)
        self._app.screen_change_signal.subscribe(self._app, self._cover, immediate=True)

    async def take(self, event: events.Event) -> None:
        """Take any event of the app: keys in order, all others at once."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await self._take(event)
            return
        if not self._app.screen_stack:
            return  # The app is ending, and nothing is left to receive the key.
        if time.monotonic() < self._deaf_until:
            return
        self._keys.append(event)
        if self._follower is None and not self._waiting:
            await self._hand_on()
        elif len(self._keys) == 1:
            self._app.set_timer(_GIVE_UP_SECONDS, partial(self._give_up, event))

    def pause(self, *, question: bool = True, seconds: float = _PAUSE_SECONDS) -> Pause:
        """Make keys wait for a question that is being prepared, or a list, until the pause ends or a few seconds pass.

        Keys that waited for a question that did not come in time are dropped: they were meant for it.
        Those that waited for a list are passed on: commands that need a row report that there is none.
        """
        pause = Pause(self._end_pause)
        self._pauses.append(pause)
        late = self._end_waiting if question else self._end_pause
        self._app.set_timer(seconds, partial(late, pause))
        return pause

    @property
    def _waiting(self) -> bool:
        return any(not pause.over for pause in self._pauses)

    def _end_waiting(self, pause: Pause) -> None:
        if pause not in self._pauses:
            return
        pause.over = True
        if self._keys and not self._waiting:
            self._keys.clear()
            self._dropped()

    def _end_pause(self, pause: Pause) -> None:
        if pause in self._pauses:
            self._pauses.remove(pause)
        if self._keys and self._follower is None and not self._waiting and self._app.screen_stack:
            self._follow(self._app.focused or self._app.screen, _ROUNDS)

    async def _hand_on(self) -> None:
        """Pass on the first waiting key."""
        if not self._app.screen_stack:
            self._keys.clear()
            return
        event, target = self._keys.popleft(), self._app.focused or self._app.screen
        try:
            await self._take(event)
        finally:
            # A command with priority over the focused widget is done by now, and may have moved the focus.
            self._follow(target if event.is_forwarded else self._app.focused or self._app.screen, _ROUNDS)

    def _follow(self, node: Widget, rounds: int) -> None:
        self._follower, self._rounds = self.Followed(), rounds
        node.post_message(self._follower)

    def _follow_screen(self, screen: Screen[Any]) -> None:
        """A key has opened another screen: once a follower has passed through it, it is made and has its focus."""
        if self._follower is not None:
            self._follow(screen, _ROUNDS)

    def _cover(self, _: Screen[Any]) -> None:
        """Another screen is in front. If no key has opened it, it is a question that came too late."""
        if self._follower is None and any(pause.over for pause in self._pauses):
            self._deaf_until = time.monotonic() + _DEAF_SECONDS

    @property
    def busy(self) -> bool:
        """Whether a key is being handled."""
        return self._follower is not None

    async def followed(self, message: Followed) -> None:
        """Handle a follower that has come back."""
        message.stop()
        # An app that is ending has no screens any more, but may have messages.
        if message is not self._follower or not self._app.screen_stack:
            return
        if self._rounds > 1:
            self._follow(self._app.focused or self._app.screen, self._rounds - 1)
            return
        self._follower = None
        if self._keys and not self._waiting:
            await self._hand_on()

    async def _give_up(self, event: events.Event) -> None:
        """Pass the keys on anyway: the follower is gone with the widget that it passed through."""
        if self._keys and self._keys[0] is event and not self._waiting:
            await self._hand_on()
