# SPDX-License-Identifier: Apache-2.0
"""The exact code of a checkout as a value: commits, edits that are not committed, files that git does not know.

`capture` describes a work tree, `reach` makes one elsewhere from a clone and the description, and verifies it.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import UNSET, UnsetType

from core.base.errors import TTMatrixError
from core.base.files import Record, packed, read_bytes
from core.base.locks import locked
from core.base.processes import run_binary
from core.sources import Checkout, Git

_MOST_BYTES = 32 * 2**20
_TESTS = "tests"
"""In the checkout, untracked files only count below this directory; in the models, everywhere."""
_GIT_SECONDS = 600.0
_LOCK_SECONDS = 1200.0
_TREES = 8
"""How many trees a host keeps; others are made again when needed."""
_EXECUTABLE = 0o111


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that is neither tracked nor ignored by git."""

    data: bytes
    executable: bool = False


@dataclass(frozen=True, slots=True)
class TreeEdits:
    """One work tree: a commit and the differences from it."""

    commit: str
    patch: bytes = b""
    """As `git diff --binary` writes it."""
    files: Mapping[str, NewFile] = field(default_factory=dict)
    """By path below the root."""


@dataclass(frozen=True, slots=True)
class CodeState:
    """The code of a checkout and of its models submodule."""

    checkout: TreeEdits
    models: TreeEdits | None = None
    """None: the models are files of the checkout itself."""

    @property
    def digest(self) -> str:
        """Differs for any two states."""
        return hashlib.sha256(packed(self._canonical())).hexdigest()[:16]

    def _canonical(self) -> list[object]:
        trees = (self.checkout, self.models)
        return [None if one is None else [one.commit, one.patch, sorted(one.files.items())] for one in trees]

    def described(self) -> "Described":
        """The state as a record has it."""
        edited = patched_files(self.checkout.patch) + sorted(self.checkout.files)
        if self.models is not None:
            edited += [f"models: {one}" for one in patched_files(self.models.patch) + sorted(self.models.files)]
        models = UNSET if self.models is None else self.models.commit
        return Described(digest=self.digest, commit=self.checkout.commit, models=models, edited=edited)


class Described(Record, kw_only=True):
    """The code that a run on another machine ran on: `code.json` in its directory."""

    digest: str
    commit: str
    models: str | UnsetType = UNSET
    """The commit of tt_forge_models, if that is checked out."""
    edited: list[str]
    """The files with edits that are in no commit."""


class Refused(TTMatrixError):
    """The state cannot be restored here."""


def patched_files(patch: bytes) -> list[str]:
    """The files that a git patch changes, in its order."""
    lines = patch.decode("utf-8", "replace").split("\n")
    return [line.partition(" b/")[2].rstrip('"') for line in lines if line.startswith("diff --git ")]


def capture(checkout: Checkout) -> CodeState:
    """The present state of the checkout. Raises TTMatrixError if it is no git work tree, or its edits are too large."""
    root = Git(checkout.root, seconds=_GIT_SECONDS)
    if not root.own_root():
        raise TTMatrixError(
            f"{checkout.root} is not the root of a git repository", "Other machines get the code as a commit of git."
        )
    if not checkout.has_own_models:
        return CodeState(_edits(root, (_TESTS, checkout.relative(checkout.models))))
    return CodeState(_edits(root, (_TESTS,)), _edits(Git(checkout.models, seconds=_GIT_SECONDS), (".",)))


def _edits(git: Git, places: Sequence[str]) -> TreeEdits:
    names = git.untracked(places)
    sizes = {name: (git.root / name).stat().st_size for name in names if (git.root / name).is_file()}
    if (size := sum(sizes.values())) > _MOST_BYTES:
        largest = max(sizes, key=lambda name: sizes[name])
        raise TTMatrixError(
            f"New files of {git.root} have {size / 2**20:,.0f} MiB",
            f"The largest is {largest}. At most {_MOST_BYTES >> 20} MiB go along to another machine.",
            "Remove them, or have git ignore them.",
        )
    return TreeEdits(git.head_commit(), git.patch(), {name: _new_file(git.root / name) for name in sizes})


def _new_file(path: Path) -> NewFile:
    try:
        return NewFile(read_bytes(path, _MOST_BYTES), bool(path.stat().st_mode & _EXECUTABLE))
    except OSError as error:
        raise TTMatrixError(f"Cannot read {path}", error.strerror or str(error)) from error


