# SPDX-License-Identifier: Apache-2.0
"""Ids in columns that are too narrow for some of them: one rule for all ids of a column.

What all of them share is said once, above them. Words of the grammar are abbreviated in all of them or in none. Then
directories are cut; a variant never is, since ids differ in it.
"""

import os
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple, Protocol, runtime_checkable

from core.base.text import elide_middle
from core.domain.ids import TestId

_WORDS = (
    ("-inference", "-inf"),
    ("-training", "-train"),
    ("single_device", "single"),
    ("data_parallel", "data"),
    ("tensor_parallel", "tensor"),
    ("-mesh_default", ""),
    ("-mesh_", "-"),
    ("megatron", "mgtn"),
    ("llm_decode", "dec"),
    ("llm_prefill", "pre"),
    ("-seq_", "-s"),
    ("-batch_", "-b"),
)
"""Words of the id grammar and their abbreviations, which are all different (docs/rules.md 1.5)."""
_FRAMEWORKS = {"pytorch": "pt"}
_LEAST_TAIL = 8
"""Fewer characters after the variant are useless."""
_LEAST_PLACE = 5
"""Fewer characters before the variant are useless."""
_MOST_SHORTENED = 256
"""So many ids are shortened before they become visible: a millisecond."""
_LEAST_END = 3
"""Fewer characters of the directories below the first one are useless."""


@runtime_checkable
class Identified(Protocol):
    """Rows that have ids."""

    def ids(self) -> Iterable[str]:
        """The ids of all rows, in any order."""
        ...


class IdLook(NamedTuple):
    """The display of ids in a column."""

    before: str = ""
    """Their common beginning, which is not repeated: whole directories."""
    after: str = ""
    """Their common end, which is not repeated: whole words after the variant."""
    short: bool = False
    """Whether the words of the grammar are abbreviated."""

    @property
    def said(self) -> str:
        """The shared parts, for the head of the column: `llama/…-inference`."""
        return f"{self.before}…{self.after}" if self.before or self.after else ""

    @property
    def left_out(self) -> int:
        """The characters of an id that are not repeated."""
        return len(self.before) + len(self.after)

    def head(self, title: str) -> int:
        """The cells of the head that says what is shared, after the title of the column."""
        return len(f"{title}: {self.said}" if self.said else title)

    def text(self, id: str, width: int) -> str:
        """An id in at most `width` characters, without what all share."""
        if not (id.startswith(self.before) and id.endswith(self.after)):
            return id
        if not self.short:
            return id[len(self.before) : len(id) - len(self.after)]
        return _shortened(id, self, width)


class IdColumn:
    """All ids of a column, and the title above them."""

    def __init__(self, ids: Sequence[str], title: str = "") -> None:
        self._ids = ids
        self._title = title
        self.longest = max(map(len, ids), default=0)
        """The cells that they need if nothing is left out."""

    @property
    def need(self) -> int:
        """The cells that they need if what all share is said above them."""
        return min(max(self.longest - one.left_out, one.head(self._title)) for one in self._looks)

    def look(self, width: int) -> IdLook:
        """Their display in `width` cells."""
        if self.longest <= width:
            return IdLook()
        # Only what the head has room to say is left out.
        look = next((one for one in self._looks if one.head(self._title) <= width), IdLook())
        return look._replace(short=self.longest - look.left_out > width)

    def shortened(self, look: IdLook, width: int) -> int:
        """The cells of `width` that they take in that display. Among many, some take all of them."""
        if len(self._ids) > _MOST_SHORTENED:
            return width
        return max(look.head(self._title), *(len(look.text(id, width)) for id in self._ids))

    @cached_property
    def _looks(self) -> Sequence[IdLook]:
        """The ways to leave out what all share, the one that leaves out most first."""
        after = _shared_end(self._ids) if len(self._ids) > 1 else ""
        before = _shared_start(self._ids, len(after)) if len(self._ids) > 1 else ""
        return IdLook(before, after), IdLook("", after), IdLook(before)


