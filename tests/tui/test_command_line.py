# SPDX-License-Identifier: Apache-2.0
"""The command line: commands by what they do, verbs with an argument, and mistakes said where they are typed."""

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from core.base.settings import load_settings, paths
from core.edits import OpKind
from core.sources import Checkout
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.fake_python import use_fake_python
from tests.support.sample import sample_checkout
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.commands import all_commands
from tui.screens import CommandLine, Option
from tui.screens.command_line import Arguments, command_option, found_options
from tui.screens.pick import option_rows
from tui.themes import THEME_WORDS, THEMES
from tui.view_models import Fitting

ORG = "alpha/pytorch-org/name-single_device-inference"
_OPTIONS = {one.id: command_option(one, lambda: None) for one in all_commands()}


def _found(text: str) -> list[str]:
    found = found_options([*_OPTIONS.values()], text)
    return [id for one in found for id, option in _OPTIONS.items() if option is one]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


async def _type(app: TTMatrixApp, pilot: Pilot[None], text: str) -> None:
    await pilot.press("colon")
    await until(pilot, lambda: isinstance(app.screen, CommandLine), "the command line")
    await type_text(pilot, text)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("kill", "runs.cancel"),
        ("promote", "matrix.set"),
        ("doc", "app.doctor"),
        ("git", "review.commit"),
        ("QUIT", "app.quit"),
    ],
)
def test_a_command_is_found_by_what_it_does(text: str, first: str) -> None:
    assert _found(text)[0] == first


def test_nothing_unrelated_is_found() -> None:
    assert _found("kill") == ["runs.cancel"]
    assert _found("xyzzy") == []
    assert _found("oct") == [], "words are found by how they begin"


def test_names_come_before_what_is_only_about_it() -> None:
    assert _found("run")[0] == "matrix.run"


