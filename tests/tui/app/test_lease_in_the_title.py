# SPDX-License-Identifier: Apache-2.0
"""Every screen shows how long the machine is still available, and warns before the end."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.base.files import atomic_write
from core.base.settings import paths
from core.hosts import Host, with_host
from tests.support.app import build_app, screen_text, until
from tests.support.tree import sample


def leased(time: timedelta) -> None:
    """Lease this machine for `time` from now on."""
    file = paths().hosts_file
    file.parent.mkdir(parents=True, exist_ok=True)
    end = (datetime.now(UTC) + time).replace(microsecond=0)
    atomic_write(file, with_host("", Host("box", expires=end), file))


async def test_the_time_left_is_in_the_title_of_every_screen(tmp_path: Path) -> None:
    leased(timedelta(hours=3, minutes=5, seconds=50))
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: "3 h 5 min left" in screen_text(app).splitlines()[0], "the time left")
        await pilot.press("6")
        await until(pilot, lambda: "3 h 5 min left" in screen_text(app).splitlines()[0], "it on another screen")
        leased(timedelta(minutes=20, seconds=50))
        await until(pilot, lambda: "! 20 min left" in screen_text(app).splitlines()[0], "less time")
        await until(pilot, lambda: any("less than 30 min" in one.message for one in app._notifications), "the warning")
        paths().hosts_file.unlink()
        await until(pilot, lambda: "min left" not in screen_text(app).splitlines()[0], "no end")
