# SPDX-License-Identifier: Apache-2.0
"""Tests that became other tests between two states, each with the reason to think so; nothing is guessed."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from core.domain.ids import TestId
from core.history import entry_edits
from core.sources import loader_file
from core.states.sides import Sides
from core.states.state import State

_ALIKE = 0.6
"""How alike two loaders are if one is the other, moved and edited: from 0 to 1, over lines. git takes half."""


_QUOTED = re.compile(r"""("[^"\n]*"|'[^'\n]*')""")


class Rename(NamedTuple):
    """A test under its former and its present id."""

    before: str
    after: str
    why: str


class _Model(NamedTuple):
    """What tests share: a loader and one of its variants."""

    loader: str
    variant: str | None

    @property
    def text(self) -> str:
        return f"{self.loader}-{self.variant}" if self.variant else self.loader


def renames(before: State, after: State, tests: Sides, entries: Sides) -> tuple[Rename, ...]:
    """The pairs of a removed and an added test that are the same one, by the models that they run.

    `tests` and `entries` are the ids of both states.
    """
    gone, come = _by_model(tests.removed), _by_model(tests.added)
    if not gone or not come:
        return ()
    news = {str(id): id for ids in come.values() for id in ids}
    found: list[Rename] = []
    followed = _followed(before, after, entries)
    for old, (new, why) in _pairs(before, after, list(gone), list(come), followed).items():
        for id in gone[old]:
            became = str(replace(id, directory=new.loader, variant=new.variant))
            if became in news:
                found.append(Rename(str(id), became, why))
    return tuple(sorted(found))


def _by_model(ids: Iterable[str]) -> dict[_Model, list[TestId]]:
    found: dict[_Model, list[TestId]] = {}
    for id in ids:
        if (parsed := TestId.parse(id)) is not None:
            found.setdefault(_Model(parsed.directory, parsed.variant), []).append(parsed)
    return found


Reason = Callable[[_Model, _Model], str]
"""Why the second model is the first; empty: nothing shows that."""


def _followed(before: State, after: State, entries: Sides) -> Collection[tuple[_Model, _Model]]:
    """The models of entries that got another id where they are in their file."""
    if not entries.removed or not entries.added:
        return ()
    texts = [{file.name: file.text for file in state.matrix.files} for state in (before, after)]
    removed, added = set(entries.removed), set(entries.added)
    found: set[tuple[_Model, _Model]] = set()
    for edit in entry_edits(*texts):
        if edit.before is None or edit.after is None or edit.before.id not in removed or edit.after.id not in added:
            continue
        old, new = TestId.parse(edit.before.id), TestId.parse(edit.after.id)
        if old and new and replace(old, directory=new.directory, variant=new.variant) == new:
            found.add((_Model(old.directory, old.variant), _Model(new.directory, new.variant)))
    return found


def _pairs(
    before: State,
    after: State,
    gone: Sequence[_Model],
    come: Sequence[_Model],
    followed: Collection[tuple[_Model, _Model]],
) -> dict[_Model, tuple[_Model, str]]:
    """Each model that became another one. A reason that fits several on either side decides nothing for these."""
    found: dict[_Model, tuple[_Model, str]] = {}
    taken: set[_Model] = set()
    code = _Code(_sources(before, gone), _sources(after, come))
    same_checkpoint, only_name = _same_checkpoint(before, after, code), _only_name(gone, come, code)
    for reason in (_same_name(before, after), code.moved, same_checkpoint, only_name, _same_entry(followed)):
        candidates = {
            (one, other): why
            for one in gone
            for other in come
            if one not in found and other not in taken and _is_comparable(one, other) and (why := reason(one, other))
        }
        olds, news = (Counter(pair[side] for pair in candidates) for side in (0, 1))
        for (one, other), why in candidates.items():
            if olds[one] == news[other] == 1:
                found[one] = (other, why)
                taken.add(other)
    return found


def _is_comparable(one: _Model, other: _Model) -> bool:
    """Whether both are of the same framework."""
    return one.loader.rpartition("/")[2] == other.loader.rpartition("/")[2]


