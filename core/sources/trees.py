# SPDX-License-Identifier: Apache-2.0
"""A checkout as git knows it at a commit or in the index, laid out in a directory of our own.

Whatever reads a checkout reads such a directory too. The work tree is neither touched nor looked at.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from core.base import files
from core.base.errors import TTMatrixError, UsageError
from core.base.files import TEXT_BYTES
from core.base.text import counted
from core.sources.advice import fetching, git_command, setting_up, what_else
from core.sources.checkout import Checkout
from core.sources.git import Blob, Git

INDEX, WORK_TREE = "index", "worktree"
"""What the index and the work tree are called where a commit could be named."""
_LINK, _EXECUTABLE, _REGULAR = "120000", "100755", "100644"
_ID = re.compile(r"[0-9a-f]{7,64}")
_NO_GIT = "gitdir: none, these files were laid out for reading\n"
"""The text of `.git` there: git would otherwise look for a repository further up."""


@dataclass(frozen=True)
class Tree:
    """All files of a checkout at one moment, with those of its models. Nothing is read before it is needed."""

    checkout: Checkout
    name: str
    """As a person named it."""
    commit: str
    """The full id of the commit; empty: it is the index."""
    models: str
    """The full id of the commit of the models; empty: they are files of the checkout itself."""

    @cached_property
    def key(self) -> str:
        """Equal for moments at which all files are the same."""
        git = Git(self.checkout.root)
        own = git.tree(self.commit) if self.commit else _digest(git.staged())
        return f"{own}-{self.models_key}"

    @cached_property
    def models_key(self) -> str:
        """Equal for moments at which the models, a submodule, are the same; empty if they are none."""
        return Git(self.checkout.models).tree(self.models) if self.models else ""

    @cached_property
    def files(self) -> Mapping[str, Blob]:
        """Every file by its path relative to the checkout, those of the models among them."""
        git = Git(self.checkout.root)
        found = git.tracked(self.commit) if self.commit else git.staged()
        return found | {f"{self._below}/{path}": blob for path, blob in self._models_files.items()}

    @cached_property
    def _models_files(self) -> Mapping[str, Blob]:
        return Git(self.checkout.models).tracked(self.models) if self.models else {}

    @property
    def _below(self) -> str:
        return self.checkout.relative(self.checkout.models)

    def contents(self, paths: Mapping[str, Blob]) -> Iterator[tuple[str, bytes | int]]:
        """What each file holds: its bytes, or its size if it is too large to be read. Raises TTMatrixError."""
        below = f"{self._below}/"
        inner = {path: blob for path, blob in paths.items() if self.models and path.startswith(below)}
        yield from self._contents(Git(self.checkout.models), inner)
        yield from self._contents(
            Git(self.checkout.root), {path: blob for path, blob in paths.items() if path not in inner}
        )

    def _contents(self, git: Git, paths: Mapping[str, Blob]) -> Iterator[tuple[str, bytes | int]]:
        by_blob: dict[str, list[str]] = {}
        for path, blob in paths.items():
            by_blob.setdefault(blob.hash, []).append(path)
        sizes = self._sizes(git, by_blob)
        small = [id for id, size in sizes.items() if size <= TEXT_BYTES]
        for id, content in git.blobs(small):
            yield from ((path, content or b"") for path in by_blob[id])
        for id in sizes.keys() - set(small):
            yield from ((path, sizes[id]) for path in by_blob[id])

    def _sizes(self, git: Git, paths: Mapping[str, Sequence[str]]) -> dict[str, int]:
        """The size of each blob. Raises TTMatrixError that tells how to get those that the clone lacks."""
        commit = self.models if git.root == self.checkout.models else self.commit
        try:
            sizes = git.sizes(paths)
            missing = [id for id in paths if id not in sizes]
        except TTMatrixError:
            absent = git.missing(commit) if commit else frozenset()
            missing = [id for id in paths if id in absent]
            if not missing:
                raise
            sizes = {}
        if missing:
            raise TTMatrixError(
                f"The clone lacks {counted(len(missing), 'file')} of {self.name}",
                f"Its history is partial: {paths[missing[0]][0]} is known by name only.",
                git_command(git.root, "diff", "--stat", "HEAD", commit or "--staged"),
            )
        return sizes


@dataclass(frozen=True)
class EditedTree(Tree):
    """A checkout as git knows it, with other texts in some of its files."""

    texts: Mapping[str, str]
    """By path relative to the checkout."""

    @cached_property
    def key(self) -> str:
        blobs = {path: Blob(_REGULAR, _hash(text)) for path, text in self.texts.items()}
        return f"{super().key}-{_digest(blobs)}"

    @cached_property
    def models_key(self) -> str:
        blobs = {path: Blob("", _hash(text)) for path, text in self.texts.items() if path.startswith(f"{self._below}/")}
        return f"{super().models_key}-{_digest(blobs)}" if blobs else super().models_key

    @cached_property
    def files(self) -> Mapping[str, Blob]:
        known = super().files
        modes = {path: known[path].mode if path in known else _REGULAR for path in self.texts}
        return {**known, **{path: Blob(modes[path], _hash(text)) for path, text in self.texts.items()}}

    def contents(self, paths: Mapping[str, Blob]) -> Iterator[tuple[str, bytes | int]]:
        yield from ((path, self.texts[path].encode()) for path in paths if path in self.texts)
        yield from super().contents({path: blob for path, blob in paths.items() if path not in self.texts})


def _hash(text: str) -> str:
    """The name that git has for a file with this text."""
    content = text.encode()
    return hashlib.sha1(b"blob %d\0%b" % (len(content), content)).hexdigest()


def read_tree(checkout: Checkout, name: str, models: str = "") -> Tree:
    """The checkout at what a person names: a commit, or `index`. `models` names another commit of its models.

    Raises UsageError if there is no such commit, and TTMatrixError if it is no tt-xla, or its models are not here.
    """
    git, below = Git(checkout.root), checkout.relative(checkout.models)
    commit = "" if name == INDEX else _named(checkout, name)
    pinned = git.pinned(below, commit) if commit else git.staged_pin(below)
    tree = Tree(checkout, name, commit, _models(checkout, name, pinned, models))
    for place, what in ((checkout.test_config, "expectations"), (checkout.models, "models")):
        where = checkout.relative(place)
        if not tree.models and not any(path.startswith(f"{where}/") for path in tree.files):
            raise TTMatrixError(f"{name} has no {what}", f"There is nothing below {where} at that commit.")
    return tree


def _models(checkout: Checkout, name: str, pinned: str, wanted: str) -> str:
    """The commit of the models; empty: they are no submodule."""
    if not pinned:
        if wanted:
            raise TTMatrixError(
                "The models are no submodule here", f"{name} has their files itself: there is no other commit of them."
            )
        return ""
    place = checkout.relative(checkout.models)
    if not checkout.has_own_models:
        raise TTMatrixError(
            f"{place} is not a repository here",
            f"{name} pins it at {pinned}, and nothing here has that commit.",
            f"Move it away, then: {setting_up(checkout.root, place)}",
        )
    git = Git(checkout.models)
    if wanted:
        if git.has(wanted):
            return git.named(wanted)
        if _ID.fullmatch(wanted) and Git(checkout.root).has(wanted):
            raise UsageError(f"{wanted} is a commit of tt-xla, not of the models", "", "ttmatrix diff compares these.")
        else_ = what_else(git, wanted)
        command = "" if else_ else fetching(git, wanted)
        raise UsageError(
            f"The models have no commit named {wanted!r}",
            else_ and f"{else_}.",
            f"Give an id or a branch of {place}{f', or fetch it: {command}' if command else '.'}",
        )
    if not git.has(pinned):
        command = fetching(git, pinned)
        raise TTMatrixError(
            f"The models of {name} are not here",
            f"It pins {place} at {pinned}, a commit that this clone of the models lacks."
            + (" If it cannot be fetched, it was not pushed." if command else ""),
            command or f"{place} has no remote to fetch it from.",
        )
    return pinned


def _named(checkout: Checkout, name: str) -> str:
    """As `Git.named`, and a commit of the models is said to be one."""
    try:
        return Git(checkout.root).named(name)
    except UsageError as error:
        if _ID.fullmatch(name) and checkout.has_own_models and Git(checkout.models).has(name):
            hint = "ttmatrix uplift [OLD..]NEW compares these."
            raise UsageError(f"{name} is a commit of the models", "", hint) from error
        raise


def _digest(listed: Mapping[str, Blob]) -> str:
    lines = (f"{blob.mode} {blob.hash}\t{path}\0" for path, blob in sorted(listed.items()))
    return hashlib.sha1("".join(lines).encode(errors="surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Layout:
    """A directory that holds the files of one tree at a time; going to another tree writes what differs."""

    place: Path

    @property
    def root(self) -> Path:
        """Where the files are."""
        return self.place / "tree"

    @property
    def _listing(self) -> Path:
        return self.place / "listing"

    def become(self, tree: Tree) -> Checkout:
        """Lay out the files of `tree`; those that are the same keep their stamps. Only for the holder of a lock.

        Raises TTMatrixError if git does not have a file, or it cannot be written.
        """
        try:
            self._become(tree)
        except OSError as error:
            raise TTMatrixError(f"Cannot write the files of {tree.name}", f"{self.root}: {error}") from error
        return Checkout(self.root)

    def _become(self, tree: Tree) -> None:
        before, after = self.files(), tree.files
        if before is None:
            shutil.rmtree(self.root, ignore_errors=True)
            before = {}
        differing = {path: blob for path, blob in after.items() if before.get(path) != blob and _is_safe(path)}
        if differing or before.keys() - after.keys() or not self.root.is_dir():
            # Until all of it is written, nobody may trust it.
            self._listing.unlink(missing_ok=True)
            for path in (*(before.keys() - after.keys()), *(differing.keys() & before.keys())):
                self._remove(path)
            self._write(tree, differing)
            files.atomic_write(self._listing, files.packed({path: (one.mode, one.hash) for path, one in after.items()}))

    def files(self) -> Mapping[str, Blob] | None:
        """The files that are laid out; None: nothing that is known."""
        try:
            found = files.unpacked(files.read_bytes(self._listing), dict[str, tuple[str, str]])
        except (OSError, files.FormatError):
            return None
        return {path: Blob(*pair) for path, pair in found.items()}

    def _remove(self, path: str) -> None:
        file = self.root / path
        file.unlink(missing_ok=True)
        for above in file.parents:
            if above == self.root or not above.is_dir() or any(above.iterdir()):
                break
            above.rmdir()

    def _write(self, tree: Tree, wanted: Mapping[str, Blob]) -> None:
        for directory in sorted({os.path.dirname(f"{self.root}/{path}") for path in wanted} | {str(self.root)}):  # noqa: PTH120
            os.makedirs(directory, mode=0o700, exist_ok=True)  # noqa: PTH103
        (self.root / ".git").write_text(_NO_GIT)
        for path, content in tree.contents(wanted):
            self._write_one(self.root / path, wanted[path].mode, content)

    def _write_one(self, file: Path, mode: str, content: bytes | int) -> None:
        if isinstance(content, int):
            # The size says that it is too large to be read, as it would be in a checkout.
            file.touch()
            os.truncate(file, content)
        elif mode == _LINK:
            if self._stays_inside(file, target := os.fsdecode(content)):
                file.symlink_to(target)
        else:
            file.write_bytes(content)
            if mode == _EXECUTABLE:
                file.chmod(0o700)

    def _stays_inside(self, file: Path, target: str) -> bool:
        """Whether a link leads into the tree; `..` behind a name could climb out of a directory that is a link too."""
        parts = PurePosixPath(target).parts
        climbs = [part == ".." for part in parts]
        return sorted(climbs, reverse=True) == climbs and Path(os.path.normpath(file.parent / target)).is_relative_to(
            self.root
        )


def _is_safe(path: str) -> bool:
    """Whether a path stays inside the directory it is relative to. git itself writes no other one."""
    parts = PurePosixPath(path).parts
    return (
        bool(parts) and not path.startswith("/") and ".." not in parts and ".git" not in (one.lower() for one in parts)
    )
