# SPDX-License-Identifier: Apache-2.0
"""One commit to be looked at: its diff of the expectation files, and its address on the web."""

from core.sources import Checkout, Git, web_address


def show_commit(checkout: Checkout, commit: str) -> tuple[str, ...]:
    """The message of a commit and its diff of the expectation files, a line each.

    Raises TTMatrixError where git refuses.
    """
    words = ("--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--format=medium")
    directory = checkout.relative(checkout.test_config)
    return tuple(Git(checkout.root).text("show", *words, commit, "--", directory).splitlines())


def commit_link(checkout: Checkout, commit: str) -> str:
    """The address of a commit on the web; empty where the clone has no remote that has one."""
    address = web_address(Git(checkout.root))
    return f"{address}/commit/{commit}" if address else ""
