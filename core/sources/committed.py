# SPDX-License-Identifier: Apache-2.0
"""What the last commit says in expectation files that the work tree lacks."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from core.base.errors import TTMatrixError
from core.sources.absent import SECONDS, Absent, absent_configuration
from core.sources.checkout import Checkout
from core.sources.expectations import parse_expectations
from core.sources.git import Git


@dataclass(frozen=True, slots=True)
class Lacking:
    """The expectation files, presets and workflows that git tracks and the work tree lacks."""

    files: tuple[Absent, ...] = ()
    entries: dict[str, Absent] = field(default_factory=dict)
    """By test id the file among them that has its entry in the last commit."""

    @property
    def expectations(self) -> tuple[Absent, ...]:
        return tuple(one for one in self.files if not one.of_ci)

    @property
    def of_ci(self) -> tuple[Absent, ...]:
        """Presets and workflows."""
        return tuple(one for one in self.files if one.of_ci)


def read_lacking(checkout: Checkout) -> Lacking:
    """What the work tree of a checkout lacks, and the entries that are known from git alone."""
    files = absent_configuration(checkout)
    return Lacking(files, {id: one for one in files for id in _ids(checkout, one)})


def _ids(checkout: Checkout, one: Absent) -> Iterator[str]:
    if one.of_ci or not one.path.endswith(".yaml"):
        return
    try:
        content = Git(checkout.root, seconds=SECONDS).content(one.path)
    except TTMatrixError:
        return
    parsed = parse_expectations((content or b"").decode("utf-8", "replace"), one.path)
    yield from (entry.id for entry in parsed.entries)
