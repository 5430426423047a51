# SPDX-License-Identifier: Apache-2.0
"""One commit for display: its diff of the expectation files, and its address on the web."""

from core.sources import Checkout, Git, web_address


def show_commit(checkout: Checkout, commit: str) -> tuple[str, ...]:
    """The message of a commit and its diff of the expectation files, as lines.

    Raises TTMatrixError if git fails.
    """
    words = ("--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--format=medium")
    directory = checkout.relative(checkout.test_config)
    return tuple(Git(checkout.root).text("show", *words, commit, "--", directory).splitlines())


def commit_link(checkout: Checkout, commit: str) -> str:
    """The address of a commit on the web; empty if the clone has no remote with a web address."""
    address = web_address(Git(checkout.root))
    return f"{address}/commit/{commit}" if address else ""
