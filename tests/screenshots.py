# SPDX-License-Identifier: Apache-2.0
"""The pictures of the README: real screens over the sample checkout, with fixed results and runs."""

import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from rich.text import Text
from textual.pilot import Pilot

from core.base.settings import paths
from core.evidence import evidence_store
from core.matrix import index
from core.sources import Checkout
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.picture import still
from tests.support.planted import Nights
from tests.support.recorded import NOON, at_noon, nights, record_hosts, record_ops, record_profiles, record_runs
from tests.support.reports import keep
from tests.support.sample import sample_checkout
from tui.app.app import TTMatrixApp
from tui.screens import DoctorScreen, PlanScreen, TriageScreen
from tui.screens.clusters import ClustersScreen
from tui.widgets import TextPane

SCREENSHOTS = Path(__file__).parents[1] / "screenshots"
_WIDE, _SMALL, _LOW = (140, 40), (80, 24), (140, 24)
_VIT = "patch_vit/pytorch-Small_Patch8-single_device-training"

Shown = AsyncIterator[tuple[str, str]]
"""The name of a file in `SCREENSHOTS`, and the picture as SVG."""


async def screenshots(scratch: Path) -> Shown:
    """All pictures. The sample checkout is laid out in `scratch`; TTMATRIX_HOME must be a directory of its own."""
    checkout = sample_checkout(scratch / "tt-xla")
    keep(checkout, list(nights()))
    record_runs(checkout)
    # Paths of this machine would only distract.
    places = {str(scratch): "~", sys.prefix: "~/tt-xla/venv", str(SCREENSHOTS.parent): "~/ttmatrix"}

    with at_noon():
        for size, prepare, walk in (
            (_WIDE, None, _wide),
            (_SMALL, None, _small),
            (_WIDE, record_ops, _ops),
            (_LOW, None, _bisection),
            (_WIDE, record_profiles, _profiles),
            (_WIDE, _record_quarter, _report),
            (_WIDE, lambda _: record_hosts(), _machines),
        ):
            if prepare:
                prepare(checkout)
            app = build_app(checkout, op_cases=walk is _ops)
            async with app.run_test(size=size) as pilot:
                async for name in walk(app, pilot):
                    await still(app, pilot)
                    picture = app.export_screenshot(title="ttmatrix")
                    for place, instead in places.items():
                        picture = picture.replace(place, instead)
                    yield f"{name}.svg", picture


def _record_quarter(checkout: Checkout) -> None:
    made = Nights(index(checkout), NOON, 90, each=2)
    evidence_store(checkout, paths()).add(made.reports())


def plain(svg: str) -> str:
    """A picture without the number in its style names, which differs between equal pictures."""
    return re.sub(r"terminal-\d+", "terminal", svg)


async def _wide(app: TTMatrixApp, pilot: Pilot[Any]) -> AsyncIterator[str]:
    press = pilot.press
    await until(pilot, lambda: len(app.session.runs) == 4, "the runs")
    await _query(app, pilot, "has:entry mode:training")
    await press("G", *["k"] * 6)
    while app.matrix_screen.current != _VIT:
        await press("k")
    await press("space", "k")
    yield "matrix"
    await press("2", "G")
    await press("tab", *["k"] * 8, "tab")
    yield "log"
    await press("1", "ctrl+n")
    for words, keys in (
        ("patch_vit Small_Patch8 status:xfail", ["left", "down", *["left"]]),
        ("voxel_scatter status:skip mode:training", ["left"]),
    ):
        await _query(app, pilot, words)
        await press("asterisk", "E", *keys, "enter", "ctrl+n")
    await press("5", "g", "a", "g")
    yield "review"
    await press("m", "l", "j")
    yield "review-groups"
    await press("m", "m", "m", "6")
    await until(pilot, lambda: len(app.navigation.screen(DoctorScreen).table.source) > 0, "the findings")
    await press(*["j"] * 4)
    yield "doctor"
    await press("0")
    await until(pilot, lambda: "not passing" in screen_text(app), "the weeks")
    await until(pilot, lambda: "fail, expected to pass               0" not in screen_text(app), "what waits")
    yield "overview"
    await press("1", "escape", "escape", "d", "m")
    await type_text(pilot, "family")
    await press("enter", *["j"] * 3, "l", *["j"] * 4)
    yield "groups"
    await press("4")
    await until(pilot, lambda: bool(app.navigation.screen(TriageScreen).tests.changes), "what is to be decided")
    await press("j", "j")
    yield "triage"
    await press("7")
    await until(pilot, lambda: len(app.navigation.screen(ClustersScreen).table.source) > 0, "the clusters")
    yield "clusters"


