# SPDX-License-Identifier: Apache-2.0
"""A line to type in that takes keys strictly one after the other, however fast they come."""

from typing import Any, ClassVar

from textual import events
from textual.widgets import Input


class LineInput(Input, inherit_css=False):
    """The stock input runs its bindings one step later than it takes letters, and so in another order than typed.

    Over a slow connection keys come in bursts: those behind the one that leaves the line belong to what has the focus
    then. Whoever lets it be left moves the focus at once, with `Screen.set_focus`.

    Of what stands there already nothing is selected when it is gone to: it is gone on with, not written over.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = Input.COMPONENT_CLASSES
    DEFAULT_CSS = """
    LineInput {
        width: 1fr; height: 1; scrollbar-size-horizontal: 0; pointer: text; color: $foreground; background: $surface;
        &:focus { background: $boost; }
        & > .input--cursor {
            background: $input-cursor-background; color: $input-cursor-foreground; text-style: $input-cursor-text-style;
        }
        & > .input--selection { background: $input-selection-background; }
        & > .input--placeholder, & > .input--suggestion { color: $text-disabled; }
    }
    """
    """All that one line needs. The stock input brings the rules of a framed box in all its states, and the frame of one
    that has the focus wins over whatever its parent says: on one line it leaves no row to what is typed."""

    def __init__(self, value: str = "", **options: Any) -> None:
        super().__init__(value, select_on_focus=False, **options)
        self.cursor_blink = False

    async def on_key(self, event: events.Key) -> None:
        if self.screen.focused is not self:
            event.prevent_default().stop()
            self.app.post_message(events.Key(event.key, event.character))
        elif not event.is_printable:
            active = self.screen.active_bindings.get(event.key)
            if active is not None and active.node is self:
                event.prevent_default().stop()
                await self.app.run_action(active.binding.action, self)
