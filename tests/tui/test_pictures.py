# SPDX-License-Identifier: Apache-2.0
"""Every screen at three sizes looks as it did: the pictures in `__snapshots__`, taken anew by `--snapshot-update`."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from textual.pilot import Pilot

from tests.support.app import build_app, screen_text, type_text, until
from tests.support.picture import still
from tests.support.recorded import NOON, nights, record_runs
from tests.support.reports import keep
from tests.support.sample import sample_checkout
from tui.app.app import TTMatrixApp
from tui.screens import DoctorScreen
from tui.screens.clusters import ClustersScreen
from tui.screens.triage import TriageScreen

_VIT = "patch_vit/pytorch-Small_Patch8-single_device-training"
_CLOCKS = ("tui.screens.runs", "tui.evidence_service", "core.providers.history")


class Pictures(SingleFileSnapshotExtension):
    """A file a size."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(size, id="{}x{}".format(*size), marks=pytest.mark.slow("every screen is shown"))
        for size in ((80, 24), (120, 40), (200, 60))
    ],
)
async def test_every_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion, size: tuple[int, int]
) -> None:
    for module in _CLOCKS:
        monkeypatch.setattr(f"{module}.time", SimpleNamespace(time=lambda: NOON))
    monkeypatch.setenv("TZ", "UTC")
    checkout = sample_checkout(tmp_path / "tt-xla")
    keep(checkout, list(nights()))
    record_runs(checkout)
    app = build_app(checkout, query="status:xfail mode:training")
    async with app.run_test(size=size) as pilot:
        shown = [f"===== {name} =====\n{text}" async for name, text in _walk(app, pilot)]
    found = "\n".join(shown).replace(str(tmp_path), "~")
    assert found == snapshot(extension_class=Pictures), "if the screens are to look like that: make pictures"


async def _walk(app: TTMatrixApp, pilot: Pilot[Any]) -> AsyncIterator[tuple[str, str]]:
    """Each screen and form, once what it waits for is there."""

    async def there(what: str | Callable[[], bool]) -> str:
        await until(pilot, what if callable(what) else lambda: what in screen_text(app), str(what))
        return await still(app, pilot)

    await pilot.press("/", "ctrl+u")
    await type_text(pilot, "status:xfail mode:training")
    await pilot.press("enter")
    await there("patch_vit")
    while app.matrix_screen.current != _VIT:
        await pilot.press("j")
    yield "matrix", await there("patch_vit")
    await pilot.press("d")
    yield "matrix with details", await still(app, pilot)
    await pilot.press("d", "number_sign")
    yield "grid", await still(app, pilot)
    await pilot.press("number_sign", "question_mark")
    yield "help", await still(app, pilot)
    await pilot.press("escape", "M")
    yield "entry menu", await there("delete")
    await pilot.press("escape", "E")
    yield "edit form", await there("bringup_status")
    await pilot.press("left", "enter")
    await there("1 pending")
    await pilot.press("0")
    yield "overview", await still(app, pilot)
    await pilot.press("2")
    yield "runs", await still(app, pilot)
    await pilot.press("3")
    yield "log", await still(app, pilot)
    await pilot.press("escape", "4")
    yield "triage", await there(lambda: bool(app.navigation.screen(TriageScreen).tests.changes))
    await pilot.press("5")
    yield "review", await still(app, pilot)
    await pilot.press("6")
    yield "doctor", await there(lambda: bool(app.navigation.screen(DoctorScreen)._findings))
    await pilot.press("7")
    yield "clusters", await there(lambda: bool(app.navigation.screen(ClustersScreen)._clusters))
    await pilot.press("8")
    yield "compare", await still(app, pilot)
    await pilot.press("9")
    yield "workflows", await still(app, pilot)
