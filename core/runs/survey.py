# SPDX-License-Identifier: Apache-2.0
"""What runs will meet, asked once a batch: commits of the checkout, versions in its interpreter, the machine."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from core import __version__
from core.errors import TTMatrixError
from core.proc import CommandRunner, boot_id, run_command, this_host
from core.runs.environment import digest
from core.sources.checkout import Checkout
from core.sources.git import Git

PACKAGES = ("torch", "torch_xla", "pjrt_plugin_tt", "jax", "pytest", "pytest_forked", "ruamel", "yaml")
VERSION = 1

# Nothing is imported: torch alone would take seconds.
_PROBE = """
import importlib.metadata as metadata, importlib.util, json, sys
names = metadata.packages_distributions() if hasattr(metadata, "packages_distributions") else {}
def version(package):
    try:
        if importlib.util.find_spec(package) is None:
            return None
        return metadata.version(next(iter(names.get(package, [package]))))
    except Exception:
        return ""
python = sys.version.split()[0]
print("TTMATRIX-PROBE", json.dumps({"python": python, **{name: version(name) for name in sys.argv[1:]}}))
"""
_MARK = "TTMATRIX-PROBE "

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Survey:
    """What is written down beside every run."""

    checkout: str | None
    """The commit of the work tree; None where git does not know it."""
    changed: bool
    """Files that git knows differ from that commit."""
    models: str | None
    """The commit of the models submodule; None where it is no repository of its own."""
    models_pinned: str | None
    """The commit of it that the checkout asks for."""
    interpreter: str
    versions: Mapping[str, str | None] | None
    """By package, and of Python; None: not there; empty: there, but of no known version. All None: it did not say."""
    environment: str
    """The digest of the environment."""
    host: str
    boot: str
    ttmatrix: str = __version__

    def to_json(self) -> str:
        """The content of a run's `provenance.json`."""
        return json.dumps({"version": VERSION, **asdict(self)}, indent=2) + "\n"


def survey(checkout: Checkout, python: Path, environ: Mapping[str, str], runner: CommandRunner = run_command) -> Survey:
    """Look at the checkout and ask its interpreter; what cannot be told is None."""
    git, models = Git(checkout.root), Git(checkout.models)
    own = bool(_told(models.own_root))
    return Survey(
        checkout=_told(git.head_commit),
        changed=bool(_told(git.changed) or (own and _told(models.changed))),
        # Within another repository's work tree git would answer for that one.
        models=_told(models.head_commit) if own else None,
        models_pinned=_told(lambda: git.pinned(checkout.relative(checkout.models))) or None,
        interpreter=str(python),
        versions=_versions(runner, checkout.root, python),
        environment=digest(environ),
        host=this_host(),
        boot=boot_id(),
    )


def _told(ask: Callable[[], T]) -> T | None:
    try:
        return ask()
    except TTMatrixError:
        return None


def _versions(runner: CommandRunner, root: Path, python: Path) -> Mapping[str, str | None] | None:
    try:
        done = runner([str(python), "-c", _PROBE, *PACKAGES], cwd=root)
        line = next(line for line in done.stdout.splitlines() if line.startswith(_MARK))
        raw = json.loads(line.removeprefix(_MARK))
        return {str(name): None if value is None else str(value) for name, value in raw.items()}
    except (TTMatrixError, StopIteration, ValueError, AttributeError):
        return None
