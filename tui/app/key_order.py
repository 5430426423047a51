# SPDX-License-Identifier: Apache-2.0
"""Keys one after the other: what a key opens gets the keys behind it, however fast they come."""

from __future__ import annotations

from collections import deque
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


class KeyOrder(App[None]):
    """Hands a key on when the one before has done what it does.

    The stock app gives every key at once to what has the focus then. Over a slow connection keys come in bursts, and
    those behind one that opens a form would run as commands below it, or be lost while the form is made.
    """

    class Followed(Message):
        """Goes the way that a key has gone, behind it: when it is back at the app, the key is done."""

    def __init__(self) -> None:
        super().__init__()
        self._keys: deque[events.Key | events.Paste] = deque()
        """What was typed and is not handed on yet."""
        self._follower: KeyOrder.Followed | None = None
        """What follows the key that is under way; None: none is."""
        self._rounds = 0

    def on_mount(self) -> None:
        self.screen_change_signal.subscribe(self, self._follow_screen)

    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded or not self.screen_stack:
            await super().on_event(event)
            return
        self._keys.append(event)
        if self._follower is None:
            await self._hand_on()
        elif len(self._keys) == 1:
            self.set_timer(_GIVE_UP_SECONDS, partial(self._give_up, event))

    async def _hand_on(self) -> None:
        """Hand on the first of the keys that wait."""
        event, target = self._keys.popleft(), self.focused or self.screen
        await super().on_event(event)
        # A command that goes before what has the focus is done by now, and may have moved it.
        self._follow(target if event.is_forwarded else self.focused or self.screen, _ROUNDS)

    def _follow(self, node: Widget, rounds: int) -> None:
        self._follower, self._rounds = self.Followed(), rounds
        node.post_message(self._follower)

    def _follow_screen(self, screen: Screen[Any]) -> None:
        """A key has brought another screen: once a follower is through it, it is made and has its focus."""
        if self._follower is not None:
            self._follow(screen, _ROUNDS)

    async def on_key_order_followed(self, message: Followed) -> None:
        message.stop()
        if message is not self._follower:
            return
        if self._rounds > 1:
            self._follow(self.focused or self.screen, self._rounds - 1)
            return
        self._follower = None
        if self._keys:
            await self._hand_on()

    async def _give_up(self, event: events.Event) -> None:
        """Hand the keys on after all: the follower is gone with the widget that it went through."""
        if self._keys and self._keys[0] is event:
            await self._hand_on()
