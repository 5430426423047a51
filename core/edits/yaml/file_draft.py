# SPDX-License-Identifier: Apache-2.0
"""One file while operations are applied to it: its future entries, their order and their text."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import count, takewhile
from typing import NamedTuple

from core.domain.ids import TestId
from core.edits.operations import Operation, OpKind, Refused, Rejection, shape_problem, short_id
from core.edits.yaml.document import (
    Block,
    Document,
    Listing,
    extent,
    lines_between,
    quote_of,
    read_document,
    spacing,
)
from core.edits.yaml.entry import EntryDraft
from core.edits.yaml.layout import Layout
from core.edits.yaml.manifest import DEFAULTS
from core.edits.yaml.nodes import refuse_shared, says_same, walk

_MORE = "the new text would change more than what was asked for; edit the file by hand"


class Source(NamedTuple):
    """Where an entry of a new text comes from."""

    line: int
    """1-based line of its key in the new text."""
    entry: int | None
    """Index of the equal entry in the old text; None: there is none, and `text` has its own lines."""
    text: str = ""


class FileDraft:
    """Collects operations one after the other; `finish` gives the new text, verified against the operations."""

    def __init__(self, text: str, read: Callable[[str], Document] = read_document) -> None:
        """`read` finds the entries of a file. Raises Refused if no entry of `text` can be edited."""
        self.before = text
        self.rejected: list[Rejection] = []
        self.sources: tuple[Source, ...] = ()
        """The source of each entry of the new text, once `finish` has made one."""
        self._document = read(text)
        quote = cache(partial(quote_of, self._document))
        nested = self._document.listing is not None
        self._layout = Layout(self._document.newline, self._document.step, quote_of=quote, nested=nested)
        self._entries = _entries(self._document, self._layout)
        self._by_id: dict[str, list[EntryDraft]] = {}
        for entry in self._entries:
            self._by_id.setdefault(entry.id, []).append(entry)
        self._siblings: dict[str, EntryDraft] | None = None
        self._removed: list[int] = []
        self._operations: list[Operation] = []

    def holds(self, identifier: str) -> bool:
        """Whether an entry has this id now."""
        return self._own(identifier) in self._by_id

    def apply(self, operation: Operation) -> None:
        """Apply any operation but a move, which takes two files; one that cannot be applied is added to `rejected`."""
        self._attempt(operation, lambda: self._apply(operation))

    def move(self, operation: Operation, target: "FileDraft") -> None:
        """Move an entry to `target`; if that cannot be done, the operation is added to `rejected` here."""
        self._attempt(operation, lambda: self._move(operation, target))

    def take(self, identifier: str) -> EntryDraft:
        """Remove an entry and return it with its comments. Raises Refused."""
        entry = self._open(identifier)
        if entry.index is not None:
            block, text = self._document.blocks[entry.index], self._document.text
            for node in block.nodes(text):
                refuse_shared(*walk(node))
            if text[block.start : block.key_start].strip(" "):
                raise Refused("the key does not start its line; edit it by hand", block.line)
            start, end = extent(self._document, entry.index)
            self._removed.append(entry.index)
            taken = replace(entry, above=text[start : block.start], below=text[block.end : end])
        else:
            taken = entry
        self._entries.remove(entry)
        del self._by_id[entry.id]
        self._siblings = None
        return taken

    def receive(self, entry: EntryDraft) -> None:
        """Insert an entry from elsewhere: after the last entry of its loader, else at the end."""
        if self.holds(entry.id):
            raise Refused("an entry of this id is in the file already")
        new = entry.refitted(self._document.indent, self._layout)
        self._by_id[new.id] = [new]
        sibling = self._last_siblings().get(_loader_of(new.id)) if _loader_of(new.id) else None
        if sibling is None:
            new.offset = self._document.end
            self._entries.insert(self._position(new.offset), new)
        else:
            new.offset = sibling.offset if sibling.index is None else extent(self._document, sibling.index)[1]
            self._entries.insert(self._entries.index(sibling) + 1, new)
        self._last_siblings()[_loader_of(new.id)] = new

    def finish(self) -> str:
        """The new text. If anything is in `rejected`, it is the old text."""
        for entry in [*self._entries]:
            if entry.operations:
                self._settle(entry)
        if self.rejected:
            return self.before
        after = self._render()
        if after == self.before:
            return after
        try:
            new = verified(self._document, self._entries, after)
        except Refused as refused:
            self._reject_all(refused)
            return self.before
        self.sources = tuple(
            Source(block.line, entry.index)
            if entry.index is not None and not entry.is_open
            else Source(block.line, None, new.text[block.start : block.end])
            for entry, block in zip(self._entries, new.blocks, strict=True)
        )
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
                self.receive(self._fresh(operation))
            case OpKind.REMOVE if operation.is_entry:
                self.take(operation.id)
            case OpKind.MOVE:
                raise Refused("a move takes two files")
            case OpKind.RENAME if operation.is_entry:
                self._rename(operation)
            case _:
                self._open(operation.id).change(operation)

    def _fresh(self, operation: Operation) -> EntryDraft:
        indent, listing = self._document.indent, self._document.listing
        if listing is None:
            return EntryDraft.fresh(operation, indent, self._layout)
        model, _, name = self._own(operation.id).partition("::")
        if model != listing.model or not name:
            raise Refused(f"the file has cases of {listing.model}; the id of a new one is {listing.model}::NAME")
        return EntryDraft.fresh_item(replace(operation, id=f"{model}::{name}"), name, indent, self._layout)

    def _own(self, identifier: str) -> str:
        """The id under which the file itself lists an entry of this id."""
        listing = self._document.listing
        return short_id(identifier, listing.name) if listing is not None else identifier

    def _position(self, offset: int) -> int:
        """The position among the entries of one that is inserted at `offset`."""
        blocks = self._document.blocks
        after = (
            at
            for at, entry in enumerate(self._entries)
            if entry.index is not None and blocks[entry.index].start >= offset
        )
        return next(after, len(self._entries))

    def _rename(self, operation: Operation) -> None:
        to = str(operation.to)
        if to != operation.id and self.holds(to):
            raise Refused(f"an entry {to} is in the file already")
        entry = self._open(operation.id)
        entry.change(operation)
        del self._by_id[operation.id]
        self._by_id[to] = [entry]
        self._siblings = None

    def _move(self, operation: Operation, target: "FileDraft") -> None:
        if target.holds(operation.id):
            raise Refused(f"{operation.to} has an entry of this id already")
        entry = self.take(operation.id)
        entry.operations.append(operation)
        target.receive(entry)
        target._operations.append(operation)

    def _open(self, identifier: str) -> EntryDraft:
        identifier = self._own(identifier)
        found = [*self._by_id.get(identifier, []), *self._doubles(identifier)]
        listing = self._document.listing
        if not found and listing is not None and identifier == listing.model:
            new = EntryDraft.fresh_apart(identifier, DEFAULTS[0], self._layout)
            new.offset = listing.apart_at
            self._entries.insert(self._position(new.offset), new)
            found = self._by_id[identifier] = [new]
        if not found:
            raise Refused("the file has no entry of this id")
        if len(found) > 1:
            blocks = [self._document.blocks[entry.index] for entry in found if entry.index is not None]
            lines = " and ".join(str(block.line) for block in blocks)
            raise Refused(f"the entry is there {len(found)} times, on lines {lines}; remove all but one by hand")
        entry = found[0]
        if not entry.is_open and entry.index is not None:
            entry.open(self._document.blocks[entry.index], self._document.text)
        return entry

    def _doubles(self, identifier: str) -> list[EntryDraft]:
        """The cases after the first of this name: without a number it is unclear which one is meant."""
        if self._document.listing is None:
            return []
        numbers = takewhile(self._by_id.__contains__, (f"{identifier}#{number}" for number in count(2)))
        return [entry for id in numbers for entry in self._by_id[id]]

    def _last_siblings(self) -> dict[str, EntryDraft]:
        """The last entry of each loader; reset when an entry leaves or changes its id."""
        if self._siblings is None:
            self._siblings = {_loader_of(entry.id): entry for entry in self._entries}
        return self._siblings

    def _settle(self, entry: EntryDraft) -> None:
        if entry.apart and entry.meaning.is_empty:
            self._entries.remove(entry)
            self._removed += [] if entry.index is None else [entry.index]
            return
        try:
            entry.settle()
        except Refused as refused:
            self.rejected += [refused.rejection(operation) for operation in entry.operations]

    def _reject_all(self, why: Refused) -> None:
        """Reject the operations on entries whose own text is wrong; if all are right by themselves, every operation."""
        for entry in self._entries:
            if entry.operations and (mismatch := entry.mismatch()):
                self.rejected += [mismatch.rejection(operation) for operation in entry.operations]
        if not self.rejected:
            self.rejected += [why.rejection(operation) for operation in self._operations]

    def _render(self) -> str:
        document = self._document
        gap = document.newline * spacing(document, 0 if document.listing else 1)
        edits = [(start, end, "") for start, end in removed_spans(document, self._removed)] if self._removed else []
        listed = 0
        for entry in self._entries:
            if entry.index is None:
                lines = entry.above + entry.text + entry.below
                edits.append((entry.offset, entry.offset, gap + lines if listed and not entry.apart else lines))
            elif entry.is_open:
                block = document.blocks[entry.index]
                edits.append((block.start, block.end, entry.text))
            listed += not entry.apart
        if document.listing is not None and document.listing.empty == bool(listed):
            edits.append(_empty_list(document, document.listing))
        return document.bom + _spliced(document.text, edits, document.newline)


def _empty_list(document: Document, listing: Listing) -> tuple[int, int, str]:
    """The edit that removes the empty list `[]` before the first case, or writes it after the last one is removed."""
    at = listing.key_end
    if not listing.empty:
        return at, at, " []" if any(not block.apart for block in document.blocks) else ""
    return at, document.text.index("]", at) + 1, ""


@cache
def _loader_of(identifier: str) -> str:
    parsed = TestId.parse(identifier)
    return parsed.directory if parsed else ""


def _entries(document: Document, layout: Layout) -> list[EntryDraft]:
    text, indent = document.text, document.indent
    return [
        EntryDraft(block.id, text[block.start : block.end], layout, indent, index=index, apart=block.apart)
        for index, block in enumerate(document.blocks)
    ]


def _spliced(text: str, edits: list[tuple[int, int, str]], newline: str) -> str:
    """`text` with `edits` applied. If the final newline is missing, an insertion at the end does not add one."""
    done: list[str] = []
    position = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        remaining = text[position:start]
        done.append(remaining)
        position = end
        if start == end == len(text) and not _ends_line(done):
            new = newline + new.removesuffix(newline)
        done.append(new)
    return "".join(done) + text[position:]


def _ends_line(parts: list[str]) -> bool:
    last = next((part for part in reversed(parts) if part), "\n")
    return last.endswith("\n")


def edit_text(text: str, operations: Sequence[Operation]) -> tuple[str, tuple[Rejection, ...]]:
    """`text` after `operations`, and the rejected ones; if any is rejected, `text` is returned unchanged.

    Operations are taken in order. `file` is ignored, and a move is rejected, because it takes two files. Every line of
    every other entry keeps its bytes. Without operations the text is unchanged.
    """
    if not operations:
        return text, ()
    try:
        draft = FileDraft(text)
    except Refused as refused:
        return text, tuple(map(refused.rejection, operations))
    for operation in operations:
        if problem := shape_problem(operation):
            draft.rejected.append(Rejection(operation, problem))
        else:
            draft.apply(operation)
    return draft.finish(), tuple(draft.rejected)


def removed_spans(document: Document, indexes: Iterable[int]) -> list[tuple[int, int]]:
    """Spans of whole lines to cut for the entries at `indexes`, in order and without overlap.

    Of the blank lines before and after an entry, the smaller number is removed, so that the larger one still separates
    the neighbours. Below the header and at the end of the file no blank lines are needed.
    """
    lines = list(lines_between(document.text, 0, len(document.text)))
    starts = [start for start, _ in lines]
    blank = [not document.text[start:stop].strip() for start, stop in lines]
    remaining = [True] * len(lines)
    header = bisect_left(starts, document.header_end)
    for index in sorted(indexes):
        block = document.blocks[index]
        # Of a block outside the entries, only its own lines are known to belong to it.
        start, end = (block.start, block.end) if block.apart else extent(document, index)
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        remaining[first:last] = [False] * (last - first)
        if block.apart:
            continue
        before, at_header = _blanks(blank, remaining, range(first - 1, header - 1, -1))
        after, at_end = _blanks(blank, remaining, range(last, len(lines)))
        if at_end:
            gone = before
        elif at_header:
            gone = after
        else:
            gone = before[: len(after)]
        for line in gone:
            remaining[line] = False
    return [span for span, keep in zip(lines, remaining, strict=True) if not keep]


def _blanks(blank: list[bool], remaining: list[bool], lines: range) -> tuple[list[int], bool]:
    """The remaining blank lines up to the next line with text, and whether the file ends before such a line."""
    found: list[int] = []
    for line in lines:
        if remaining[line]:
            if not blank[line]:
                return found, False
            found.append(line)
    return found, True


def verified(before: Document, entries: Sequence[EntryDraft], after: str) -> Document:
    """Parse `after`, which must be `before` with the entries of `entries`: the last check before anything is written.

    An entry without operations must have its old value, any other one the value of its draft. Everything around the
    entries must be unchanged. Raises Refused if anything else differs.
    """
    try:
        new = before.reread(after)
        same = _frame_holds(before, new) and len(entries) == len(new.blocks)
        same = same and all(_holds(before, entry, block) for entry, block in zip(entries, new.blocks, strict=True))
    except Refused as refused:
        raise Refused(f"the new text would be rejected: {refused}") from refused
    if not same:
        raise Refused(_MORE)
    return new


def _frame_holds(before: Document, new: Document) -> bool:
    around = all(says_same(one, other) for one, other in zip(before.frame, new.frame, strict=True))
    if before.blocks and new.blocks and before.listing is None:
        return around and says_same(before.entries, new.entries)
    # The collection was created with its first entry, or removed with its last.
    return around and not any(event.anchor or event.tag for event in (*before.entries, *new.entries))


def _holds(before: Document, entry: EntryDraft, block: Block) -> bool:
    if entry.index is not None and not entry.is_open:
        old = before.blocks[entry.index]
        return says_same(old.key, block.key) and says_same(old.value, block.value)
    return block.meanings() == (entry.key, entry.meaning)
