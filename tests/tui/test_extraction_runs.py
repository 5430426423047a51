# SPDX-License-Identifier: Apache-2.0
"""Ops of models from the matrix: asked for their file, recorded by a run in the background, and shown as rows."""

from pathlib import Path

import pytest

from core.base.settings import Settings
from core.sources import Checkout
from tests.support.app import build_app, screen_text, shown_ids, type_text, until
from tests.support.fake_python import use_fake_python
from tests.support.git import git
from tests.support.sample import sample_checkout
from tests.support.tree import sample

CONV = "conv_classifier/pytorch-Width_16-single_device-inference"
FILE = "tests/op_manifests/conv_classifier_pytorch-Width_16.yaml"
MODEL = "conv_classifier/pytorch-Width_16"


def messages(app: object) -> list[str]:
    return [one.message for one in app._notifications]  # type: ignore[attr-defined]


@pytest.mark.slow("a real model runs")
async def test_a_model_becomes_rows_of_its_ops(tmp_path: Path, warm_torch: Path) -> None:
    checkout = sample_checkout(tmp_path / "demo")
    app = build_app(checkout, query=CONV, settings=Settings(python=str(warm_torch)), op_cases=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("X")
        await until(pilot, lambda: FILE in screen_text(app), "the file")
        await pilot.press("enter")
        await until(pilot, lambda: str(app.session.view.query) == f"kind:op model:{MODEL}", "the ops")
        ids = shown_ids(app)
        assert ids and all(id.startswith(f"{MODEL}::") for id in ids)
        said = f"{FILE} has {len(ids)} cases, {len(ids)} of them new."
        await until(pilot, lambda: said in messages(app), said)
        (record,) = app.session.runs
        assert (record.spec.kind, str(record.outcome)) == ("extract", "pass")
        assert git(checkout.root, "status", "--porcelain", "-uall").split() == ["??", FILE]

        # Without its last case, and with a line of a person, it gets that case back and keeps the line.
        file = checkout.root / FILE
        cut = "# mine\n" + file.read_text()[: file.read_text().rindex("  - name:")]
        file.write_text(cut)
        app.navigation.show_test(CONV)
        await until(pilot, lambda: app.matrix_screen.current == CONV, "the model")
        await pilot.press("X")
        await until(pilot, lambda: "Extract the ops" in screen_text(app), "the question")
        await pilot.press("enter")
        await until(pilot, lambda: "added at its end" in screen_text(app), "that it exists")
        await pilot.press("enter")
        said = f"{FILE} has {len(ids)} cases, 1 of them new."
        await until(pilot, lambda: said in messages(app), said)
    assert file.read_text().startswith(cut)


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path) -> Checkout:
    use_fake_python(own_home, tmp_path)
    return sample(tmp_path / "tt-xla")


async def test_who_has_gone_elsewhere_is_reported(checkout: Checkout, tmp_path: Path) -> None:
    settings = Settings(python=str(tmp_path / "python"))
    app = build_app(checkout, query="tiny has:entry mode:training", settings=settings, op_cases=True)
    async with app.run_test(size=(110, 40)) as pilot:
        await pilot.press("colon")
        await type_text(pilot, "extract tests/op_manifests/mine.yaml")
        await pilot.press("enter")
        await until(pilot, lambda: bool(app.session.runs), "the run")
        await pilot.press("2")
        said = "tests/op_manifests/mine.yaml has 1 case, 1 of them new: filter kind:op model:tiny"
        await until(pilot, lambda: said in messages(app), said)
        opened: list[tuple[str, int]] = []
        app.files.edit_file = lambda path, line: opened.append((path, line))  # type: ignore[method-assign]
        await pilot.press("s")
        await until(pilot, lambda: bool(opened), "the editor")
    assert opened == [(str(checkout.root / "tests/op_manifests/mine.yaml"), 1)]


async def test_what_cannot_be_extracted_says_why(checkout: Checkout, tmp_path: Path) -> None:
    app = build_app(checkout, query="jax", settings=Settings(python=str(tmp_path / "python")))
    async with app.run_test(size=(110, 40)) as pilot:
        await pilot.press("X")
        await until(pilot, lambda: any("no ops of torch" in one for one in messages(app)), "why not")
        assert app.screen is app.matrix_screen


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tests/op_manifests/a.txt", "Not a manifest"),
        ("tests/runner/test_config/torch/test_config_a.yaml", "Not a manifest"),
        ("elsewhere/a.yaml", "will not show its cases"),
    ],
)
async def test_a_file_that_is_no_place_for_ops(checkout: Checkout, tmp_path: Path, text: str, said: str) -> None:
    app = build_app(checkout, query="tiny has:entry", settings=Settings(python=str(tmp_path / "python")))
    async with app.run_test(size=(110, 40)) as pilot:
        await pilot.press("X", "ctrl+u")
        await type_text(pilot, text)
        await pilot.press("enter")
        await until(pilot, lambda: said in screen_text(app), said)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.matrix_screen, "the matrix")
    assert not app.session.runs
