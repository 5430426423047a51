# SPDX-License-Identifier: Apache-2.0
"""Files that git tracks and the work tree lacks: outside a sparse checkout, deleted, unreadable, or something else.

What such a file says is not known here, which is not the same as that it says nothing.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from core.base.errors import TTMatrixError
from core.sources.advice import git_command
from core.sources.checkout import Checkout
from core.sources.git import Git

_SKIPPED = "S"
_LINK = "120000"
_SUBMODULE = "160000"
_WORKFLOWS = ".github/workflows"
_LOADER = "loader.py"
SECONDS = 20.0
"""How long one git may take."""


@dataclass(frozen=True, slots=True)
class Absent:
    """A file that git tracks and that cannot be read here."""

    path: str
    """Relative to the checkout."""
    why: str
    """Continues a sentence that begins with the path: `is outside the sparse checkout`."""
    remedy: str
    """A git command; empty: none is certain."""

    @property
    def of_ci(self) -> bool:
        """Whether it is a preset or workflow."""
        return self.path.startswith(f"{_WORKFLOWS}/")

    @property
    def reason(self) -> str:
        """Why, and the remedy."""
        return f"{self.why}; {self.remedy}" if self.remedy else self.why


def absent_files(checkout: Checkout) -> tuple[Absent, ...]:
    """Expectation files, presets, workflows and loaders that git tracks and the work tree lacks; none without git."""
    return (*absent_configuration(checkout), *absent_loaders(checkout))


def absent_configuration(checkout: Checkout) -> tuple[Absent, ...]:
    """The expectation files, presets and workflows among them."""
    expectations = checkout.relative(checkout.test_config)
    found = _absent(Git(checkout.root, seconds=SECONDS), checkout.root, "", (expectations, _WORKFLOWS))
    return tuple(one for one in found if PurePosixPath(one.path).suffix in (".yaml", ".yml", ".json", ".py"))


def absent_loaders(checkout: Checkout) -> tuple[Absent, ...]:
    """The loaders among them, and the modules at the top of the models tree."""
    models = checkout.relative(checkout.models)
    if checkout.has_own_models:
        found = _absent(Git(checkout.models, seconds=SECONDS), checkout.models, f"{models}/", (".",))
    else:
        found = _absent(Git(checkout.root, seconds=SECONDS), checkout.root, "", (models,))
    return tuple(one for one in found if _is_loader(PurePosixPath(one.path).relative_to(models)))


def _is_loader(path: PurePosixPath) -> bool:
    return path.name == _LOADER or (len(path.parts) == 1 and path.suffix == ".py")


def _absent(git: Git, root: Path, prefix: str, places: Iterable[str]) -> Iterator[Absent]:
    try:
        listed = git.text("ls-files", "--stage", "-t", "-z", "--", *places)
    except TTMatrixError:
        # No git, no repository: then nothing is tracked.
        return
    lacking: list[tuple[str, str]] = []
    for line in filter(None, listed.split("\0")):
        facts, _, path = line.partition("\t")
        tag, mode, *_ = facts.split()
        if mode != _SUBMODULE and (why := _why(root / path, skipped=tag == _SKIPPED, link=mode == _LINK)):
            lacking.append((path, why))
    if not lacking:
        # As mostly: what git is set to matters to nothing.
        return
    sparse, cone = (_is_set(git, name) for name in ("core.sparseCheckout", "core.sparseCheckoutCone"))
    for path, found in lacking:
        why = _SPARSE if sparse and found == _SKIP else found
        yield Absent(f"{prefix}{path}", why, _remedy(root, path, why, cone=cone))


_SPARSE, _DELETED = "is outside the sparse checkout", "is deleted"
_SKIP, _OTHER = "is not here, and marked skip-worktree", "is no file here, but something else"


def _why(file: Path, *, skipped: bool, link: bool) -> str:
    """Why a file cannot be read; empty: it is there."""
    try:
        status = file.stat()
    except FileNotFoundError:
        if link and file.is_symlink():
            return "is a link that leads nowhere"
        return _SKIP if skipped else _DELETED
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if not stat.S_ISREG(status.st_mode) and not link:
        return _OTHER
    return "" if os.access(file, os.R_OK) else "may not be read by this user"


def _is_set(git: Git, name: str) -> bool:
    return git.attempt("config", "--type=bool", name).stdout.strip() == b"true"


def _remedy(root: Path, path: str, why: str, *, cone: bool) -> str:
    """A command of git; empty: none is certain to help."""
    words = {
        # In cone mode directories are given, else patterns.
        _SPARSE: ("sparse-checkout", "add", str(PurePosixPath(path).parent) if cone else f"/{path}"),
        _SKIP: ("update-index", "--no-skip-worktree", path),
        _DELETED: ("restore", path),
        _OTHER: ("restore", path),
    }.get(why)
    return git_command(root, *words) if words else ""
