# SPDX-License-Identifier: Apache-2.0
"""The git commands that commit chosen texts of chosen files, beside those that read; nothing here knows operations."""

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from core.base.errors import TTMatrixError
from core.base.files import read_bytes
from core.base.processes import CommandResult, CommandRunner, run_command
from core.edits.scratch import is_scratch
from core.sources import Blob, Git

ACTION = "commit (ttmatrix)"
"""The action that the reflog shows for our commits; git's own are `commit` and `commit (amend)`."""
COMMIT_SECONDS = 900.0
"""How long hooks and signing may take."""

_SECONDS = 60.0
# Nobody can answer a prompt of git: a question would hang.
_ENVIRONMENT = {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "GPG_TTY": ""}
_UNDER_WAY = {
    "rebase-merge": ("a rebase", "git rebase --abort"),
    "rebase-apply": ("a rebase", "git rebase --abort"),
    "MERGE_HEAD": ("a merge", "git merge --abort"),
    "CHERRY_PICK_HEAD": ("a cherry-pick", "git cherry-pick --abort"),
    "REVERT_HEAD": ("a revert", "git revert --abort"),
}
_LOOK_BACK = 200
"""Lines of the reflog of HEAD that are read."""
_SHA256_LENGTH = 64
_IDENTITY = re.compile(r"(?P<NAME>.*) <(?P<EMAIL>[^<>]*)> (?P<DATE>\d+ [-+]\d+)")


