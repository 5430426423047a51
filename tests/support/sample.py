# SPDX-License-Identifier: Apache-2.0
"""The sample checkout, laid out for a test."""

from pathlib import Path

from core.demo import lay_out
from core.sources import Checkout
from tests.support.git import committer


def sample_checkout(target: Path) -> Checkout:
    """Lay out the sample in `target`, with a configured committer."""
    lay_out(target)
    committer(target)
    return Checkout(target)
