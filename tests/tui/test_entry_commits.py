# SPDX-License-Identifier: Apache-2.0
"""The commits of an entry, in the app: what each did, the whole of it, and its link."""

from pathlib import Path

import pytest

from tests.support.app import build_app, screen_text, until
from tests.support.git import git
from tests.support.sample import sample_checkout
from tests.support.tree import sample
from tui.screens import EntryCommits
from tui.widgets import LinesView, RowTable

TINYNET = "tinynet/pytorch-tiny/net-v1.5-single_device-inference"


@pytest.mark.slow("git makes a history")
async def test_commits_of_an_entry_with_their_diffs_and_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    app = build_app(checkout, query=TINYNET)
    copied: list[str] = []
    monkeypatch.setattr(app.notifications, "copy", copied.append)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await pilot.press("H")
        await until(pilot, lambda: "renamed from tinynet/pytorch-V1_5" in screen_text(app), "the newest step")
        assert "Name the TinyNet variants as the model hub does" in screen_text(app)
        dialog = app.screen
        assert isinstance(dialog, EntryCommits)
        table, text = dialog.query_one(RowTable), dialog.query_one(LinesView)
        assert table.size.height == len(table.source) + 1 < 8, "the list has its rows"
        assert table.size.height + text.size.height == 40 - 4, "two rules, messages and keys: the text has the rest"
        timelines = app.session.workspace.history.of(TINYNET)
        dialog.take([*timelines] * 20)
        await until(pilot, lambda: table.size.height == 40 * 4 // 10, "no more than that")
        dialog.take(timelines)
        await pilot.press("enter")
        await until(pilot, lambda: "diff --git" in screen_text(app), "the whole commit")
        await pilot.press("enter")
        await until(pilot, lambda: "diff --git" not in screen_text(app), "the step again")
        await pilot.press("o")
        await until(pilot, lambda: any("no page on the web" in one.message for one in app._notifications), "no link")
        git(checkout.root, "remote", "add", "origin", "git@example.org:some/fork.git")
        await pilot.press("o")
        await until(pilot, lambda: bool(copied), "the link")
        assert copied[0].startswith("https://example.org/some/fork/commit/")
        await pilot.press("y")
        await until(pilot, lambda: len(copied) == 2, "the id")
        assert copied[0].endswith(copied[1])
        await pilot.press("p")
        await until(pilot, lambda: len(copied) == 3, "the text of a pull request")
        assert copied[2].startswith("# Rename ")
        assert "tinynet/pytorch-tiny/net-v1.5" in copied[2]
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, EntryCommits), "the matrix")


async def test_a_checkout_without_git_says_so(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path / "tt-xla"), query="has:entry")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("H")
        await until(pilot, lambda: "git cannot read" in screen_text(app), "why there is none")