class Repository:
    """The repository of the work tree at `root`, which may also be a directory inside it. Paths are relative to `root`.

    Every method raises TTMatrixError with git's own message if git fails.
    """

    def __init__(
        self, root: Path, runner: CommandRunner = run_command, environ: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """`environ` is added to the environment of every git; `runner` runs the commands that write."""
        self.root = root
        self.reader = Git(root, environ=environ, seconds=_SECONDS)
        self._runner = runner
        self._environ = environ

    def git(
        self, *words: str, stdin: str = "", env: Mapping[str, str] | None = None, timeout: float = _SECONDS
    ) -> CommandResult:
        """Run git at `root`. Raises TTMatrixError if it fails."""
        done = self.try_git(*words, stdin=stdin, env=env, timeout=timeout)
        if done.returncode != 0:
            said = "\n".join(text for text in (done.stderr.strip(), done.stdout.strip()) if text)
            raise TTMatrixError(
                f"git {words[0]} failed", said or f"It ended with exit status {done.returncode} and said nothing."
            )
        return done

    def try_git(
        self, *words: str, stdin: str = "", env: Mapping[str, str] | None = None, timeout: float = _SECONDS
    ) -> CommandResult:
        """Run git at `root`; its exit code is not checked."""
        # A commit also starts hooks, filters and signing; hooks inherit this environment.
        env = {**_ENVIRONMENT, **self._environ, **(env or {})}
        return self._runner(["git", *words], cwd=self.root, env=env, stdin=stdin, timeout=timeout)

    def head(self) -> str:
        """The last commit. Raises TTMatrixError if there is no commit or no repository."""
        return self.reader.head_commit()

    def parent(self, commit: str) -> str:
        """The first parent of `commit`; empty if it has none."""
        return self.reader.parent(commit)

    def made_since(self, base: str) -> tuple[str, ...]:
        """The commits on top of `base` that a ttmatrix made, oldest first, as far as the reflog of HEAD shows."""
        words = ("log", "--walk-reflogs", f"--max-count={_LOOK_BACK}", "--format=%H %gs")
        lines = self.reader.text(*words).splitlines()
        ours = {line.partition(" ")[0] for line in lines if line.partition(" ")[2].startswith(ACTION)}
        return tuple(commit for commit in self._since(base) if commit in ours)

    def is_ours_alone(self, base: str) -> bool:
        """Whether only commits of ours, or a single one that a hook may have changed, are on top of `base`."""
        return self.parent("HEAD") == base or self.made_since(base) == self._since(base)

    def _since(self, base: str) -> tuple[str, ...]:
        return tuple(self.reader.text("rev-list", "--reverse", "--first-parent", f"{base}..HEAD").split())

    def is_detached(self) -> bool:
        """Whether HEAD is detached, so that a commit would belong to no branch."""
        return self.reader.attempt("symbolic-ref", "--quiet", "HEAD").returncode != 0

    def refuse_unfit(self) -> None:
        """Raise TTMatrixError, with what to do about it, if no commit should be made now."""
        self.head()
        if self._is_in_a_hook_of_its_commit():
            detail = f"A hook of a git commit in {self.root} has called us: a commit now would take its branch from it."
            raise TTMatrixError("git is in the middle of a commit", detail, "Commit when it is done.")
        own = self._file("--git-dir")
        for name, (what, abort) in _UNDER_WAY.items():
            if (own / name).exists():
                detail = f"A commit now would become a part of it. It is under way in {self.root}."
                raise TTMatrixError(f"In the middle of {what}", detail, f"Finish it, or abort it with: {abort}")
        for role in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
            if (asked := self.reader.attempt("var", role)).returncode != 0:
                hint = "git config user.name 'Your Name' and git config user.email you@example.com"
                raise TTMatrixError("git does not know who you are", asked.stderr.strip(), hint)

    def _is_in_a_hook_of_its_commit(self) -> bool:
        """Whether we were called by a hook of a commit to this index, or to one beside it: git's own, or ours."""
        if not _in_a_hook():
            return False
        here, named, index = Path.cwd(), os.environ["GIT_INDEX_FILE"], self.index.resolve()
        inside = here.is_relative_to(self.root.resolve())
        # Hooks begin at the root, so that is what a relative path is relative to.
        calling = ((self.root if inside else here) / named).resolve()
        return calling.parent == index.parent or is_scratch(calling.parent, index.parent)

    def own_author(self) -> Mapping[str, str]:
        """Variables for our commit: in a hook, git sets the author to that of its own commit; ours is the committer."""
        found = _IDENTITY.match(self.reader.text("var", "GIT_COMMITTER_IDENT")) if _in_a_hook() else None
        return {f"GIT_AUTHOR_{name}": value for name, value in found.groupdict().items()} if found else {}

    def committed(self, commit: str, paths: Sequence[str]) -> Mapping[str, Blob]:
        """The blobs of those of `paths` that `commit` has as regular files."""
        return self.reader.regular(commit, paths)

    def as_committed(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Those of `paths` whose files have the content of the last commit, line ends aside.

        Compared with the commit directly: `git diff` would rewrite the index and run the checkout's filters.
        """
        found = self.committed("HEAD", paths)
        return tuple(path for path in paths if _says(self.root / path, found.get(path)))

    def staged(self, paths: Sequence[str]) -> Mapping[str, Blob]:
        """The blobs that the index has for `paths`. Raises TTMatrixError if one is unmerged or not checked out."""
        listed = self.reader.text("ls-files", "--stage", "-t", "-z", "--", *paths)
        found: dict[str, Blob] = {}
        for line in filter(None, listed.split("\0")):
            about, _, path = line.partition("\t")
            tag, mode, hash, stage = about.split()
            if stage != "0":
                raise TTMatrixError(f"{path} has conflicts", "The index holds several versions of it.", "Resolve them.")
            if tag == "S":
                hint = f"git sparse-checkout add {Path(path).parent}"
                raise TTMatrixError(f"{path} is outside the sparse checkout", "git does not look at its text.", hint)
            found[path] = Blob(mode, hash)
        return found

    def text(self, path: str, blob: Blob) -> str:
        """The text of a blob of `path`, with no line end converted."""
        return self.reader.blob_text(path, blob)

    def store(self, text: str) -> str:
        """Store a text as a blob, with no line end converted, and return its hash."""
        return self.git("hash-object", "-w", "--stdin", stdin=text).stdout.strip()

    def put(self, index: Path, blobs: Mapping[str, Blob]) -> None:
        """Set entries of the index file at `index`."""
        env = {"GIT_INDEX_FILE": str(index)}
        lines = "".join(f"{blob.mode} {blob.hash}\t{self.prefix}{path}\0" for path, blob in blobs.items())
        self.git("update-index", "-z", "--index-info", stdin=lines, env=env)

    @cached_property
    def prefix(self) -> str:
        return self.reader.text("rev-parse", "--show-prefix").rstrip("\n")

    @cached_property
    def index(self) -> Path:
        """The file of the index; it need not exist."""
        return self._file("--git-path", "index")

    def _file(self, *words: str) -> Path:
        return self.root / self.reader.text("rev-parse", *words).rstrip("\n")


def _in_a_hook() -> bool:
    """Whether a git that makes a commit has called us: it sets both, a person hardly the second."""
    return {"GIT_INDEX_FILE", "GIT_EXEC_PATH"} <= os.environ.keys()


def _says(file: Path, blob: Blob | None) -> bool:
    """Whether `file` has the content of `blob`; None: there is no such file."""
    try:
        data = read_bytes(file)
    except FileNotFoundError:
        return blob is None
    except OSError:
        return False
    return blob is not None and blob.hash in (_hash(data, blob), _hash(data.replace(b"\r\n", b"\n"), blob))


def _hash(data: bytes, like: Blob) -> str:
    """The object id that git gives to `data`, with the hash function that was used for `like`."""
    new = hashlib.sha256 if len(like.hash) == _SHA256_LENGTH else hashlib.sha1
    return new(b"blob %d\0" % len(data) + data).hexdigest()
