# SPDX-License-Identifier: Apache-2.0
"""The page of a repository, from the remote it was cloned from."""

from pathlib import Path

import pytest

from core.sources import Git, web_address
from tests.support.git import git


@pytest.mark.parametrize(
    ("remote", "wanted"),
    [
        ("git@github.com:owner/name.git", "https://github.com/owner/name"),
        ("https://github.com/owner/name", "https://github.com/owner/name"),
        ("https://me:secret@github.com/owner/name.git/", "https://github.com/owner/name"),
        ("ssh://git@github.com:22/owner/name.git", "https://github.com/owner/name"),
        ("ssh://git@github.com:22/owner/name.git/", "https://github.com/owner/name"),
        ("/srv/git/name.git", ""),
        ("../name", ""),
        ("https://github.com/owner/na\x1bme", ""),
        ("file:///srv/name.git", ""),
        ("", ""),
    ],
)
def test_the_address_of_a_repository_in_a_browser(tmp_path: Path, remote: str, wanted: str) -> None:
    git(tmp_path, "init", "--quiet")
    if remote:
        git(tmp_path, "remote", "add", "origin", remote)
    assert web_address(Git(tmp_path)) == wanted