def _shared_end(ids: Sequence[str]) -> str:
    """The words that all ids end with, and that are part of no variant."""
    parsed = TestId.parse(ids[0])
    if parsed is None:
        return ""
    end = ids[0].removeprefix(parsed.model)
    for id in ids:
        while not id.endswith(end):
            end = end[max(1, end.find("-", 1)) :] if "-" in end[1:] else ""
        if not end:
            break
    return end


def _shared_start(ids: Sequence[str], ended: int) -> str:
    """The directories that all ids begin with; `ended` characters at their ends are spoken for."""
    if "/" not in os.path.commonprefix((ids[0], ids[-1])):  # noqa: RUF071 - of texts, letter by letter
        # Most lists are of many families: to find the first and the last id of a long one takes a millisecond.
        return ""
    common = os.path.commonprefix([id[: len(id) - ended] for id in (min(ids), max(ids))])  # noqa: RUF071
    parsed = TestId.parse(ids[0])
    if parsed is not None and common.startswith(f"{parsed.directory}-") and all(map(TestId.parse, ids)):
        return f"{parsed.directory}-"
    return common[: common.rfind("/") + 1]


def short_id(id: str, width: int) -> str:
    """One id in at most `width` characters; any other text loses its middle."""
    return id if len(id) <= width else _shortened(id, IdLook(short=True), width)


@lru_cache(4096)
def _shortened(id: str, look: IdLook, width: int) -> str:
    parsed = TestId.parse(id)
    if parsed is None:
        name, space, behind = id.partition(" ")
        if space and TestId.parse(name) and (room := width - len(behind) - 1) > _LEAST_TAIL:
            return f"{_shortened(name, look, room)} {behind}"
        return _short_node(id[len(look.before) : len(id) - len(look.after)], width)
    variant = f"-{parsed.variant}" if parsed.variant else ""
    tail = id.removeprefix(parsed.model).removesuffix(look.after)
    for long, short in _WORDS:
        tail = tail.replace(long, short)
    directory = parsed.directory[len(look.before) :]
    if not directory:
        # The dash after it is among what all share.
        return _around_variant(f"{variant}{tail}".removeprefix("-"), len(variant) - 1, width)
    path, slash, framework = directory.rpartition("/")
    end = f"{slash}{_FRAMEWORKS.get(framework, framework)}{variant}{tail}"
    if (room := width - len(end)) >= len(path):
        return f"{path}{end}"
    # Without a variant, the directory distinguishes an id from others.
    if path and room >= (min(_LEAST_PLACE, len(path)) if variant else len(path)):
        return f"{_short_place(path, room)}{end}"
    if variant:
        return "…" + _around_variant(f"{variant}{tail}".removeprefix("-"), len(variant) - 1, width - 1)
    return _around_variant(f"{path or directory}{tail}", len(path or directory), width)


def _short_node(text: str, width: int) -> str:
    """A node id or name of an op case: its file is cut first, then its function; its parameters are its variant."""
    file, double, item = text.rpartition("::")
    function, bracket, parameters = item.partition("[")
    end = f"{bracket}{parameters}"
    for start, rest, least in ((file, f"{double}{item}", _LEAST_PLACE), (function, end, _LEAST_END)):
        if rest and len(text) > width and (room := width - len(rest)) >= min(least, len(start)):
            return f"{elide_middle(start, room)}{rest}"
    return elide_middle(text, width)


def _around_variant(text: str, kept: int, width: int) -> str:
    """`text` in at most `width` characters; of its first `kept` ones none is lost, if there is any way."""
    if len(text) <= width:
        return text
    room = width - kept
    if room >= _LEAST_TAIL:
        return text[:kept] + elide_middle(text[kept:], room)
    return f"{text[:kept]}{text[kept : width - 1]}…" if room > 0 else elide_middle(text, width)


def _short_place(path: str, width: int) -> str:
    """Directories in at most `width` characters: the first one whole if that leaves room for both ends of the others.

    The ends tell `albert/masked_lm` from `albert/token_classification`, and `detection` from `detection_v2`.
    """
    first, _, others = path.partition("/")
    room = width - len(first) - 1
    return f"{first}/{elide_middle(others, room)}" if others and room >= _LEAST_END else elide_middle(path, width)