def reach(state: CodeState, clone: Path, trees: Path) -> Path:
    """A work tree below `trees` with exactly `state`, from the objects of `clone`, which is not changed.

    A tree from an earlier run is verified and reused. Raises Refused, with the reason, if neither the clone nor its
    origin has the commit, if the patch does not apply, or if the tree differs from the state.
    """
    with locked(trees / "lock", "laying out code for a run", wait=_LOCK_SECONDS):
        directory = trees / state.digest
        if not directory.is_dir():
            _lay_out(state, clone, trees, directory)
        if wrong := _difference(state, directory):
            shutil.rmtree(directory, ignore_errors=True)
            _lay_out(state, clone, trees, directory)
            wrong = _difference(state, directory)
        if wrong:
            raise Refused("The code there is different", wrong)
        os.utime(directory)
        _drop_old(trees)
        return directory


def _lay_out(state: CodeState, clone: Path, trees: Path, directory: Path) -> None:
    trees.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=".new-", dir=trees))
    try:
        tree = staging / "tree"
        _check_out(state.checkout, clone, tree)
        if state.models is not None:
            models = Checkout(tree).models
            if models.is_dir():
                # The empty directory that git makes for a submodule.
                shutil.rmtree(models)
            _check_out(state.models, Checkout(clone).models, models)
        tree.rename(directory)
    except OSError as error:
        raise Refused(f"Cannot write {directory}", error.strerror or str(error)) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _check_out(edits: TreeEdits, clone: Path, tree: Path) -> None:
    if not (clone / ".git").exists():
        raise Refused(f"{clone} is not a git clone", f"Commit {edits.commit[:12]} is needed from it.")
    if not Git(clone).has(edits.commit):
        _fetch(edits.commit, clone)
    # Shares the objects of the clone without changing it.
    _git(clone.parent, "clone", "--quiet", "--shared", "--no-checkout", str(clone), str(tree))
    _git(tree, "checkout", "--quiet", "--detach", edits.commit)
    if edits.patch:
        _git(tree, "apply", "--whitespace=nowarn", stdin=edits.patch)
    for name, file in edits.files.items():
        place = tree / name
        if not place.resolve().is_relative_to(tree.resolve()):
            raise Refused(f"{name} is outside of the checkout")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.data)
        if file.executable:
            place.chmod(place.stat().st_mode | _EXECUTABLE)


def _fetch(commit: str, clone: Path) -> None:
    try:
        _git(clone, "fetch", "--quiet", "origin", commit)
    except Refused as error:
        raise Refused(
            f"Commit {commit[:12]} is not in {clone}", f"Its origin does not have it: {error.detail}", "Push it."
        ) from error


def _git(directory: Path, *words: str, stdin: bytes = b"") -> None:
    # Nobody is there to answer a prompt.
    environ = {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_LFS_SKIP_SMUDGE": "1"}
    command = ["git", "-c", f"core.hooksPath={os.devnull}", *words]
    done = run_binary(command, cwd=directory, env=environ, stdin=stdin, timeout=_GIT_SECONDS)
    if done.returncode:
        raise Refused(f"git {words[0]} failed in {directory}", done.stderr.strip())


def _difference(state: CodeState, directory: Path) -> str:
    """What in a tree differs from `state`; empty: nothing. Files that earlier runs left there are ignored."""
    checkout = Checkout(directory)
    pairs = [(state.checkout, directory)] + ([(state.models, checkout.models)] if state.models else [])
    for wanted, place in pairs:
        git = Git(place)
        try:
            commit, patch = git.head_commit(), git.patch()
        except TTMatrixError as error:
            return f"{error.title}: {error.detail}"
        if commit != wanted.commit:
            return f"{place} is at {commit[:12]}, not at {wanted.commit[:12]}"
        if patch != wanted.patch:
            return f"the edits in {place} differ: {', '.join(patched_files(patch) or patched_files(wanted.patch))}"
        for name, file in wanted.files.items():
            if not (place / name).is_file() or _new_file(place / name) != file:
                return f"{place / name} differs"
    return ""


def _drop_old(trees: Path) -> None:
    there = sorted((one for one in trees.iterdir() if one.is_dir()), key=lambda one: one.stat().st_mtime, reverse=True)
    for one in there[_TREES:]:
        shutil.rmtree(one, ignore_errors=True)
