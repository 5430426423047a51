# SPDX-License-Identifier: Apache-2.0
"""The person's own editor, at the exact line."""

from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from tui.terminal import edit, editor_command

FILE = Path("/x/a b.yaml")


@pytest.mark.parametrize(
    ("editor", "argv"),
    [
        ("vim", ["vim", "+7", "/x/a b.yaml"]),
        ("nvim -p", ["nvim", "-p", "+7", "/x/a b.yaml"]),
        ("vim.basic", ["vim.basic", "+7", "/x/a b.yaml"]),
        ("nano", ["nano", "+7", "/x/a b.yaml"]),
        ("emacs -nw", ["emacs", "-nw", "+7", "/x/a b.yaml"]),
        ("emacsclient -t -a ''", ["emacsclient", "-t", "-a", "", "+7", "/x/a b.yaml"]),
        ("micro", ["micro", "+7", "/x/a b.yaml"]),
        ("'/opt/my tools/vim'", ["/opt/my tools/vim", "+7", "/x/a b.yaml"]),
        ("env TERM=xterm vim", ["env", "TERM=xterm", "vim", "+7", "/x/a b.yaml"]),
        ("hx", ["hx", "/x/a b.yaml:7"]),
        ("code", ["code", "--wait", "--goto", "/x/a b.yaml:7"]),
        ("code -w -g", ["code", "-w", "-g", "/x/a b.yaml:7"]),
        ("/usr/local/bin/code --wait", ["/usr/local/bin/code", "--wait", "--goto", "/x/a b.yaml:7"]),
        ("env A=b codium", ["env", "A=b", "codium", "--wait", "--goto", "/x/a b.yaml:7"]),
        ("subl -n", ["subl", "-n", "--wait", "/x/a b.yaml:7"]),
        ("kate", ["kate", "--line", "7", "/x/a b.yaml"]),
    ],
)
def test_every_editor_has_its_own_way_to_say_a_line(editor: str, argv: list[str]) -> None:
    assert editor_command(FILE, 7, {"EDITOR": editor}) == argv


def test_which_variable_counts() -> None:
    assert editor_command(FILE, 1, {"EDITOR": "vim", "VISUAL": "nano"})[0] == "nano"
    assert editor_command(FILE, 1, {"EDITOR": "vim", "VISUAL": " "})[0] == "vim"


def test_no_editor_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(TTMatrixError, match="No editor"):
        editor_command(FILE, 1, {})


def test_a_variable_that_cannot_be_read_is_reported() -> None:
    with pytest.raises(TTMatrixError, match="EDITOR cannot be read"):
        editor_command(FILE, 1, {"EDITOR": "vim '"})


@pytest.mark.parametrize("words", [["no-such-editor", "x"], ["env", "no-such-editor", "x"]])
def test_an_editor_that_is_not_there_is_reported(tmp_path: Path, words: list[str]) -> None:
    with pytest.raises(TTMatrixError, match="Cannot run"):
        edit(words, tmp_path)


def test_it_is_waited_for(tmp_path: Path) -> None:
    edit(["sh", "-c", "echo edited > file"], tmp_path)
    assert (tmp_path / "file").read_text() == "edited\n"
