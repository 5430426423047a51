# SPDX-License-Identifier: Apache-2.0
"""Keys one after the other: what a key opens gets the keys behind it, however fast they come and late it opens."""

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
"""How long a key holds up those behind it at most: longer only where something goes wrong with it."""
_ROUNDS = 2
"""How often a key is followed: once for what it does, once for the messages that this has sent."""
_PAUSE_SECONDS = 2.0
"""How long keys wait for a question that work in the background asks: nobody types ahead of what takes longer."""
_DEAF_SECONDS = 0.5
"""After a question that comes later than that: keys on their way were meant for what it covers."""


class Pause:
    """Keys wait from its making to its end."""

    def __init__(self, end: Callable[[Pause], None]) -> None:
        self._end = end
        self.over = False
        """Whether it has taken so long that keys do not wait any more."""

    def end(self) -> None:
        """What was waited for is there, or never comes."""
        self._end(self)


class KeyOrder:
    """Hands a key on when the one before has done what it does.

    The stock app gives every key at once to what has the focus then. Over a slow connection keys come in bursts, and
    those behind one that opens a form would run as commands below it, or be lost while the form is made.
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
        """What was typed and is not handed on yet."""
        self._follower: KeyOrder.Followed | None = None
        """What follows the key that is under way; None: none is."""
        self._rounds = 0
        self._pauses: list[Pause] = []
        self._deaf_until = 0.0

    def start(self) -> None:
        """From now on follow keys to the screens that they open."""
        self._app.screen_change_signal.subscribe(self._app, self._follow_screen)
        self._app.screen_change_signal.subscribe(self._app, self._cover, immediate=True)

    async def take(self, event: events.Event) -> None:
        """Take any event of the app: keys in their order, all else at once."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await self._take(event)
            return
        if not self._app.screen_stack:
            return  # The app ends, and nothing is left that the key could be for.
        if time.monotonic() < self._deaf_until:
            return
        self._keys.append(event)
        if self._follower is None and not self._waiting:
            await self._hand_on()
        elif len(self._keys) == 1:
            self._app.set_timer(_GIVE_UP_SECONDS, partial(self._give_up, event))

    def pause(self, *, question: bool = True) -> Pause:
        """Have keys wait for a question that is being prepared, or a list, until the pause ends; some seconds at most.

        Keys that have waited for all of that time for a question are dropped: they were for it, and it is not there.
        Those that have waited for a list go on: what needs a row says that there is none.
        """
        pause = Pause(self._end_pause)
        self._pauses.append(pause)
        late = self._end_waiting if question else self._end_pause
        self._app.set_timer(_PAUSE_SECONDS, partial(late, pause))
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
        """Hand on the first of the keys that wait."""
        if not self._app.screen_stack:
            self._keys.clear()
            return
        event, target = self._keys.popleft(), self._app.focused or self._app.screen
        await self._take(event)
        # A command that goes before what has the focus is done by now, and may have moved it.
        self._follow(target if event.is_forwarded else self._app.focused or self._app.screen, _ROUNDS)

    def _follow(self, node: Widget, rounds: int) -> None:
        self._follower, self._rounds = self.Followed(), rounds
        node.post_message(self._follower)

    def _follow_screen(self, screen: Screen[Any]) -> None:
        """A key has brought another screen: once a follower is through it, it is made and has its focus."""
        if self._follower is not None:
            self._follow(screen, _ROUNDS)

    def _cover(self, _: Screen[Any]) -> None:
        """Another screen is in front. Where no key has brought it, it is a question that comes too late."""
        if self._follower is None and any(pause.over for pause in self._pauses):
            self._deaf_until = time.monotonic() + _DEAF_SECONDS

    async def followed(self, message: Followed) -> None:
        """A follower is back."""
        message.stop()
        # An app that ends has no screens any more, but may have messages.
        if message is not self._follower or not self._app.screen_stack:
            return
        if self._rounds > 1:
            self._follow(self._app.focused or self._app.screen, self._rounds - 1)
            return
        self._follower = None
        if self._keys and not self._waiting:
            await self._hand_on()

    async def _give_up(self, event: events.Event) -> None:
        """Hand the keys on after all: the follower is gone with the widget that it went through."""
        if self._keys and self._keys[0] is event and not self._waiting:
            await self._hand_on()