async def test_a_command_runs_as_its_key_would(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await _type(app, pilot, "lint")
        await pilot.press("enter")
        await until(pilot, lambda: "finding" in screen_text(app), "the findings")


def test_ids_that_nothing_is_said_about_have_the_whole_width() -> None:
    ids = [f"model/{'task_' * 12}/pytorch-Variant{at}-single_device-inference" for at in range(3)]
    for help, hidden in (("", True), ("words about it", False)):
        options = [Option(id, id, help) for id in ids]
        rows = option_rows(options, options, ("goto", "words", ""))
        name, words, _ = Fitting(rows).widths(120)
        assert (name == len(ids[0]), rows.columns[0].elide, words == 0) == (hidden, hidden, hidden)


async def test_a_test_is_gone_to(checkout: Checkout) -> None:
    app = build_app(checkout, query="mode:training")
    async with app.run_test(size=(80, 24)) as pilot:
        await _type(app, pilot, "goto org single inf")
        await pilot.press("enter")
        await until(pilot, lambda: app.matrix_screen.current == ORG, "the test")


async def test_a_verb_is_completed(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await _type(app, pilot, "them")
        await pilot.press("tab")
        await until(pilot, lambda: app.screen.query_one(Input).value == "theme ", "the verb")
        await type_text(pilot, "li")
        await pilot.press("tab", "enter")
        await until(pilot, lambda: app.theme == "light", "the theme")
        await until(pilot, lambda: app.screen is app.matrix_screen, "the matrix")


async def test_how_tests_are_shown_is_typed(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        for text in ("group loader", "sort status", "arch p150", "filter status:xfail"):
            await _type(app, pilot, text)
            await pilot.press("enter")
            await until(pilot, lambda: app.screen is app.matrix_screen, text)
        await until(pilot, lambda: str(app.session.view.spec.query) == "status:xfail", "the query")
        spec = app.session.view.spec
        assert (spec.group, spec.sort, spec.arch) == ("loader", "status", "p150")


async def test_the_text_of_a_pull_request_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = build_app(sample_checkout(tmp_path / "sample"))
    copied: list[str] = []
    monkeypatch.setattr(app.notifications, "copy", copied.append)
    async with app.run_test(size=(80, 24)) as pilot:
        await _type(app, pilot, "pr HEAD")
        await pilot.press("enter")
        await until(pilot, lambda: bool(copied), "the text")
        assert "| test | change |" in copied[0]


async def test_a_field_is_set(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(80, 24)) as pilot:
        await _type(app, pilot, "set status=exp")
        await pilot.press("enter")
        await until(pilot, lambda: bool(app.session.pending.changes), "the change")
    (change,) = app.session.pending.changes
    assert [(op.op, op.id, op.value) for op in change.ops] == [(OpKind.SET, ORG, "EXPECTED_PASSING")]


async def test_an_odd_marker_is_asked_about_once(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(80, 24)) as pilot:
        await _type(app, pilot, "set markers=pussh")
        await pilot.press("enter")
        await until(pilot, lambda: "Enter again sets it" in screen_text(app), "the question")
        assert not app.session.pending.changes
        await pilot.press("enter")
        await until(pilot, lambda: bool(app.session.pending.changes), "the change")


async def test_runs_are_planned_as_typed(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(80, 24)) as pilot:
        await _type(app, pilot, "run device p150")
        await pilot.press("enter")
        await until(
            pilot, lambda: not isinstance(app.screen, CommandLine) and app.screen is not app.matrix_screen, "the plan"
        )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("goto alhpa", "There is no test"),
        ("theme ligth", "There is no theme 'ligth'"),
        ("arch n151", "There is no arch 'n151'"),
        ("group xyzzy", "'xyzzy'"),
        ("filter stauts:x", "stauts"),
        ("filter (", "("),
        ("set statsu=x", "Fields: status"),
        ("set required_pcc=abc", "required_pcc must be a number"),
        ("set markers=pussh", "Did you mean push?"),
        ("stop run", "on 2 Runs"),
        ("find text", "in a log"),
        ("run cup", "Kinds: cpu"),
        ("xyzzy", "There is no such command"),
    ],
)
async def test_a_mistake_is_said_and_stays_to_be_corrected(checkout: Checkout, text: str, said: str) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await _type(app, pilot, text)
        await pilot.press("enter")
        await until(pilot, lambda: said in screen_text(app), "the mistake")
        assert app.screen.query_one(Input).value == text, "what is typed stays"
        await pilot.press("escape")
        assert app.session.view.spec.query.terms == ()


async def test_an_unknown_command_is_said_once(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await _type(app, pilot, "xyzzy")
        await pilot.press("enter")
        await pilot.pause()
        assert screen_text(app).count("There is no such command") == 1


async def test_a_session_is_planned_and_queued(checkout: Checkout, tmp_path: Path, own_home: Path) -> None:
    use_fake_python(own_home, tmp_path)
    (checkout.root / "tests/runner/test_models.py").touch()
    app = build_app(checkout, query="org single_device inference", settings=load_settings(paths().settings_file))
    app.session.view.arch = "n150"
    async with app.run_test(size=(120, 30)) as pilot:
        await _type(app, pilot, "plan soon")
        await pilot.press("enter")
        await until(pilot, lambda: "how many hours" in screen_text(app), "the mistake")
        await pilot.press("escape")
        await _type(app, pilot, "plan 2")
        await pilot.press("enter")
        await until(pilot, lambda: "1 cell in 10 machine min · 0 left over · 110 free" in screen_text(app), "the plan")
        text = screen_text(app)
        assert "the time of 1 cell is a guess" in text and "no result" in text
        await pilot.press("enter")
        await until(pilot, lambda: "Start 1 device run?" in screen_text(app), "the question")
        await pilot.press("y")
        await until(pilot, lambda: len(app.session.runs) == 1, "the runs")
        await until(pilot, lambda: not any(one.active for one in app.session.runs), "their ends")
    assert {(one.spec.test_id, one.spec.arch) for one in app.session.runs} == {(ORG, "n150")}


def test_arguments_that_begin_as_typed_come_first_and_no_more_than_can_be_looked_at() -> None:
    many = [(f"beta/alpha-{number}", "") for number in range(300)]
    arguments = Arguments([*many, ("alpha", "the first letter"), ("Alphabet", "")])
    assert [value for value, _ in arguments.containing("alpha")[:3]] == ["alpha", "Alphabet", "beta/alpha-0"]
    assert arguments.containing("first ALPHA") == [("alpha", "the first letter")]
    fields = Arguments(
        [
            ("reason=", "any text"),
            ("bringup_status=FAILED_XFAIL", ""),
            ("status=KNOWN_FAILURE_XFAIL", ""),
            ("status=PASS", ""),
        ]
    )
    assert [value for value, _ in fields.containing("status=xf")] == ["status=KNOWN_FAILURE_XFAIL"]
    assert [value for value, _ in fields.containing("Status=")] == ["status=KNOWN_FAILURE_XFAIL", "status=PASS"]
    assert fields.containing("reason=any") == []
    assert len(arguments.containing("")) == len(arguments.containing("beta")) == 200
    assert arguments.has("Alphabet") and not arguments.has("alphabet")


@pytest.mark.parametrize("typed", ["pr", "pla"])
async def test_a_verb_that_needs_no_argument_runs_on_the_first_enter(tmp_path: Path, typed: str) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("colon", *typed, "enter")
        await until(pilot, lambda: not isinstance(app.screen, CommandLine), "the end of the line")


async def test_a_verb_that_lacks_its_argument_is_completed(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("colon", *"theme", "enter")
        await until(pilot, lambda: isinstance(app.focused, Input) and app.focused.value == "theme ", "the verb")


async def test_what_needs_an_argument_has_a_sign_and_a_theme_has_words(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("colon", *"theme")
        await until(pilot, lambda: "theme …" in screen_text(app), "the verb, first of all")
        await pilot.press("space")
        await until(pilot, lambda: "no colours" in screen_text(app), "the themes")
        assert THEME_WORDS.keys() == THEMES.keys()
