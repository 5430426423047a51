# SPDX-License-Identifier: Apache-2.0
"""The frame of the app: bar and tabs at the top, rules above panes, and one line for messages."""

from functools import partial
from pathlib import Path

import pytest

from tests.support.app import build_app, screen_text, until
from tests.support.git import git
from tests.support.recorded import record_runs
from tests.support.sample import sample_checkout
from tests.support.states import commit, with_submodule
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.commands import tab_commands
from tui.screens import SessionScreen


def _top(app: TTMatrixApp) -> list[str]:
    return screen_text(app).splitlines()[:2]


def _rule(app: TTMatrixApp) -> str:
    return screen_text(app).splitlines()[2]


def _has(app: TTMatrixApp, selector: str) -> bool:
    return bool(app.screen.query(selector))


def _tab(app: TTMatrixApp) -> str:
    assert isinstance(app.screen, SessionScreen)
    return app.screen.tab


async def test_every_screen_has_its_name_where_there_is_room(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(160, 30)):
        named = _top(app)[1]
        assert all(f"{app.context.keymap.key(one.id)} {one.label}" in named for _, one in tab_commands())
        assert app.session.checkout.root.name in _top(app)[0]


async def test_what_a_screen_says_has_lines_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("9")
        await until(pilot, lambda: app.polling.taken is not None, "the first look")
        await until(pilot, lambda: "no workflow yet" in _rule(app), "the workflows")
        before = _top(app)
        assert isinstance(app.screen, SessionScreen)
        say = app.screen.title_line
        # The screen looks at its workflows again and again, and says what it sees.
        monkeypatch.setattr(app.screen, "title_line", lambda *_, **__: None)
        say("a long message " * 20, keyed=["H ignores t3k-07, the only host that fails"])
        await pilot.pause()
        assert _top(app) == before
        assert "a long message" in _rule(app)
        assert "H ignores t3k-07, the only host that fails" in screen_text(app).splitlines()[-2]


async def test_a_click_on_a_tab_shows_its_screen(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(140, 30)) as pilot:
        await pilot.click("#title", offset=(_top(app)[1].index("f3 Plan") + 4, 1))
        await until(pilot, lambda: "no plan" in _rule(app) or "planning" in _rule(app), "the plan")


async def test_the_rule_of_the_pane_with_the_keys_is_heavy(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    record_runs(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("2")
        await until(pilot, lambda: "1 of" in _rule(app), "the runs, and where the cursor is")
        assert _rule(app).startswith("━")
        await pilot.press("tab")
        await until(pilot, lambda: _rule(app).startswith("─"), "the log with the keys")
        assert any(line.startswith("━") for line in screen_text(app).splitlines())


async def test_the_branch_is_in_the_bar(tmp_path: Path) -> None:
    app = build_app(sample_checkout(tmp_path / "tt-xla"))
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: " on " in _top(app)[0], "the branch")


@pytest.mark.parametrize(("width", "beside"), [(120, False), (180, True)])
async def test_the_detail_is_below_or_right_by_one_rule_of_width(tmp_path: Path, width: int, beside: bool) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(width, 40)) as pilot:
        for key, left, right in (
            ("1", "#table", "#detail"),
            ("6", "#list-box", "#text-box"),
            ("f2", "#list-box", "#text-box"),
        ):
            await pilot.press(key)
            await until(pilot, partial(_has, app, left), "the screen")
            await until(pilot, lambda right=right: app.screen.query_one(right).region.height > 0, "rows")  # type: ignore[misc]
            list_, detail = app.screen.query_one(left).region, app.screen.query_one(right).region
            assert (detail.x >= list_.right) is beside, key
            assert (detail.y >= list_.bottom) is not beside, key


async def test_the_log_of_a_run_is_a_screen_in_the_line(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    record_runs(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: bool(app.session.runs), "runs")
        await pilot.press("2")
        await until(pilot, lambda: _tab(app) == "runs", "the runs")
        await pilot.press("enter")
        await until(pilot, lambda: _tab(app) == "log", "the log")
        await pilot.press("escape")
        await until(pilot, lambda: _tab(app) == "runs", "the runs again")


async def test_other_models_than_the_checkout_records_are_said_until_they_are_not(tmp_path: Path) -> None:
    checkout = with_submodule(tmp_path / "tt-xla")
    commit(checkout, "an uplift", {"third_party/tt_forge_models/alpha/notes.txt": "x"})
    git(checkout.models, "checkout", "-q", "HEAD^")
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: "other models" in _top(app)[0], "the bar")
        said = [one.message for one in app._notifications]
        assert (
            sum(f"git -C {checkout.root} submodule update --init third_party/tt_forge_models" in one for one in said)
            == 1
        )
        git(checkout.root, "add", "third_party/tt_forge_models")
        await until(pilot, lambda: "other models" not in _top(app)[0], "the bar without it")
