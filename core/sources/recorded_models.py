# SPDX-License-Identifier: Apache-2.0
"""Whether the models that are checked out are those that the checkout records: after a pull, they often are not."""

from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.sources.absent import SECONDS
from core.sources.advice import git_command, setting_up
from core.sources.checkout import Checkout
from core.sources.git import Git

_SHORT = 10


class OtherModels(NamedTuple):
    """The commits, where they differ."""

    place: str
    """Of the models, relative to the checkout."""
    present: str
    recorded: str
    """In the index: a pin that was staged is meant."""
    again: str
    """The command of git that checks out the recorded ones."""
    uplift: str
    """The one that records the present ones; empty: a link is in their place, and git would record that."""

    @property
    def text(self) -> str:
        """What is so."""
        return f"The models are at {self.present[:_SHORT]}, and the checkout records {self.recorded[:_SHORT]}"

    @property
    def remedy(self) -> str:
        """The commands of git that end it, one for each intention."""
        uplift = f"; for an uplift, {self.uplift} records these" if self.uplift else ""
        return f"{self.again} checks out the recorded ones{uplift}"


def other_models(checkout: Checkout) -> OtherModels | None:
    """The commits, if they differ; None: they do not, or nothing is recorded, as in a conflict about the models."""
    if not checkout.has_own_models:
        return None
    place = checkout.relative(checkout.models)
    try:
        recorded = Git(checkout.root, seconds=SECONDS).staged_pin(place, settled=True)
        present = Git(checkout.models, seconds=SECONDS).own_head() if recorded else ""
    except TTMatrixError:
        # No git, no repository: then nothing is recorded.
        return None
    if present in ("", recorded):
        return None
    uplift = "" if checkout.models.is_symlink() else git_command(checkout.root, "add", place)
    return OtherModels(place, present, recorded, recorded_again(checkout, recorded), uplift)


def recorded_again(checkout: Checkout, recorded: str) -> str:
    """The command of git that checks out the models which the checkout records; of a link, where it leads."""
    if checkout.models.is_symlink():
        return git_command(checkout.models, "checkout", recorded)
    return setting_up(checkout.root, checkout.relative(checkout.models))
