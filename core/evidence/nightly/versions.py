# SPDX-License-Identifier: Apache-2.0
"""What changed between the heads of two runs: commits, pinned versions, rows of presets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.base.text import counted
from core.evidence.analysis import Between, commits_from
from core.sources import TT_MLIR, Checkout, Git, compare_link, pins_at, web_address

_TT_METAL = re.compile(r"""^\s*set\(\s*TT_METAL_VERSION\s+"?([\w.-]+)"?\s*\)""", re.MULTILINE)
_PLACES = ("third_party/tt-mlir/src/tt-mlir", "third_party/tt-mlir", "../tt-mlir")
"""Where a clone of tt-mlir may be."""
_METAL_PAGE = "https://github.com/tenstorrent/tt-metal"


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
    unknown: str = ""
    """Why pins could not be compared; empty: they were."""

    @property
    def words(self) -> str:
        """`tt-xla: 10 commits; tt_forge_models: 2 commits; tt-mlir: aaaa -> bbbb`; empty: nothing differs."""
        sides = (("tt-xla", self.own), ("tt_forge_models", self.models))
        parts = [f"{name}: {one.unknown or counted(len(one.commits), 'commit')}" for name, one in sides if _says(one)]
        parts += [f"{pin.name}: {pin.before or 'none'} -> {pin.after or 'none'}" for pin in self.pins]
        return "; ".join(parts)


def _says(one: Between) -> bool:
    return bool(one.commits or one.unknown)


def versions_between(checkout: Checkout, before: str, after: str) -> Versions:
    """What lies between two commits of tt-xla, from local clones."""
    git, models = Git(checkout.root), Git(checkout.models)
    own = commits_from(git, before, after)
    here = bool(before and after) and git.has(before) and git.has(after)
    was, now = (_pinned(git, checkout, one) if here else "" for one in (before, after))
    between = commits_from(models, was, now)
    if not (was and now):
        between = Between(was, now, unknown=own.unknown or "the heads pin no models")
    return Versions(
        own,
        between,
        _address(git, before, after),
        _address(models, was, now),
        tuple(_moved(git, checkout, before, after)) if here and before != after else (),
        _touched(models, between),
        here and before != after and _is_ancestor(git, after, before),
        "" if here else own.unknown,
    )


def _pinned(git: Git, checkout: Checkout, commit: str) -> str:
    try:
        return git.pinned(checkout.relative(checkout.models), commit)
    except (TTMatrixError, ValueError):
        return ""


def _address(git: Git, before: str, after: str) -> str:
    base = web_address(git) if before and after and before != after else ""
    return f"{base}/compare/{before}...{after}" if base else ""


def _is_ancestor(git: Git, one: str, other: str) -> bool:
    return git.attempt("merge-base", "--is-ancestor", one, other).returncode == 0


def _moved(git: Git, checkout: Checkout, before: str, after: str) -> Iterator[Moved]:
    old, new = pins_at(git, before), pins_at(git, after)
    for name in sorted(old.keys() | new.keys(), key=lambda name: (name != TT_MLIR, name)):
        was, now = old.get(name, ""), new.get(name, "")
        if was != now:
            yield Moved(name, was, now, compare_link(name, was, now))
            if name == TT_MLIR:
                yield from _metal(checkout, was, now)
    presets = checkout.relative(checkout.presets)
    changes = git.attempt("diff", "--numstat", f"{before}..{after}", "--", presets)
    for line in changes.stdout.decode("utf-8", "replace").splitlines():
        added, removed, path = (*line.split("\t", 2), "", "")[:3]
        yield Moved(f"preset {path.rpartition('/')[2]}", f"-{removed}", f"+{added}")


def _metal(checkout: Checkout, before: str, after: str) -> Iterator[Moved]:
    """The version of tt-metal, which a clone of tt-mlir knows."""
    for place in _PLACES:
        clone = checkout.root / place
        if (clone / ".git").exists():
            git = Git(clone)
            found = [_TT_METAL.search(_content(git, commit)) for commit in (before, after)]
            was, now = (one[1] if one else "" for one in found)
            if was != now:
                link = f"{_METAL_PAGE}/compare/{was}...{now}" if was and now else ""
                yield Moved("tt-metal", was, now, link)
            return


def _content(git: Git, commit: str) -> str:
    try:
        return (git.content("third_party/CMakeLists.txt", commit) or b"").decode("utf-8", "replace")
    except TTMatrixError:
        return ""


def _touched(git: Git, between: Between) -> tuple[str, ...]:
    if not between.commits:
        return ()
    done = git.attempt("diff", "--name-only", f"{between.before}..{between.after}", "--")
    names = done.stdout.decode("utf-8", "replace").splitlines()
    return tuple(sorted({name.partition("/")[0] for name in names if "/" in name}))
