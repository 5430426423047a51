# SPDX-License-Identifier: Apache-2.0
"""What runs will meet, asked once a batch: commits of the checkout, versions in its interpreter, the machine.

For a plan nothing of the checkout is executed to find out.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from core import __version__
from core.errors import TTMatrixError
from core.proc import boot_id, this_host
from core.runs.environment import digest
from core.runs.interpreter import Source, Versions, installed
from core.sources.checkout import Checkout
from core.sources.git import Git

VERSION = 1

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
    versions: Versions | None
    """None: it did not say, or was not asked."""
    environment: str
    """The digest of the environment."""
    host: str
    boot: str
    ttmatrix: str = __version__
    source: Source = Source.ASKED
    """Where the versions come from."""

    def to_json(self) -> str:
        """The content of a run's `provenance.json`."""
        return json.dumps({"version": VERSION, **asdict(self)}, indent=2) + "\n"


def survey(
    checkout: Checkout, python: Path, environ: Mapping[str, str], *, starting: bool = False, afresh: bool = False
) -> Survey:
    """Look at the checkout, and at what is installed for its interpreter; what cannot be told is None.

    `starting` and `afresh` are for `core.runs.interpreter.installed`: without `starting` nothing of the checkout is
    executed.
    """
    found = installed(python, checkout.root, environ, starting=starting, afresh=afresh)
    git, models = Git(checkout.root), Git(checkout.models)
    own = bool(_told(models.own_root))
    return Survey(
        checkout=_told(git.head_commit),
        changed=bool(_told(git.changed) or (own and _told(models.changed))),
        # Within another repository's work tree git would answer for that one.
        models=_told(models.head_commit) if own else None,
        models_pinned=_told(lambda: git.pinned(checkout.relative(checkout.models))) or None,
        interpreter=str(python),
        versions=found.versions,
        source=found.source,
        environment=digest(environ),
        host=this_host(),
        boot=boot_id(),
    )


def _told(ask: Callable[[], T]) -> T | None:
    try:
        return ask()
    except TTMatrixError:
        return None
