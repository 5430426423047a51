# SPDX-License-Identifier: Apache-2.0
"""The web page of a repository, from the remote that it was cloned from."""

import re

from core.base.errors import TTMatrixError
from core.sources.git import Git

_PATH = r"(?P<path>[\w.~+-][\w./~+-]*)"
_SHORT = re.compile(rf"(?:[\w.-]+@)?(?P<host>[\w.-]+):{_PATH}")
_LONG = re.compile(rf"(?:https?|ssh|git)://(?:[^@/\s]*@)?(?P<host>[\w.-]+)(?::\d+)?/{_PATH}")


def web_address(git: Git) -> str:
    """The page of a repository, from its remote `origin`: `https://github.com/tenstorrent/tt-xla`.

    Empty if there is no such remote, or if it is a path. Credentials in the remote's address are left out.
    """
    try:
        remote = git.text("config", "--get", "remote.origin.url").strip()
    except TTMatrixError:
        return ""
    found = _LONG.fullmatch(remote) or _SHORT.fullmatch(remote)
    return f"https://{found['host']}/{found['path'].rstrip('/').removesuffix('.git')}" if found else ""