def _same_entry(followed: Collection[tuple[_Model, _Model]]) -> Reason:
    return lambda one, other: "its entry got this id where it is in its file" if (one, other) in followed else ""


def _same_name(before: State, after: State) -> Reason:
    def why(one: _Model, other: _Model) -> str:
        old, new = before.infos.known.get(one), after.infos.known.get(other)
        same = old and new and old.name == new.name and (one.variant is None) == (other.variant is None)
        return f"both are the model {new.name}" if new and same else ""

    return why


def _same_checkpoint(before: State, after: State, code: "_Code") -> Reason:
    """Another name for the variant with the same checkpoint, in the same loader or in one that moved."""

    def why(one: _Model, other: _Model) -> str:
        old, new = before.infos.checkpoints.get(one), after.infos.checkpoints.get(other)
        if not old or old != new or (one.variant is None) != (other.variant is None):
            return ""
        here = one.loader == other.loader or code.likeness(one.loader, other.loader) >= _ALIKE
        return f"both load the checkpoint {new}" if here else ""

    return why


def _only_name(gone: Sequence[_Model], come: Sequence[_Model], code: "_Code") -> Reason:
    """Nothing of the loader differs but names of variants."""
    names = {(one.loader, one.variant) for one in (*gone, *come)}

    def why(one: _Model, other: _Model) -> str:
        words = code.other_words(one.loader) if one.loader == other.loader else {}
        if not all((one.loader, name) in names for pair in words.items() for name in pair):
            return ""
        return "nothing else of its loader changed" if one.variant and words.get(one.variant) == other.variant else ""

    return why


class _Code:
    """What the sources of loaders show."""

    def __init__(self, old: Mapping[str, str], new: Mapping[str, str]) -> None:
        """Sources by loader: those of the loaders that lost tests, and those of the loaders that got some."""
        self._old, self._new = old, new
        self._words: dict[str, Mapping[str, str]] = {}

    def moved(self, one: _Model, other: _Model) -> str:
        """The loader moved, and the variant is the same."""
        if one.loader == other.loader or one.variant != other.variant:
            return ""
        alike = self.likeness(one.loader, other.loader)
        if alike < _ALIKE:
            return ""
        return f"{loader_file(one.loader)} moved, {'unchanged' if alike == 1 else f'{alike:.0%} of it is the same'}"

    def other_words(self, loader: str) -> Mapping[str, str]:
        """The quoted texts of a loader that are others now, each the same throughout, if nothing else of it differs."""
        if loader not in self._words:
            self._words[loader] = self._read_other_words(loader)
        return self._words[loader]

    def _read_other_words(self, loader: str) -> Mapping[str, str]:
        old, new = (_QUOTED.split(source.get(loader, "")) for source in (self._old, self._new))
        pairs = {(was, now) for was, now in zip(old, new, strict=False) if was != now}
        quoted = all(_QUOTED.fullmatch(text) for pair in pairs for text in pair)
        words = {was[1:-1]: now[1:-1] for was, now in pairs}
        return words if quoted and len(old) == len(new) and len(words) == len(pairs) else {}

    def likeness(self, old: str, new: str) -> float:
        """How alike the sources of two loaders are; 0 if one of them stays what it was."""
        one, other = self._old.get(old), self._new.get(new)
        return 0.0 if one is None or other is None else _likeness(*sorted((one, other)))


@lru_cache(maxsize=1 << 10)
def _likeness(one: str, other: str) -> float:
    if one == other:
        return 1.0
    matcher = SequenceMatcher(None, one.splitlines(), other.splitlines(), autojunk=False)
    # The bounds are cheap, and most pairs have nothing in common.
    if matcher.real_quick_ratio() < _ALIKE or matcher.quick_ratio() < _ALIKE:
        return 0.0
    return min(matcher.ratio(), 0.99)


def _sources(state: State, models: Iterable[_Model]) -> dict[str, str]:
    below = state.models_place
    paths = {f"{below}/{loader_file(loader)}": loader for loader in dict.fromkeys(model.loader for model in models)}
    return {paths[path]: text for path, text in state.texts(paths).items()}