async def _small(app: TTMatrixApp, pilot: Pilot[Any]) -> AsyncIterator[str]:
    await _query(app, pilot, "has:entry")
    await pilot.press("j", "j", "j", "d")
    yield "matrix-80x24"
    await pilot.press("d", "number_sign", "j", "j", "l")
    yield "grid-80x24"
    await pilot.press("number_sign", "5", "g")
    yield "review-80x24"


async def _ops(app: TTMatrixApp, pilot: Pilot[Any]) -> AsyncIterator[str]:
    """An op on two backends up to its review, and the op that breaks a model."""
    press = pilot.press
    app.session.view.columns_of["op"] = ("id", "op", "rtol", "result", "verdict")
    await _query(app, pilot, "kind:op backend:inductor")
    await until(pilot, lambda: "inductor fail" in screen_text(app), "the results")
    await press("j")
    await until(pilot, lambda: "view size is not compatible" in screen_text(app), "what is expected, in the detail")
    yield "ops"
    await press("asterisk", "b")
    await until(pilot, lambda: "eager → inductor" in screen_text(app), "the comparison")
    await press("j")
    yield "ops-compare"
    await press("1", "ctrl+n", "g", "E", "ctrl+u")
    await type_text(pilot, "0.001")
    yield "ops-edit"
    await press("enter", "5", "G", "a", "G")
    await until(pilot, lambda: "rtol: 0.001" in screen_text(app), "the diff")
    yield "ops-review"


async def _bisection(app: TTMatrixApp, pilot: Pilot[Any]) -> AsyncIterator[str]:
    """The op that breaks a model, up to the first path of this machine: the bar's length depends on how paths wrap."""
    await until(pilot, lambda: len(app.session.runs) > 6, "the runs")
    await pilot.press("2", "g", "d")
    await until(pilot, lambda: "torch.sigmoid(self.decode" in screen_text(app), "the op")
    await until(pilot, lambda: screen_text(app).count("~ ") > 5, "what the runs say of the tree")
    detail = app.screen.query_one("#run-detail", TextPane)
    detail.show(Text("\n").join(detail.shown.split("\n")[: detail.size.height]))
    yield "ops-bisect"


async def _profiles(app: TTMatrixApp, pilot: Pilot[Any]) -> AsyncIterator[str]:
    press = pilot.press
    await until(pilot, lambda: len(app.session.runs) > 6, "the runs")
    await press("8", "p")
    await until(pilot, lambda: "2 profiles" in screen_text(app), "the profiles")
    await press("j")
    yield "profiles"
    await press("i")
    await until(pilot, lambda: "Compare which program?" in screen_text(app), "the question")
    await press("down", "enter")
    await until(pilot, lambda: "1 removed" in screen_text(app), "the programs")
    yield "programs"


async def _report(app: TTMatrixApp, pilot: Pilot[Any]) -> AsyncIterator[str]:
    await pilot.press("f4")
    await until(pilot, lambda: "results of" in screen_text(app), "the summary")
    yield "report"


async def _machines(app: TTMatrixApp, pilot: Pilot[Any]) -> AsyncIterator[str]:
    await until(pilot, lambda: "1 up" in "\n".join(screen_text(app).splitlines()[:3]), "the machines")
    await _query(app, pilot, "has:entry mode:training")
    await pilot.press("f2")
    await until(pilot, lambda: "wh-01" in screen_text(app), "the machines")
    await pilot.press("j")
    yield "hosts"
    await pilot.press("f3")
    await until(pilot, lambda: len(app.navigation.screen(PlanScreen).table.source) > 0, "the plan")
    yield "plan"


async def _query(app: TTMatrixApp, pilot: Pilot[Any], text: str) -> None:
    await pilot.press("escape", "escape", "slash")
    await type_text(pilot, text)
    await pilot.press("enter")
