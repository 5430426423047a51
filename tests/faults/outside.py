# SPDX-License-Identifier: Apache-2.0
"""Kinds of faults that come from outside: variables of a git that calls us, and things in the place of files."""

import json
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults.kinds import Round, Violation, no_traceback
from tests.faults.player import Ended, wait_for_orphans
from tests.faults.scenes import JAX, TORCH
from tests.support.git import git
from tests.support.special import SPECIAL, make_special

_PATHSPECS = ("GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS")
_KILLED = 0.5
"""Probability of a kill on top."""
_SECONDS = 60.0
"""Far longer than any command takes, and shorter than for ever."""
_MOST_MEMORY = 4 << 30
_FILES = {
    f"tests/runner/test_config/{TORCH}": True,
    f"tests/runner/test_config/{JAX}": True,
    "tests/runner/test_config/torch/test_config_placeholders.yaml": True,
    "tests/runner/test_config/constants.py": True,
    "third_party/tt_forge_models/some/pytorch/loader.py": True,
    ".github/workflows/test-matrix-presets/some.json": True,
    ".github/workflows/some.yml": True,
    ".test_durations": True,
    "tests/op_manifests/some.yaml": True,
    "ttmatrix-policy.toml": False,
    "ttmatrix-profiles.toml": False,
}
"""Files that commands read, each with whether `doctor` has to name it."""
_OF_A_PERSON = ("config/settings.toml", "config/hosts.toml", "config/policy.toml", "state/views.json")


def git_environment(round: Round) -> int:
    """A git that works on another repository has called us, and says so in its variables."""
    assert round.before
    other = _other(round)
    before = _state(other)
    lies = _lies(other, round)
    player = round.apply(environ=lies)
    if round.chance.random() < _KILLED and not player.is_over(round.chance.uniform(0.0, round.shop.seconds)):
        player.kill()
    ended = player.wait()
    round.survive(ended)
    if not ended.killed and ended.code != 0:
        raise Violation("false message", f"{sorted(lies)}: it ends with {ended.code}: {ended.said}")
    if _state(other) != before:
        raise Violation("lost work", f"{sorted(lies)} led to another repository: {ended.said}")
    return 1


def _other(round: Round) -> Path:
    root = round.shop.directory / "other"
    shutil.copytree(round.shop.root, root, symlinks=True)
    git(root, "commit", "--quiet", "--message=theirs", "--", "staged.txt")
    return root


def _state(root: Path) -> str:
    return git(root, "log", "--all", "--format=%H") + git(root, "ls-files", "--stage")


def _lies(other: Path, round: Round) -> dict[str, str]:
    """Some of the variables that git calls local, and of those that say how paths are meant."""
    named = subprocess.run(["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True)
    own = other / ".git"
    values = {
        **dict.fromkeys(named.stdout.split(), "elsewhere"),
        **dict.fromkeys(_PATHSPECS, "1"),
        "GIT_DIR": str(own),
        "GIT_WORK_TREE": str(other),
        "GIT_COMMON_DIR": str(own),
        "GIT_INDEX_FILE": str(own / "index"),
        "GIT_OBJECT_DIRECTORY": str(own / "objects"),
        "GIT_NAMESPACE": "theirs",
        "GIT_REFLOG_ACTION": "rebase",
        "GIT_QUARANTINE_PATH": str(own / "objects"),
    }
    chosen = round.chance.sample(sorted(values), round.chance.randint(1, len(values)))
    return {name: values[name] for name in chosen}


def special_files(round: Round) -> int:
    """A device, a pipe, a socket, a directory or something endless is where a file is expected."""
    assert round.before
    own = round.chance.random() < 0.3
    name = round.chance.choice(_OF_A_PERSON if own else [*_FILES])
    kind = round.chance.choice([*SPECIAL])
    words = _words(round)
    with _in_place(kind, (round.shop.home if own else round.shop.root) / name):
        _limited(round, words, f"{kind} at {name}")
        if not own and _FILES[name] and kind != "directory":
            named = _limited(round, ("doctor", "--json"), f"{kind} at {name}")
            if name not in {one["file"] for one in json.loads(named.said)}:
                raise Violation("false message", f"{kind} at {name} is no finding: {named.said}")
    wait_for_orphans()
    round.must_be_clear()
    round.finish()
    return 1


def _words(round: Round) -> tuple[object, ...]:
    operations = round.shop.operations()
    return round.chance.choice(
        (
            ("list", "--json"),
            ("jobs",),
            ("doctor",),
            ("trend",),
            ("edit", "--apply", operations),
            ("apply", operations, "--commit", "-m", "second"),
        )
    )


def _limited(round: Round, words: tuple[object, ...], what: str) -> Ended:
    """The end of a command with little memory and little time."""
    player = round.start(*words, arm=lambda: resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY)))
    if not player.is_over(_SECONDS):
        player.kill()
        player.wait()
        raise Violation("hang", f"{what}: {words[0]} does not end")
    ended = player.wait()
    no_traceback(ended)
    if ended.code not in (0, 1, 2, 64):
        raise Violation("false message", f"{what}: {words[0]} ends with {ended.code}: {ended.said}")
    return ended


@contextmanager
def _in_place(kind: str, file: Path) -> Iterator[None]:
    """Something of this kind instead of `file`, which comes back afterwards, as the same file."""
    made = [parent for parent in (file.parent, *file.parent.parents) if not parent.exists()]
    file.parent.mkdir(parents=True, exist_ok=True)
    kept = file.with_name(f"{file.name}.kept")
    present = file.exists()
    if present:
        file.rename(kept)
    make_special(kind, file)
    try:
        yield
    finally:
        for left in (file, file.with_name(f"{file.name}.pipe")):
            if left.is_dir() and not left.is_symlink():
                left.rmdir()
            else:
                left.unlink(missing_ok=True)
        if present:
            kept.rename(file)
        for parent in made:
            if not any(parent.iterdir()):
                parent.rmdir()
