# SPDX-License-Identifier: Apache-2.0
"""A whole morning in Triage: everything that a night has shown is decided in bulk, a commit for each cause."""

from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.app import build_app, screen_text, until
from tests.support.cli import call
from tests.support.git import git
from tests.support.morning import COUNTS, NEW, Fate, morning_checkout
from tests.support.person import Person
from tui.screens import TriageScreen

pytestmark = pytest.mark.slow("a night of 222 tests, and eight commits")

MOST_KEYS = 60
"""docs/ci-triage.md says how many it takes: 21."""


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_a_morning_takes_sixty_keys_at_most(tmp_path: Path, size: tuple[int, int]) -> None:
    checkout = morning_checkout(tmp_path / "tt-xla")
    app = build_app(checkout)
    async with app.run_test(size=size, notifications=True) as pilot:
        person = Person(app, pilot)
        await person.press("4")
        await person.see("172 of 172 open")
        # The machine that fails alone is not about the tests.
        await person.see("H ignores bad host f10cs10")
        await person.press("H")
        await person.see("164 of 164 open")
        await person.see("40 broke")
        # What broke gets one reason; the tests keep what is proposed for each otherwise.
        await person.press("E")
        await person.see("enter accept 40 tests")
        await person.write("DRAM OOM since the uplift")
        await person.press("enter")
        await person.see("124 of 164 open")
        # Gone, fixed, two kinds of numbers: each a question that says how many, and the next one follows.
        for left, verb in ((121, "3 tests"), (101, "20 tests"), (95, "6 tests"), (90, "5 tests")):
            await person.press("a")
            await person.see(f"Accept {verb}?")
            await person.press("y")
            await person.see(f"{left} of 164 open")
        # A hundred to adopt would leave CI: with the marker that keeps them. Near misses and failures apart.
        for left, verb in ((30, "60 tests"), (10, "20 tests"), (0, "10 tests")):
            await person.press("a")
            await person.see(f"Accept {verb}?")
            warned = "I accept with the marker" in screen_text(app)
            await person.press("I" if warned else "y")
            await person.see(lambda left=left: f"{left} of 164 open" in screen_text(app))  # type: ignore[misc]
        assert app.navigation.screen(TriageScreen).listing.by == "cause"
        await person.press("5")
        await person.see("test, by cause")
        await person.press("c")
        await person.see("one per cause")
        await person.see("1 of 8")
        await person.press("ctrl+s")
        await person.see(lambda: not app.session.pending.changes)
        await until(pilot, lambda: "Committed" in screen_text(app), "the commits")
    assert person.keys == 21 <= MOST_KEYS, person.keys
    _committed(checkout)


def _committed(checkout: Checkout) -> None:
    assert git(checkout.root, "status", "--porcelain") == ""
    assert git(checkout.root, "rev-list", "--count", "HEAD").strip() == "9", "one for each cause, after the first"
    text = "".join(file.read_text() for file in checkout.test_config.rglob("*.yaml"))
    assert text.count('reason: "DRAM OOM since the uplift"') == COUNTS[Fate.BREAKS]
    assert text.count('reason: "DRAM OOM"\n') == 0, "what was fixed lost its reason"
    assert text.count("status: NOT_SUPPORTED_SKIP") == COUNTS[Fate.VANISHES]
    assert sum(text.count(f"  {fate}") for fate in NEW) == sum(COUNTS[fate] for fate in NEW), "adopted"
    left = call("propose", "--without-host", "f10cs10", "--json", "--repo", checkout.root).json
    assert left == [], "nothing of the night is open"
