# SPDX-License-Identifier: Apache-2.0
"""Every screen and dialog with `--ascii`: each sign on them has one in ASCII, and takes as many cells."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.support.app import screen_text
from tests.support.recorded import at_noon
from tests.tui.test_pictures import Walk, pictured_app
from tui.app.app import Appearance
from tui.terminal.ascii import ascii_only


@pytest.mark.slow("every screen is shown")
async def test_every_screen_in_ascii(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = pictured_app(tmp_path, monkeypatch, Appearance(ascii=True))
    unknown, moved, signs = set(), set(), set[str]()
    with at_noon():
        async with app.run_test(size=(200, 55)) as pilot:
            async for name, _ in Walk(app, pilot).everything():
                for line in screen_text(app).splitlines():
                    beyond = {sign for sign in line if not sign.isascii()}
                    signs |= beyond
                    # Nothing in the sample is in other letters than those of ASCII: what is there is ours.
                    unknown |= {(name, sign) for sign in beyond if "?" in ascii_only(sign)}
                    if len(ascii_only(line)) != cell_len(line):
                        moved.add((name, line))
    assert unknown == moved == set()
    assert len(signs) > 30, "the walk has shown frames, bars, shades and marks"
