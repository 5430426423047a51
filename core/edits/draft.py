# SPDX-License-Identifier: Apache-2.0
"""One file while operations are applied to it: which entries it will hold, in which order, as which text."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

from core.edits.cut import removed_spans
from core.edits.document import Document, extent, quote_of, read_document, spacing
from core.edits.entry import Layout
from core.edits.nodes import refuse_shared, walk
from core.edits.operations import Operation, OpKind, Refused, Rejection
from core.edits.slot import Slot
from core.edits.verify import difference
from core.ids import TestId
from core.sources.expectations import ROOT_KEY


class Draft:
    """Operations go in one after the other; `finish` gives the text, checked against what was asked for."""

    def __init__(self, text: str, root: str = ROOT_KEY) -> None:
        """The entries stand under the key `root`. Raises Refused where none of `text` could be edited."""
        self.before = text
        self.rejected: list[Rejection] = []
        self._document = read_document(text, root)
        quote = cache(partial(quote_of, self._document))
        self._layout = Layout(self._document.newline, self._document.step, quote_of=quote)
        self._slots = _slots(self._document, self._layout)
        self._by_id: dict[str, list[Slot]] = {}
        for slot in self._slots:
            self._by_id.setdefault(slot.id, []).append(slot)
        self._siblings: dict[str, Slot] | None = None
        self._removed: list[int] = []
        self._operations: list[Operation] = []

    def holds(self, identifier: str) -> bool:
        """Whether an entry has this id by now."""
        return identifier in self._by_id

    def apply(self, operation: Operation) -> None:
        """Do anything but a move, which takes two files; what cannot be done lands in `rejected`."""
        self._attempt(operation, lambda: self._apply(operation))

    def move(self, operation: Operation, target: "Draft") -> None:
        """Do a move to `target`; what cannot be done lands in `rejected` here."""
        self._attempt(operation, lambda: self._move(operation, target))

    def take(self, identifier: str) -> Slot:
        """Remove an entry and give it away together with its comments. Raises Refused."""
        slot = self._open(identifier)
        if slot.index is not None:
            block, text = self._document.blocks[slot.index], self._document.text
            for node in block.nodes(text):
                refuse_shared(*walk(node))
            if text[block.start : block.key_start].strip(" "):
                raise Refused("the key does not start its line; edit it by hand", block.line)
            start, end = extent(self._document, slot.index)
            self._removed.append(slot.index)
            taken = replace(slot, above=text[start : block.start], below=text[block.end : end])
        else:
            taken = slot
        self._slots.remove(slot)
        del self._by_id[identifier]
        self._siblings = None
        return taken

    def receive(self, slot: Slot) -> None:
        """Put an entry from elsewhere in: after the last entry of its loader, else at the end."""
        if self.holds(slot.id):
            raise Refused("an entry of this id is in the file already")
        new = slot.refitted(self._document.indent, self._layout)
        self._by_id[new.id] = [new]
        sibling = self._last_siblings().get(_loader_of(new.id)) if _loader_of(new.id) else None
        if sibling is None:
            new.offset = self._document.end
            self._slots.append(new)
        else:
            new.offset = sibling.offset if sibling.index is None else extent(self._document, sibling.index)[1]
            self._slots.insert(self._slots.index(sibling) + 1, new)
        self._last_siblings()[_loader_of(new.id)] = new

    def finish(self) -> str:
        """The new text. With anything in `rejected` it is the text as it was."""
        for slot in self._slots:
            if slot.operations:
                self._settle(slot)
        if self.rejected:
            return self.before
        after = self._render()
        if after != self.before and (why := difference(self._document, self._slots, after)):
            self._reject_all(why)
            return self.before
        return after

    def _attempt(self, operation: Operation, action: Callable[[], None]) -> None:
        try:
            action()
        except Refused as refused:
            self.rejected.append(refused.rejection(operation))
        else:
            self._operations.append(operation)

    def _apply(self, operation: Operation) -> None:
        match operation.op:
            case OpKind.ADD if operation.is_entry:
                self.receive(Slot.fresh(operation, self._document.indent, self._layout))
            case OpKind.REMOVE if operation.is_entry:
                self.take(operation.id)
            case OpKind.MOVE:
                raise Refused("a move takes two files")
            case OpKind.RENAME if operation.is_entry:
                self._rename(operation)
            case _:
                self._open(operation.id).change(operation)

    def _rename(self, operation: Operation) -> None:
        to = str(operation.to)
        if to != operation.id and self.holds(to):
            raise Refused(f"an entry {to} is in the file already")
        slot = self._open(operation.id)
        slot.change(operation)
        del self._by_id[operation.id]
        self._by_id[to] = [slot]
        self._siblings = None

    def _move(self, operation: Operation, target: "Draft") -> None:
        if target.holds(operation.id):
            raise Refused(f"{operation.to} has an entry of this id already")
        slot = self.take(operation.id)
        slot.operations.append(operation)
        target.receive(slot)
        target._operations.append(operation)

    def _open(self, identifier: str) -> Slot:
        found = self._by_id.get(identifier, [])
        if not found:
            raise Refused("the file has no entry of this id")
        if len(found) > 1:
            blocks = [self._document.blocks[slot.index] for slot in found if slot.index is not None]
            lines = " and ".join(str(block.line) for block in blocks)
            raise Refused(f"the entry stands {len(found)} times, on lines {lines}; remove all but one by hand")
        slot = found[0]
        if not slot.is_open and slot.index is not None:
            slot.open(self._document.blocks[slot.index], self._document.text)
        return slot

    def _last_siblings(self) -> dict[str, Slot]:
        """The last entry of each loader; forgotten where an entry leaves or gets another id."""
        if self._siblings is None:
            self._siblings = {_loader_of(slot.id): slot for slot in self._slots}
        return self._siblings

    def _settle(self, slot: Slot) -> None:
        try:
            slot.settle()
        except Refused as refused:
            self.rejected += [refused.rejection(operation) for operation in slot.operations]

    def _reject_all(self, why: str) -> None:
        """Name the entries whose own text went wrong; where all are fine by themselves, every operation."""
        for slot in self._slots:
            if slot.operations and (mismatch := slot.mismatch()):
                self.rejected += [mismatch.rejection(operation) for operation in slot.operations]
        if not self.rejected:
            self.rejected += [Rejection(operation, why) for operation in self._operations]

    def _render(self) -> str:
        document = self._document
        gap = document.newline * spacing(document)
        edits = [(start, end, "") for start, end in removed_spans(document, self._removed)] if self._removed else []
        for at, slot in enumerate(self._slots):
            if slot.index is None:
                lines = slot.above + slot.text + slot.below
                edits.append((slot.offset, slot.offset, gap + lines if at else lines))
            elif slot.is_open:
                block = document.blocks[slot.index]
                edits.append((block.start, block.end, slot.text))
        return document.bom + _spliced(document.text, edits, document.newline)


@cache
def _loader_of(identifier: str) -> str:
    parsed = TestId.parse(identifier)
    return parsed.directory if parsed else ""


def _slots(document: Document, layout: Layout) -> list[Slot]:
    text, indent = document.text, document.indent
    return [
        Slot(block.id, text[block.start : block.end], layout, indent, index=index)
        for index, block in enumerate(document.blocks)
    ]


def _spliced(text: str, edits: list[tuple[int, int, str]], newline: str) -> str:
    """`text` with `edits` done. What is inserted after a missing final newline passes the lack on."""
    done: list[str] = []
    position = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        kept = text[position:start]
        done.append(kept)
        position = end
        if start == end == len(text) and not _ends_line(done):
            new = newline + new.removesuffix(newline)
        done.append(new)
    return "".join(done) + text[position:]


def _ends_line(parts: list[str]) -> bool:
    last = next((part for part in reversed(parts) if part), "\n")
    return last.endswith("\n")
