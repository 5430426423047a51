# SPDX-License-Identifier: Apache-2.0
"""A list without rows says why, and what to do next."""

from pathlib import Path

import pytest

from tests.support.app import build_app, flat, screen_text, type_text, until
from tests.support.recorded import at_noon, nights
from tests.support.reports import keep
from tests.support.sample import sample_checkout
from tests.support.tree import sample


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("1", "No test matches the filter: / changes it, esc clears it."),
        ("2", "No runs yet: r in the matrix starts one."),
        ("4", "There are no results yet: `ttmatrix ingest"),
        ("5", "Nothing is pending: E in the matrix edits entries."),
        ("9", "There is no workflow yet: T in the matrix starts one."),
    ],
)
async def test_a_screen_without_rows(tmp_path: Path, key: str, words: str) -> None:
    app = build_app(sample(tmp_path), query="no such test")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        await until(pilot, lambda: words in flat(app), words)


async def test_a_list_that_a_filter_leaves_nothing_of(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("7")
        await until(pilot, lambda: "of failures" in screen_text(app), "the clusters")
        await pilot.press("slash")
        await type_text(pilot, "nowhere")
        await pilot.press("enter")
        await until(pilot, lambda: "No cluster matches the filter: esc clears it." in screen_text(app), "what to do")


async def test_lists_beside_those_that_have_rows(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    keep(checkout, list(nights()))
    app = build_app(checkout)
    with at_noon():
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("4")
            await until(pilot, lambda: "needs attention: 3 of 3 open" in screen_text(app), "the tests")
            await pilot.press("f")
            await until(pilot, lambda: "No test is in this list: f shows the next one." in screen_text(app), "the PCC")
            await pilot.press("f4")
            await until(pilot, lambda: "as expected: █ all" in screen_text(app), "the report")
            await pilot.press("tab")
            words = "No cell broke or was fixed in this period. tab shows the next list."
            await until(pilot, lambda: words in screen_text(app), words)
            await pilot.press("8")
            await until(pilot, lambda: "4 persisting" in screen_text(app), "the differences")
            await pilot.press("f")
            words = "No difference is of this kind: f shows the next kind."
            await until(pilot, lambda: words in screen_text(app), words)
