# SPDX-License-Identifier: Apache-2.0
"""`queue`: waiting runs in order, and changes of the order."""

from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.cli import call

HANGS, PASSES = (f"alpha/pytorch-{name}-single_device-training" for name in ("net-v1.5+aug", "tiny"))


@pytest.fixture
def queued(runnable: Checkout, own_home: Path) -> list[str]:
    """One run that never ends, and three that wait for it."""
    settings = own_home / "config" / "settings.toml"
    settings.write_text(settings.read_text() + "cpu_slots = 1\n")
    first = call("run", HANGS, "--kind", "cpu", "--json", "--repo", runnable.root).json
    rest = call("run", PASSES, "--kind", "cpu", "--repeat", "3", "--json", "--repo", runnable.root).json
    return [one["run"] for one in first + rest]


def order() -> list[str]:
    return [one["run"] for one in call("queue", "--json").json]


def test_the_order_is_shown_and_changed(queued: list[str]) -> None:
    hanging, a, b, c = queued
    while hanging in order():
        pass
    assert order() == [a, b, c]
    assert [one["run"] for one in call("queue", "first", b, c, "--json").json] == [b, c, a]
    call("queue", "last", b)
    assert order() == [c, a, b]
    held = call("queue", "hold", c, "--json").json
    assert [one["held"] for one in held] == [True, False, False]
    assert "on hold" in call("queue").out
    moved = call("queue", "first", b, a)
    assert [line.split()[0] for line in moved.out.splitlines()[1:]] == [b, a], "only what was moved"
    assert order() == [b, a, c]
    call("queue", "last", b, a)
    assert call("cancel", hanging).code == 0
    while order() != [c]:
        pass
    assert call("queue", "hold", a).code == 64
    assert call("queue", "release", c).code == 0
    while order():
        pass
    assert call("cancel", *queued).code == 0


def test_usage(queued: list[str]) -> None:
    assert call("queue", "hold").code == 64
    assert call("queue", "explode", queued[1]).code == 64
    assert call("queue", "hold", "1999").code == 64
    call("cancel", *queued)
