# SPDX-License-Identifier: Apache-2.0
"""The sample checkout, laid out for a test."""

from pathlib import Path

from core.demo.layout import lay_out
from core.proc import run_command
from core.sources.checkout import Checkout


def sample_checkout(target: Path) -> Checkout:
    """Lay out the sample in `target`, with somebody who can commit there."""
    lay_out(target)
    for name, value in (("user.name", "Somebody"), ("user.email", "somebody@example.com")):
        assert run_command(["git", "config", name, value], cwd=target).returncode == 0
    return Checkout(target)
