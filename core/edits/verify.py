# SPDX-License-Identifier: Apache-2.0
"""Whether a new text says exactly the old meaning plus the operations: the last word before anything is written."""

from collections.abc import Sequence

from core.edits.document import Block, Document, read_document
from core.edits.events import says_same
from core.edits.meaning import meaning_at
from core.edits.operations import Refused
from core.edits.slot import Slot

_MORE = "the new text would change more than what was asked for; edit the file by hand"


def difference(before: Document, slots: Sequence[Slot], after: str) -> str:
    """Why `after` is not `before` with the entries of `slots`; empty: it is.

    Entries that nothing was done to must say what they said, the others what their slot has; what stands around
    the entries must say the same too.
    """
    try:
        new = read_document(after, before.root)
        same = _frame_holds(before, new) and len(slots) == len(new.blocks)
        same = same and all(_holds(before, slot, block) for slot, block in zip(slots, new.blocks, strict=True))
    except Refused as refused:
        return f"the new text would be refused: {refused}"
    return "" if same else _MORE


def _frame_holds(before: Document, new: Document) -> bool:
    around = all(says_same(one, other) for one, other in zip(before.frame, new.frame, strict=True))
    if before.blocks and new.blocks:
        return around and says_same(before.entries, new.entries)
    # The mapping came with its first entry or went with its last.
    return around and not any(event.anchor or event.tag for event in (*before.entries, *new.entries))


def _holds(before: Document, slot: Slot, block: Block) -> bool:
    if slot.index is not None and not slot.is_open:
        old = before.blocks[slot.index]
        return says_same(old.key, block.key) and says_same(old.value, block.value)
    return meaning_at(block.key) == slot.key and meaning_at(block.value) == slot.meaning
