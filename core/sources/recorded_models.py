# SPDX-License-Identifier: Apache-2.0
"""Whether the models that are checked out are those that the checkout records: after a pull, they often are not."""

from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.sources.absent import SECONDS
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
    linked: bool
    """Whether a link is in their place: git would replace what is recorded by the link."""

    @property
    def text(self) -> str:
        """What is so."""
        return f"The models are at {self.present[:_SHORT]}, and the checkout records {self.recorded[:_SHORT]}"

    @property
    def remedy(self) -> str:
        """The commands of git that end it, one for each intention."""
        if self.linked:
            return f"git -C {self.place} checkout {self.recorded} checks out the recorded ones"
        return (
            f"git submodule update --init {self.place} checks out the recorded ones;"
            f" for an uplift, git add {self.place} records these"
        )


def other_models(checkout: Checkout) -> OtherModels | None:
    """The commits, if they differ; None: they do not, or nothing is recorded."""
    if not (checkout.models / ".git").exists():
        return None
    place = checkout.relative(checkout.models)
    try:
        recorded = Git(checkout.root, seconds=SECONDS).staged_pin(place)
        present = Git(checkout.models, seconds=SECONDS).head_commit() if recorded else ""
    except TTMatrixError:
        # No git, no repository: then nothing is recorded.
        return None
    return OtherModels(place, present, recorded, checkout.models.is_symlink()) if present != recorded else None
