# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.planning."""

from pathlib import Path

import pytest

from core.base.processes import run_command
from core.edits import unified_diff

PAIRS = [
    ("a\nb\nc\n", "a\nB\nc\n"),
    ("a\nb", "a\nB"),
    ("a\nb", "a\nb\n"),
    ("a\nb\n", "a\nb"),
    ("a\r\nb\r\n", "a\r\nB\r\n"),
    ("\ufeffa\nb\n", "\ufeffB\nb\n"),
    ("a\x85b\u2028c\x0cd\n" * 3, "a\x85b\u2028C\x0cd\n" * 3),
    ("", "a\n"),
    ("a\n", ""),
    ("".join(f"{n}\n" for n in range(300)), "".join(f"{n}\n" for n in range(300) if n % 50)),
]


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_git_applies_it_to_the_byte(before: str, after: str, tmp_path: Path) -> None:
    file = tmp_path / "dir" / "file.yaml"
    file.parent.mkdir()
    file.write_bytes(before.encode())
    done = run_command(["git", "apply", "-"], cwd=tmp_path, stdin=unified_diff("dir/file.yaml", before, after))
    assert done.returncode == 0, done.stderr
    assert file.read_bytes() == after.encode()


def test_nothing_changed_is_an_empty_diff() -> None:
    assert unified_diff("f", "a\n", "a\n") == ""


def test_paths_are_in_the_header() -> None:
    assert unified_diff("dir/f", "a\n", "b").split("\n") == [
        "--- a/dir/f",
        "+++ b/dir/f",
        "@@ -1 +1 @@",
        "-a",
        "+b",
        "\\ No newline at end of file",
        "",
    ]
