# SPDX-License-Identifier: Apache-2.0
"""What changed between the heads of two runs: commits, pinned versions, rows of presets."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from core.base.checked_numbers import day_of
from core.base.errors import TTMatrixError
from core.base.text import counted
from core.evidence.analysis import Between, commits_from
from core.evidence.github import Lookups
from core.sources import TT_MLIR, Checkout, Git, compare_link, pins_at, pins_in, web_address

_TT_METAL = re.compile(r"""^\s*set\(\s*TT_METAL_VERSION\s+"?([\w.-]+)"?\s*\)""", re.MULTILINE)
_PLACES = ("third_party/tt-mlir/src/tt-mlir", "third_party/tt-mlir", "../tt-mlir")
"""Where a clone of tt-mlir may be."""
TT_METAL = "tt-metal"
ASK = "ttmatrix nightly --refresh asks GitHub"


class Moved(NamedTuple):
    """A version, or a preset, that is not as before; empty: it was not, or is not there."""

    name: str
    before: str
    after: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Versions:
    """What lies between two heads."""

    own: Between
    models: Between
    url: str
    """Where a browser shows the commits; empty: unknown."""
    models_url: str
    pins: tuple[Moved, ...]
    touched: tuple[str, ...]
    """The models whose directories the commits of the models touch."""
    older: bool
    """The later run tested an older head."""
    others: tuple[tuple[str, Between, str], ...] = ()
    """The commits of tt-mlir and tt-metal, where these moved: name, commits, and the page that compares both."""
    asked: str = ""
    """The day of the oldest look-up on GitHub that is in this; empty: all of it is from clones."""
    chain: tuple[tuple[str, str], ...] = ()
    """What the later run was built of, whether that moved or not: name and commit, as far as they are known."""

    @property
    def words(self) -> str:
        """`tt-xla: 10 commits; tt_forge_models: 2 commits; tt-mlir: aaaa -> bbbb`; empty: nothing differs."""
        sides = (("tt-xla", self.own), ("tt_forge_models", self.models), *((name, one) for name, one, _ in self.others))
        parts = [
            f"{name}: {one.unknown or counted(len(one.commits) + one.more, 'commit')}"
            for name, one in sides
            if _says(one)
        ]
        parts += [f"{pin.name}: {pin.before or 'none'} -> {pin.after or 'none'}" for pin in self.pins]
        return "; ".join(parts)


def _says(one: Between) -> bool:
    return bool(one.commits or one.unknown)


def versions_between(checkout: Checkout, looked: Lookups, repository: str, before: str, after: str) -> Versions:
    """What lies between two commits of tt-xla: from local clones, else as far as GitHub has said it.

    `repository` is that of tt-xla on GitHub; empty: nobody knows it.
    """
    return _Between(checkout, looked, repository, before, after).versions()


_TT_MLIR_AT, _TT_METAL_AT = "tenstorrent/tt-mlir", "tenstorrent/tt-metal"
_MODELS_AT = "tenstorrent/tt-forge-models"
_BUILD = "third_party/CMakeLists.txt"
_ON_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)", re.ASCII)


class _Between:
    """One question."""

    def __init__(self, checkout: Checkout, looked: Lookups, repository: str, before: str, after: str) -> None:
        self.checkout, self.looked, self.repository = checkout, looked, repository
        self.before, self.after = before, after
        self.git, self.models = Git(checkout.root), Git(checkout.models)

    def versions(self) -> Versions:
        before, after = self.before, self.after
        own = self._commits(self.git, self.repository, before, after)
        was, now = (self._models_at(one) for one in (before, after))
        models_at = self._on_github(self.models) or _MODELS_AT
        models = self._commits(self.models, models_at, was, now)
        if not (was and now):
            models = Between(was, now, unknown=own.unknown or "the heads pin no models")
        differ = bool(before and after) and before != after
        here = differ and self._here(before) and self._here(after)
        pins, others = self._moved() if differ else ((), ())
        return Versions(
            own,
            models,
            _address(self.git, before, after) or self._page(self.repository, before, after),
            _address(self.models, was, now) or self._page(models_at, was, now),
            (*pins, *(self._presets() if here else ())),
            _touched(self.models, models),
            _is_ancestor(self.git, after, before) if here else self.looked.is_older(self.repository, before, after),
            others,
            day_of(self.looked.oldest) if self.looked.oldest is not None else "",
            tuple(self._chain(now)),
        )

    def _chain(self, models: str) -> Iterator[tuple[str, str]]:
        """The commits that the later run was built of."""
        mlir = (self._pins_after or {}).get(TT_MLIR, "") if self.after else ""
        metal = _TT_METAL.search(self._build(self._tt_mlir(), mlir)) if mlir else None
        found = (
            ("tt-xla", self.after),
            ("tt_forge_models", models),
            (TT_MLIR, mlir),
            (TT_METAL, metal[1] if metal else ""),
        )
        yield from ((name, commit) for name, commit in found if commit)

    def _here(self, commit: str) -> bool:
        return bool(commit) and self.git.has(commit)

    def _commits(self, git: Git, repository: str, before: str, after: str) -> Between:
        """The commits between two, from a clone, else from GitHub."""
        found = commits_from(git, before, after)
        return (self.looked.compared(repository, before, after) or found) if found.unknown else found

    def _page(self, repository: str, before: str, after: str) -> str:
        known = repository and before and after and before != after
        return f"https://github.com/{repository}/compare/{before}...{after}" if known else ""

    def _models_at(self, commit: str) -> str:
        place = self.checkout.relative(self.checkout.models)
        try:
            return self.git.pinned(place, commit)
        except (TTMatrixError, ValueError):
            return self.looked.file(self.repository, place, commit) or ""

    def _on_github(self, git: Git) -> str:
        found = _ON_GITHUB.fullmatch(web_address(git))
        return found[1] if found else ""

    def _pins(self, commit: str) -> Mapping[str, str] | None:
        """What a commit pins; None: not known."""
        if self._here(commit):
            return pins_at(self.git, commit)
        if self.looked.file(self.repository, _BUILD, commit) is None:
            return None
        return pins_in(lambda path: self.looked.file(self.repository, path, commit) or "")

    @cached_property
    def _pins_after(self) -> Mapping[str, str] | None:
        return self._pins(self.after)

    def _moved(self) -> tuple[tuple[Moved, ...], tuple[tuple[str, Between, str], ...]]:
        """The versions that moved, and the commits of tt-mlir and tt-metal between theirs."""
        old, new = self._pins(self.before), self._pins_after
        if old is None or new is None:
            return (), ()
        pins: list[Moved] = []
        others: list[tuple[str, Between, str]] = []
        for name in sorted(old.keys() | new.keys(), key=lambda name: (name != TT_MLIR, name)):
            was, now = old.get(name, ""), new.get(name, "")
            if was != now:
                pins.append(Moved(name, was, now, compare_link(name, was, now)))
            if was != now and name == TT_MLIR:
                clone = self._tt_mlir()
                others.append((name, self._far_commits(clone, _TT_MLIR_AT, was, now), pins[-1].url))
                if metal := self._metal(clone, was, now):
                    pins.append(metal)
                    commits = self._far_commits(None, _TT_METAL_AT, metal.before, metal.after)
                    others.append((metal.name, commits, metal.url))
        return tuple(pins), tuple(others)

    def _tt_mlir(self) -> Git | None:
        """A local clone of tt-mlir."""
        found = (self.checkout.root / place for place in _PLACES)
        return next((Git(one) for one in found if (one / ".git").exists()), None)

    def _far_commits(self, clone: Git | None, repository: str, before: str, after: str) -> Between:
        if clone is not None:
            return self._commits(clone, repository, before, after)
        known = self.looked.compared(repository, before, after)
        return known or Between(before, after, unknown=f"no clone is here; {ASK}")

    def _metal(self, clone: Git | None, before: str, after: str) -> Moved | None:
        """The version of tt-metal, which tt-mlir pins."""
        found = [_TT_METAL.search(self._build(clone, commit)) for commit in (before, after)]
        was, now = (one[1] if one else "" for one in found)
        if was == now:
            return None
        return Moved(TT_METAL, was, now, self._page(_TT_METAL_AT, was, now))

    def _build(self, clone: Git | None, commit: str) -> str:
        """The build of tt-mlir at a commit; empty: not known."""
        if clone is not None and (text := _content(clone, commit)):
            return text
        return self.looked.file(_TT_MLIR_AT, _BUILD, commit) or ""

    def _presets(self) -> Iterator[Moved]:
        place = self.checkout.relative(self.checkout.presets)
        changes = self.git.attempt("diff", "--numstat", f"{self.before}..{self.after}", "--", place)
        for line in changes.stdout.decode("utf-8", "replace").splitlines():
            added, removed, path = (*line.split("\t", 2), "", "")[:3]
            yield Moved(f"preset {path.rpartition('/')[2]}", f"-{removed}", f"+{added}")


def _address(git: Git, before: str, after: str) -> str:
    base = web_address(git) if before and after and before != after else ""
    return f"{base}/compare/{before}...{after}" if base else ""


def _is_ancestor(git: Git, one: str, other: str) -> bool:
    return git.attempt("merge-base", "--is-ancestor", one, other).returncode == 0


def _content(git: Git, commit: str) -> str:
    try:
        return (git.content(_BUILD, commit) or b"").decode("utf-8", "replace")
    except TTMatrixError:
        return ""


def _touched(git: Git, between: Between) -> tuple[str, ...]:
    """The directories that commits of the models touch, where they are here."""
    if not between.commits or not (git.has(between.before) and git.has(between.after)):
        return ()
    done = git.attempt("diff", "--name-only", f"{between.before}..{between.after}", "--")
    names = done.stdout.decode("utf-8", "replace").splitlines()
    return tuple(sorted({name.partition("/")[0] for name in names if "/" in name}))
