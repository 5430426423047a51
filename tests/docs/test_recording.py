# SPDX-License-Identifier: Apache-2.0
"""docs/demo.cast and docs/demo.svg: the recorded main job, as `make recording` writes it."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pyte

from tests.recording import COLUMNS, ROWS, STEPS, Frame, animated

DOCS = Path(__file__).parents[2] / "docs"
_MOST_SECONDS = 60


def _events() -> list[tuple[float, str, str]]:
    header, *events = map(json.loads, (DOCS / "demo.cast").read_text(encoding="utf-8").splitlines())
    assert (header["version"], header["width"], header["height"]) == (2, COLUMNS, ROWS)
    return [(at, kind, text) for at, kind, text in events]


def test_it_is_a_minute_of_the_steps_that_the_script_has() -> None:
    events = _events()
    assert [text for _, kind, text in events if kind == "m"] == [*(step.words for step in STEPS), ""]
    times = [at for at, _, _ in events]
    assert times == sorted(times)
    assert 30 < times[-1] <= _MOST_SECONDS


def test_each_step_shows_what_it_says() -> None:
    screen = pyte.Screen(COLUMNS, ROWS)
    stream, shown, words = pyte.Stream(screen), {"": ""}, ""
    for _, kind, text in _events():
        if kind == "m":
            words = text
        else:
            stream.feed(text)
            shown[words] = "\n".join(screen.display)
    assert [step.words for step in STEPS if step.shows not in shown[step.words]] == []


def test_nothing_of_the_machine_is_in_it() -> None:
    for name in ("demo.cast", "demo.svg"):
        assert re.findall(r"/tmp|/home/|/root|/Users|/work", (DOCS / name).read_text(encoding="utf-8")) == []


def test_the_picture_is_of_the_same_recording() -> None:
    events = _events()
    frames, words = [], ""
    for at, kind, text in events:
        if kind == "m":
            words = text
        else:
            frames.append(Frame(at, words, text))
    assert animated(frames) == (DOCS / "demo.svg").read_text(encoding="utf-8")
    ElementTree.parse(DOCS / "demo.svg")
