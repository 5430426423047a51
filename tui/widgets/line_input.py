# SPDX-License-Identifier: Apache-2.0
"""A line to type in that takes keys strictly one after the other, however fast they come."""

from textual import events
from textual.widgets import Input


class LineInput(Input):
    """The stock input runs its bindings one step later than it takes letters, and so in another order than typed.

    Over a slow connection keys come in bursts: those behind the one that leaves the line belong to what has the focus
    then. Whoever lets it be left moves the focus at once, with `Screen.set_focus`.
    """

    async def on_key(self, event: events.Key) -> None:
        if self.screen.focused is not self:
            event.prevent_default().stop()
            self.app.post_message(events.Key(event.key, event.character))
        elif not event.is_printable:
            active = self.screen.active_bindings.get(event.key)
            if active is not None and active.node is self:
                event.prevent_default().stop()
                await self.app.run_action(active.binding.action, self)
