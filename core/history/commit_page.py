# SPDX-License-Identifier: Apache-2.0
"""One commit to be looked at: its diff of the expectation files, and its address on the web."""

import re

from core.sources import Checkout, Git

_REMOTE = re.compile(r"(?:https?://(?:[^@/]+@)?|ssh://(?:[^@/]+@)?|[^@/:]+@)([^:/]+)(?::\d+)?[:/](.+?)(?:\.git)?/?")


def show_commit(checkout: Checkout, commit: str) -> tuple[str, ...]:
    """The message of a commit and its diff of the expectation files, a line each.

    Raises TTMatrixError where git refuses.
    """
    words = ("--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--format=medium")
    directory = checkout.relative(checkout.test_config)
    return tuple(Git(checkout.root).text("show", *words, commit, "--", directory).splitlines())


def commit_link(checkout: Checkout, commit: str) -> str:
    """The address of a commit on the web; empty where the clone has no remote that has one."""
    found = Git(checkout.root).attempt("config", "--get", "remote.origin.url")
    address = web_address(found.stdout.decode(errors="replace").strip()) if found.returncode == 0 else ""
    return f"{address}/commit/{commit}" if address else ""


def web_address(remote: str) -> str:
    """The page of the repository that git fetches from `remote`: `https://github.com/tenstorrent/tt-xla`.

    Empty for a path, and for what has no page.
    """
    found = _REMOTE.fullmatch(remote)
    return f"https://{found[1]}/{found[2]}" if found else ""
