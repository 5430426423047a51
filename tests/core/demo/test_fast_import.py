# SPDX-License-Identifier: Apache-2.0
"""The stream git reads, byte for byte and as git understands it."""

import string
import subprocess
import tempfile
from pathlib import Path

from hypothesis import given, settings, strategies as st

from core.demo.layout import fast_import_stream
from core.demo.replay import ReplayedCommit

FIRST = ReplayedCommit("2026-03-02", "Add")
SECOND = ReplayedCommit("2026-03-03", "Change\n\nWhy.")

_TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=20)
_FILES = st.dictionaries(st.text(string.ascii_letters + "+.-_ ü", min_size=3, max_size=8).map("a{}".format), _TEXTS)


def test_a_file_is_written_once_and_again_where_it_changed() -> None:
    stream = fast_import_stream([(FIRST, {"a": "ä\n", "b": ""}), (SECOND, {"a": "ä\n", "b": "x"})])
    who = "ttmatrix sample <sample@ttmatrix.invalid>"
    assert stream == (
        f"commit refs/heads/main\nauthor {who} 1772442000 +0000\ncommitter {who} 1772442000 +0000\n"
        "data 4\nAdd\n\n"
        "M 100644 inline a\ndata 3\nä\n\n"
        "M 100644 inline b\ndata 0\n\n"
        f"commit refs/heads/main\nauthor {who} 1772528400 +0000\ncommitter {who} 1772528400 +0000\n"
        "data 13\nChange\n\nWhy.\n\n"
        "M 100644 inline b\ndata 1\nx\n"
        "done\n"
    )


@settings(max_examples=10)
@given(_FILES, _FILES)
def test_git_reads_back_what_was_written(first: dict[str, str], changed: dict[str, str]) -> None:
    last = first | changed
    with tempfile.TemporaryDirectory() as directory:
        _git(directory, "init", "--quiet")
        _git(directory, "fast-import", "--quiet", "--done", stdin=fast_import_stream([(FIRST, first), (SECOND, last)]))
        listed = _git(directory, "ls-tree", "-r", "-z", "--name-only", "main").split("\0")[:-1]
        assert {name: _git(directory, "show", f"main:{name}") for name in listed} == last
        assert _git(directory, "log", "--format=%s|%ad", "--date=short", "main") == (
            "Change|2026-03-03\nAdd|2026-03-02\n"
        )


def _git(directory: str, *arguments: str, stdin: str = "") -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=Path(directory), input=stdin.encode(), capture_output=True, check=True
    )
    return done.stdout.decode()
