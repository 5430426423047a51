# SPDX-License-Identifier: Apache-2.0
"""Keys one after the other: what a key opens gets the keys behind it, however fast they come."""

from __future__ import annotations

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


class KeyOrder:
    """Hands a key on when the one before has done what it does.

    The stock app gives every key at once to what has the focus then. Over a slow connection keys come in bursts, and
    those behind one that opens a form would run as commands below it, or be lost while the form is made.
    """

    class Followed(Message):
        """Goes the way that a key has gone, behind it: when it is back at the app, the key is done."""

    def __init__(self, app: App[Any], hand_on: Callable[[events.Event], Awaitable[None]]) -> None:
        """`hand_on` is how the stock app takes an event."""
        self._app = app
        self._take = hand_on
        self._keys: deque[events.Key | events.Paste] = deque()
        """What was typed and is not handed on yet."""
        self._follower: KeyOrder.Followed | None = None
        """What follows the key that is under way; None: none is."""
        self._rounds = 0

    def start(self) -> None:
        """From now on follow keys to the screens that they open."""
        self._app.screen_change_signal.subscribe(self._app, self._follow_screen)

    async def take(self, event: events.Event) -> None:
        """Take any event of the app: keys in their order, all else at once."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await self._take(event)
            return
        if not self._app.screen_stack:
            return  # The app ends, and nothing is left that the key could be for.
        self._keys.append(event)
        if self._follower is None:
            await self._hand_on()
        elif len(self._keys) == 1:
            self._app.set_timer(_GIVE_UP_SECONDS, partial(self._give_up, event))

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
        if self._keys:
            await self._hand_on()

    async def _give_up(self, event: events.Event) -> None:
        """Hand the keys on after all: the follower is gone with the widget that it went through."""
        if self._keys and self._keys[0] is event:
            await self._hand_on()
