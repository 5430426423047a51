# SPDX-License-Identifier: Apache-2.0
"""Bisections from the matrix: a run in the background, what it found among its details, and the line it names."""

from pathlib import Path

import pytest

from core.base.settings import Settings
from core.sources import Checkout
from tests.support.app import build_app, screen_text, until
from tests.support.fake_python import use_fake_python
from tests.support.tree import sample

pytestmark = pytest.mark.slow("runs are started and followed")


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path) -> Checkout:
    use_fake_python(own_home, tmp_path)
    return sample(tmp_path / "tt-xla")


async def test_a_model_is_bisected_and_the_line_opened(checkout: Checkout, tmp_path: Path) -> None:
    settings = Settings(python=str(tmp_path / "python"), backend="inductor")
    app = build_app(checkout, query="tiny has:entry mode:training", settings=settings)
    opened: list[tuple[str, int]] = []
    async with app.run_test(size=(110, 40)) as pilot:
        await pilot.press("B")
        await until(pilot, lambda: bool(app.session.runs) and not app.session.runs[0].active, "the end")
        (record,) = app.session.runs
        assert (record.spec.kind, str(record.outcome)) == ("bisect", "fail")
        assert "--backend=inductor" in record.spec.argv
        assert f"--case={record.directory / 'case.yaml'}" in record.spec.argv
        await pilot.press("2")
        await until(pilot, lambda: "torch.sigmoid in gate departs" in screen_text(app), "the summary")
        await pilot.press("d")
        await until(pilot, lambda: "▁▅▇" in screen_text(app), "the curve")
        assert "tiny/model.py:12" in screen_text(app)
        app.files.edit_file = lambda path, line: opened.append((path, line))  # type: ignore[method-assign]
        await pilot.press("s")
        await until(pilot, lambda: bool(opened), "the editor")
    assert opened == [(str(checkout.root / "tiny/model.py"), 12)]


async def test_a_run_that_names_no_line(checkout: Checkout, tmp_path: Path) -> None:
    settings = Settings(python=str(tmp_path / "python"))
    app = build_app(checkout, query="tiny has:entry mode:training", settings=settings)
    async with app.run_test(size=(110, 40)) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: bool(app.session.runs) and not app.session.runs[0].active, "the end")
        await pilot.press("2", "s")
        await until(
            pilot, lambda: any("names no source line" in one.message for one in app._notifications), "the message"
        )
