# SPDX-License-Identifier: Apache-2.0
"""Make the pictures of the README anew: real screens over the sample checkout, with real runs in them."""

import asyncio
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from tests.support.app import build_app, screen_text, type_text, until
from tests.support.recorded import nights
from tests.support.reports import keep
from tests.support.sample import sample_checkout
from tui.app.app import TTMatrixApp
from tui.screens import DoctorScreen
from tui.screens.clusters import ClustersScreen
from tui.screens.triage import TriageScreen

_WIDE, _SMALL = (140, 40), (80, 24)
_PLACES: dict[str, str] = {}
_RUNS = "tabular_fusion Small mode:training parallelism:single_device"


async def main(target: Path) -> None:
    """Write one SVG a screen into `target`."""
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["TTMATRIX_HOME"] = f"{scratch}/home"
        # Logs name the places of this machine; in a picture they would only distract.
        _PLACES.update({scratch: "~", sys.prefix: "~/tt-xla/venv", str(Path(__file__).parents[1]): "~/ttmatrix"})
        checkout = sample_checkout(Path(scratch) / "tt-xla")
        keep(checkout, list(nights()))
        app = build_app(checkout)
        async with app.run_test(size=_WIDE) as pilot:
            await _matrix(app, pilot, target)
            await _log(app, pilot, target)
            await _review(app, pilot, target)
            await pilot.press("6")
            await until(pilot, lambda: bool(app.navigation.screen(DoctorScreen)._findings), "the findings")
            await pilot.press(*["j"] * 4)
            await _save(app, pilot, target / "doctor.svg")
            await _views(app, pilot, target)
            await pilot.press("4")
            await until(pilot, lambda: bool(app.navigation.screen(TriageScreen).tests.changes), "what is to be decided")
            await pilot.press("j", "j")
            await _save(app, pilot, target / "triage.svg")
            await pilot.press("7")
            await until(pilot, lambda: bool(app.navigation.screen(ClustersScreen)._clusters), "the clusters")
            await _save(app, pilot, target / "clusters.svg")
        small = build_app(checkout)
        async with small.run_test(size=_SMALL) as pilot:
            await _query(small, pilot, "has:entry")
            await pilot.press("j", "j", "j", "d")
            await _save(small, pilot, target / "matrix-80x24.svg")
            await pilot.press("d", "number_sign", "j", "j", "l")
            await _save(small, pilot, target / "grid-80x24.svg")
            await pilot.press("number_sign", "5", "g")
            await _save(small, pilot, target / "review-80x24.svg")


async def _matrix(app: TTMatrixApp, pilot: Pilot[Any], target: Path) -> None:
    await _query(app, pilot, _RUNS)
    await pilot.press("r")
    await _query(app, pilot, "patch_vit mode:training parallelism:single_device")
    await pilot.press("asterisk", "r", "enter", "ctrl+n")
    await until(pilot, lambda: len(app.session.runs) == 4, "the runs")
    await until(pilot, lambda: not any(record.active for record in app.session.runs), "their ends")
    await _query(app, pilot, "has:entry mode:training")
    await pilot.press("G", *["k"] * 6)
    while app.matrix_screen.current != "patch_vit/pytorch-Small_Patch8-single_device-training":
        await pilot.press("k")
    await pilot.press("space", "k")
    await _save(app, pilot, target / "matrix.svg")


async def _log(app: TTMatrixApp, pilot: Pilot[Any], target: Path) -> None:
    await pilot.press("2", "G")
    await pilot.press("tab", *["k"] * 8, "tab")
    await _save(app, pilot, target / "log.svg")


async def _review(app: TTMatrixApp, pilot: Pilot[Any], target: Path) -> None:
    await pilot.press("1", "ctrl+n")
    for words, keys in (
        ("patch_vit Small_Patch8 status:xfail", ["left", "down", *["left"]]),
        ("voxel_scatter status:skip mode:training", ["left"]),
    ):
        await _query(app, pilot, words)
        await pilot.press("asterisk", "E", *keys, "enter", "ctrl+n")
    await pilot.press("5", "g", "a", "g")
    await _save(app, pilot, target / "review.svg")
    await pilot.press("m", "l", "j")
    await _save(app, pilot, target / "review-groups.svg")
    await pilot.press("m", "m", "m")


async def _views(app: TTMatrixApp, pilot: Pilot[Any], target: Path) -> None:
    await pilot.press("0")
    await until(pilot, lambda: "not passing" in screen_text(app), "the weeks")
    await until(pilot, lambda: "fail, expected to pass               0" not in screen_text(app), "what waits")
    await _save(app, pilot, target / "overview.svg")
    await pilot.press("1", "escape", "escape", "d", "m")
    await type_text(pilot, "family")
    await pilot.press("enter", *["j"] * 3, "l", *["j"] * 4)
    await _save(app, pilot, target / "groups.svg")


async def _query(app: TTMatrixApp, pilot: Pilot[Any], text: str) -> None:
    await pilot.press("escape", "escape", "slash")
    await type_text(pilot, text)
    await pilot.press("enter")


async def _save(app: TTMatrixApp, pilot: Pilot[Any], path: Path) -> None:
    await pilot.pause(0.5)
    picture = app.export_screenshot(title="ttmatrix")
    for place, name in _PLACES.items():
        picture = picture.replace(place, name)
    path.write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
