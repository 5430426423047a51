# SPDX-License-Identifier: Apache-2.0
"""The doctor's findings on a screen: to the test, and to a pending change that fixes it."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from core.domain.model import Finding
from core.sources import Checkout
from tests.support.app import build_app, flat, screen_text, type_text, until
from tests.support.sample import sample_checkout
from tui.app.app import TTMatrixApp
from tui.screens import DoctorScreen
from tui.view_models import Rows

DEAD = "graph_conv/node_classification/pytorch-Ring_16-single_device-inference"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample_checkout(tmp_path / "demo")


def _findings(screen: DoctorScreen) -> Sequence[Finding]:
    rows = screen.table.grouped.rows
    assert isinstance(rows, Rows)
    return rows.items


def _at(app: TTMatrixApp, kind: str) -> int:
    screen = app.navigation.screen(DoctorScreen)
    rows = screen.table.grouped
    findings = _findings(screen)
    first = next(at for at, one in enumerate(findings) if one.kind == kind)
    return next(at for at in range(len(rows)) if rows.row(at) == first)


async def test_from_a_finding_to_its_fix(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("6")
        await until(pilot, lambda: "findings of" in screen_text(app), "the findings")
        app.navigation.screen(DoctorScreen).table.cursor = _at(app, "dead-override")
        await until(pilot, lambda: DEAD in screen_text(app), "the whole finding")
        await pilot.press("m")
        (change,) = app.session.pending.changes
        assert {op.id for op in change.ops} == {DEAD}
        assert change.note.startswith("dead-override: ")
        app.navigation.screen(DoctorScreen).table.cursor = _at(app, "dead-override")
        await pilot.press("m")
        assert len(app.session.pending.changes) == 1
        await pilot.press("5")
        await until(pilot, lambda: "-      n150:" in screen_text(app), "the diff of the fix")


async def test_enter_goes_to_the_test_whatever_the_filter(checkout: Checkout) -> None:
    app = build_app(checkout, query="status:xfail")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("6")
        await until(pilot, lambda: "findings of" in screen_text(app), "the findings")
        app.navigation.screen(DoctorScreen).table.cursor = _at(app, "dead-override")
        await pilot.press("enter")
        await until(pilot, lambda: app.matrix_screen.current == DEAD, "the test")
        assert app.screen is app.matrix_screen


async def test_a_finding_about_no_test_and_without_a_fix_says_so(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("6")
        await until(pilot, lambda: "findings of" in screen_text(app), "the findings")
        app.navigation.screen(DoctorScreen).table.cursor = _at(app, "broken-loader")
        await pilot.press("enter", "m")
        assert app.screen is app.navigation.screen(DoctorScreen)
        assert app.session.pending.changes == ()
        await until(pilot, lambda: "has no automatic fix" in screen_text(app), "the word")


async def test_words_filter_the_findings(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("6")
        await until(pilot, lambda: "findings of" in screen_text(app), "the findings")
        screen = app.navigation.screen(DoctorScreen)
        whole, count = screen.table.source, len(_findings(screen))
        await pilot.press("slash")
        await type_text(pilot, "dead ring_16")
        await until(pilot, lambda: len(screen.table.source) == 1, "what has both words")
        assert f"1 of {count} findings" in screen_text(app)
        assert "Complete" not in screen_text(app)
        screen.show_kind("broken-loader")
        await until(pilot, lambda: " 0 findings" in screen_text(app), "the count beside the words")
        screen.show_kind("")
        await pilot.press("tab", "enter")
        await until(pilot, lambda: app.matrix_screen.current == DEAD, "the test")
        await pilot.press("6", "slash")
        await type_text(pilot, "xyz")
        await until(pilot, lambda: "No finding matches the filter: esc clears it." in screen_text(app), "why")
        await pilot.press("escape")
        await until(pilot, lambda: len(screen.table.source) == len(whole), "all of them")
        assert app.screen is screen


async def test_files_that_are_named_alike_are_distinguished(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("6")
        await until(pilot, lambda: "findings of" in screen_text(app), "the findings")
        rows = app.navigation.screen(DoctorScreen).table.grouped.rows
        places = {rows.cells(at)[3][0].text for at in range(len(rows))}
        assert any(place.startswith("inference_single_device:") for place in places)
        assert not any("test_config" in place for place in places)


async def test_findings_are_in_groups_by_kind_with_their_text_first(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("6")
        await until(pilot, lambda: "findings of" in screen_text(app), "the findings")
        table = app.navigation.screen(DoctorScreen).table
        assert "The test is marked for p150 only, so" in screen_text(app), "enough of the text is there"
        table.cursor = next(at for at in range(len(table.source)) if table.grouped.row(at) is None)
        assert table.row is None and table.group is not None
        kind = table.group.key
        await until(pilot, lambda: f"{kind}  " in screen_text(app), "what the kind is")
        shown = len(table.source)
        await pilot.press("h")
        await until(pilot, lambda: len(table.source) < shown, "the first group is folded")
        await pilot.press("underscore")
        await until(pilot, lambda: len(table.source) == len(table.grouped.groups), "all of them are")
        await pilot.press("plus")
        await until(pilot, lambda: len(table.source) == shown, "none of them")


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 55)])
async def test_no_line_is_empty_between_the_findings_and_what_explains_one(
    checkout: Checkout, size: tuple[int, int]
) -> None:
    app = build_app(checkout)
    async with app.run_test(size=size) as pilot:
        await pilot.press("6")
        await until(pilot, lambda: "findings of" in screen_text(app), "the findings")
        screen = app.navigation.screen(DoctorScreen)
        screen.table.cursor = _at(app, "broken-loader")
        await until(pilot, lambda: "ImportError" in screen.pane.text, "the text")
        assert "DEFAULT_VARIANT = " in screen.pane.text and "```" not in screen.pane.text
        lines = screen_text(app).splitlines()
        rule = next(at for at, line in enumerate(lines) if "What is wrong" in line)
        assert screen.beside or lines[rule - 1].strip()
        assert rule == 2 if screen.beside else size[1] - rule >= 8
        # What does not fit is scrolled to.
        await pilot.press("tab", "G")
        await until(pilot, lambda: "remove its entries" in flat(app), "the end of the text")
