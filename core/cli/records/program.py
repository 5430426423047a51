# SPDX-License-Identifier: Apache-2.0
"""What is about the program itself."""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from core.base.files import As, Record
from core.cli.records.parts import Finding


class Completion(Record):
    """What completes commands and ids."""

    shell: Annotated[str, As(Literal["bash", "zsh", "fish"])]
    code: str
    """To be evaluated by the shell."""


class FindingKind(Record):
    """A kind of finding."""

    kind: str
    help: str


class FindingExplained(Record):
    """What a kind of finding means."""

    kind: str
    severity: str
    help: str
    """In one line."""
    explanation: str
    """Paragraphs of Markdown: what it is, why it hurts, how it is fixed."""


class Checked(Record):
    """What a change adds to the findings."""

    base: str
    """The commit that it is compared with."""
    named: str
    """What names that commit, or the branch that the change left there."""
    findings: Sequence[Finding]
    """The new ones."""
    unknown: Sequence[str]
    """What could not be known, as in a shallow clone."""


class Error(Record):
    """What went wrong."""

    title: str
    detail: str
    hint: str
    """What to do; may be empty."""


class Failed(Record):
    """Instead of the document of a command that cannot do what it was asked."""

    error: Error


class Served(Record):
    """Where the app can be opened, printed once it can be."""

    address: Annotated[str, Meta(pattern="^http://127\\.0\\.0\\.1:[0-9]+/\\?token=[A-Za-z0-9_-]+$")]
    """With the token: everybody who has it can open the app."""
    read_only: bool
    """Whether the app refuses what edits, runs or writes."""
