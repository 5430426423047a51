# SPDX-License-Identifier: Apache-2.0
"""Help: keys that work here, what the signs on the screen mean, and the fields of a query."""

from pathlib import Path

import pytest

from core.doctor import kinds
from core.matrix import index
from core.matrix.query import FIELDS
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.tree import sample
from tui.commands import Command, Where, screen_commands
from tui.screens import SCREENS, HelpScreen
from tui.view_models import Rows, arch_legend, legend
from tui.view_models.style import STATUS_LOOKS, arch_title, short_archs
from tui.widgets import RowTable


def _offered(screen: object) -> list[object]:
    assert isinstance(screen, HelpScreen)
    source = screen.query_one(RowTable).source
    assert isinstance(source, Rows)
    return [option.value for option in source.items]


@pytest.mark.slow("every key of every screen is pressed")
async def test_help_lists_no_key_that_does_nothing(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        for _, command in screen_commands():
            await pilot.press(command.keys)
            await until(pilot, lambda: app.focused is not None, "the focus")
            # What the keys reach when they are pressed now, by the stock app's own count.
            active = {key: one for key, one in app.screen.active_bindings.items() if one.enabled}
            await pilot.press("question_mark")
            # It waits for a list that is being read.
            await until(pilot, lambda: isinstance(app.screen, HelpScreen), "the help")
            listed = [one for one in _offered(app.screen) if isinstance(one, Command)]
            for one in listed:
                keys = one.keys.split(",")
                assert any(active[key].binding.id == one.id for key in keys if key in active), (command.id, one.id)
            assert len({one.id for one in listed}) == len(listed)
            await pilot.press("escape")


async def test_what_does_nothing_now_is_named_dim_and_says_why(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path), query="no such test")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("question_mark")
        rows = app.screen.query_one(RowTable).source
        assert isinstance(rows, Rows)
        shown = {rows.items[at].help: rows.cells(at)[1][0].style for at in range(len(rows))}
        assert shown["Log: No single test is under the cursor."] == "dim"
        assert shown["Type a query; enter applies it"] == ""


async def test_a_list_without_a_match_says_so(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        await type_text(pilot, "no such key")
        await until(pilot, lambda: "Nothing matches what is typed" in screen_text(app), "the words")
        await pilot.press("ctrl+u")
        await until(pilot, lambda: "enter run" in screen_text(app), "what can be done")


async def test_help_follows_the_focus(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(140, 40)) as pilot:
        await pilot.press("question_mark")
        before = [one.id for one in _offered(app.screen) if isinstance(one, Command)]
        await pilot.press("escape", "f", "question_mark")
        facets = [one.id for one in _offered(app.screen) if isinstance(one, Command)]
        assert "facets.choose" in facets and "facets.choose" not in before
        assert "tree.open" in before and "tree.open" not in facets


async def test_a_command_is_found_and_run_from_help_and_the_filter_stays(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path), query="mode:training")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("question_mark")
        await type_text(pilot, "saved view")
        await pilot.press("enter")
        await until(pilot, lambda: "Saved views" in screen_text(app), "the views")
        await pilot.press("escape", "question_mark", "escape")
        assert str(app.session.view.query) == "mode:training"
        assert app.screen is app.matrix_screen


async def test_a_field_of_the_query_is_typed_from_help(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path), query="mode:training")
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("question_mark")
        await type_text(pilot, "status: values")
        await until(pilot, lambda: "expected_passing" in screen_text(app), "the values of the field")
        await pilot.press("enter")
        await type_text(pilot, "xfail")
        await until(pilot, lambda: str(app.session.view.query) == "mode:training status:xfail", "the query")


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (90, "n n150  p p150  N n300  l llmbox  w wh  b bh  q qb2  L lb   P PASS X XFAIL S SKIP E EXCL"),
        (89, "n n150  p p150  N n300  l llmbox  w wh  b bh  q qb2  L lb   P PASS X XFAIL S SKIP E EXCL"),
        (87, "n n150 p p150 N n300 l llmbox w wh b bh q qb2 L lb  P PASS X XFAIL S SKIP E EXCL"),
        (79, "n n150 p p150 N n300 l llmbox w wh b bh q qb2 L lb  P PASS X XFAIL S SKIP"),
        (20, "n n150 p p150"),
    ],
)
def test_the_letters_below_the_table_have_smaller_gaps_where_there_is_little_room(
    tmp_path: Path, width: int, line: str
) -> None:
    assert "".join(cell.text for cell in arch_legend(index(sample(tmp_path)), width)).rstrip() == line


async def test_what_only_explains_a_sign_runs_nothing(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("question_mark")
        await type_text(pilot, "pending change is about")
        await pilot.press("enter")
        assert isinstance(app.screen, HelpScreen)


def test_every_letter_and_every_field_is_explained(tmp_path: Path) -> None:
    matrix = index(sample(tmp_path))
    signs = {one.sign.split()[0] for one in legend("matrix", matrix)}
    assert {*arch_title(matrix), *(look.letter for look in STATUS_LOOKS.values())} <= signs
    assert len([field for field in FIELDS if field.name]) > 30


def test_every_screen_has_a_legend_and_doctor_explains_its_kinds(tmp_path: Path) -> None:
    matrix = index(sample(tmp_path))
    assert {"yes", "done", *kinds()} <= {one.sign for one in legend("doctor", matrix)}
    assert all(legend(entry.where, matrix) for entry in SCREENS)
    # Results that are older than the tree are in the column of runs, and in their list.
    assert all("FAIL~1" in {one.sign for one in legend(screen, matrix)} for screen in ("matrix", "runs"))
    assert "‹ ›" in {one.sign for one in legend("matrix", matrix, grid=True)}


@pytest.mark.parametrize(
    ("archs", "names"),
    [
        (("n150", "n300", "n300-llmbox"), ("n150", "n300", "llmbox")),
        (("galaxy-wh-6u", "galaxy-bh"), ("wh", "bh")),
        (("a-b", "b-a"), ("a-b", "b-a")),
    ],
)
def test_short_names_tell_archs_apart(archs: tuple[str, ...], names: tuple[str, ...]) -> None:
    assert short_archs(archs) == names


@pytest.mark.parametrize(("width", "heads"), [(80, "n n150"), (300, "n150 p150 n300 llmbox wh bh qb2 lb")])
async def test_the_heads_of_archs_can_be_read(tmp_path: Path, width: int, heads: str) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(width, 24)) as pilot:
        await until(pilot, lambda: heads in screen_text(app), "the names of the archs")
        lines = screen_text(app).splitlines()
        row = next(line for line in lines if "tiny-single" in line and "XFAIL" in line)
        if width > 200:
            head = next(line for line in lines if heads in line)
            assert row[head.index("p150")] == "X" and row[head.index("n300")] == " "


async def test_help_begins_with_what_one_does_most_on_a_screen(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("0")
        await until(pilot, lambda: app.focused is not None, "the numbers")
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen), "the help")
        listed = [one for one in _offered(app.screen) if isinstance(one, Command) and not one.off]
        on_line = [one for one in listed if one.footer and one.where is not Where.APP]
        assert on_line
        assert listed[: len(on_line)] == on_line
        own = [one.where for one in listed[len(on_line) :]]
        assert own.index(Where.TABLE) < own.index(Where.APP)
        assert Where.OVERVIEW not in own[own.index(Where.TABLE) :]
