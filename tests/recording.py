# SPDX-License-Identifier: Apache-2.0
"""Record the main task: the real app on a real terminal over the sample checkout, from an xfail to its commit.

`python -m tests.recording DIRECTORY` writes `demo.cast` (asciicast v2) and `demo.svg`, which is animated.
The recording has its own clock: the duration of each step is defined here, independent of the machine's speed.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

import pyte
from pyte.screens import Char

from tests.support.recorded import nights
from tests.support.reports import keep
from tests.support.sample import sample_checkout
from tests.support.terminal import Terminal

COLUMNS, ROWS = 100, 28
_TYPING_SECONDS = 0.07
_HOME = "~/demo"


class Step(NamedTuple):
    """One action of a person, and the time to look at the result."""

    words: str
    keys: tuple[str, ...]
    shows: str
    """Text on the screen when the step is done."""
    seconds: float


_SAVE = "\x13"
STEPS = (
    Step(
        "The overview: last night, what waits for you, what runs; every number opens what it counts",
        (),
        "waits for you",
        4,
    ),
    Step("The matrix: every test, and what its entry expects on each arch", ("1",), "conv_classifier", 3),
    Step("/ filters while you type", ("/", *"status:xfail patch_vit", "\r"), "patch_vit", 3),
    Step("d: everything about the test: entry, values on each arch, results, CI jobs", ("d",), "KNOWN_FAILURE", 5),
    Step("r runs it on the CPU in the background", ("r",), "Started", 2.5),
    Step("L shows its log, live", ("L",), "FLOAT32: ok", 5),
    Step(
        "What no git or log viewer does: 4 proposes what entries should say after three nights",
        ("4",),
        "needs attention: 3",
        4,
    ),
    Step(
        "The failure expected here is gone on p150. Below: that the test would leave CI, and the edit",
        ("j", "enter", "j", "j"),
        "will leave CI on p150",
        5,
    ),
    Step(
        "Nor this: before anything is written, I adds the marker that keeps the test in CI", ("a", "I"), "1 pending", 4
    ),
    Step("5 reviews: the entry before and after, the cells that turn, the CI jobs that change", ("5",), "+  ", 6),
    Step("a accepts the change, c asks for the commit", ("a", "c"), "Commit 1 test", 5),
    Step("^s commits this entry and nothing else; nothing is ever pushed", (_SAVE,), "Committed", 5),
    Step("1: back in the matrix", ("1",), "patch_vit", 3),
)


class Frame(NamedTuple):
    """The content of the terminal from a time on."""

    at: float
    words: str
    output: str


def record(steps: tuple[Step, ...] = STEPS) -> list[Frame]:
    """Perform the steps on a new sample checkout; returns the terminal's output with the recording's times."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "home"
        os.environ["TTMATRIX_HOME"] = str(home)
        checkout = sample_checkout(Path(scratch) / "demo")
        keep(checkout, list(nights()))
        argv = [sys.executable, "-m", "tui", "--repo", str(checkout.root), "--fresh", "--theme", "dark"]
        with Terminal(argv, {"COLORTERM": "truecolor", "TTMATRIX_HOME": str(home)}, COLUMNS, ROWS) as terminal:
            frames = list(_frames(terminal, steps))
        places = {str(checkout.root): _HOME, scratch: "~", sys.prefix: f"{_HOME}/venv"}
    return [frame._replace(output=_without(frame.output, places)) for frame in frames]


def _frames(terminal: Terminal, steps: tuple[Step, ...]) -> Iterator[Frame]:
    at, taken = 0.0, 0

    def output() -> str:
        nonlocal taken
        # A character that is cut in the middle comes with the next frame.
        text = bytes(terminal.output[taken:]).decode("utf-8", "ignore")
        taken = len(terminal.output)
        return text

    for step in steps:
        for key in step.keys:
            terminal.press(key)
            terminal.read(0.2, most=2.0)
            yield Frame(at, step.words, output())
            at += _TYPING_SECONDS
        terminal.until(step.shows)
        terminal.read(0.7, most=4.0)
        yield Frame(at, step.words, output())
        at += step.seconds
    yield Frame(at, "", "")


def _without(text: str, places: dict[str, str]) -> str:
    """A text with its paths replaced by others of the same length."""
    for place, instead in places.items():
        text = text.replace(place, instead.ljust(len(place)))
    return text


def asciicast(frames: list[Frame]) -> str:
    """The recording as asciicast v2: a header, then one event per line; each step is a marker."""
    lines: list[object] = [
        {"version": 2, "width": COLUMNS, "height": ROWS, "title": "ttmatrix: from an xfail to a commit"}
    ]
    before = ""
    for frame in frames:
        if frame.words != before:
            lines.append([round(frame.at, 2), "m", frame.words])
            before = frame.words
        lines.append([round(frame.at, 2), "o", frame.output])
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


# The animation

_WIDTH, _HEIGHT, _SIZE, _PAD = 8.4, 17, 14, 12
_GROUND, _INK = "#121212", "#e0e0e0"
_NAMES = {"black": "#121212", "red": "#e06c75", "green": "#98c379", "brown": "#e5c07b", "blue": "#61afef"}
_NAMES |= {"magenta": "#c678dd", "cyan": "#56b6c2", "white": "#e0e0e0"}


def animated(frames: list[Frame]) -> str:
    """The recording as SVG: the frames side by side, one visible at a time. Equal lines are stored once."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    lines: dict[str, str] = {}
    shown: list[tuple[float, tuple[str, ...]]] = []
    for frame in frames[:-1]:
        stream.feed(frame.output)
        rows = [_row([screen.buffer[y][x] for x in range(COLUMNS)]) for y in range(ROWS)]
        texts = tuple(lines.setdefault(row, f"l{len(lines)}") for row in (*rows, _caption(frame.words)))
        if not shown or shown[-1][1] != texts:
            shown.append((frame.at, texts))
    total = frames[-1].at
    width, height = COLUMNS * _WIDTH + 2 * _PAD, (ROWS + 2) * _HEIGHT + 2 * _PAD
    steps = "".join(
        f"{100 * at / total:.3f}%{{transform:translateX({-n * width:.0f}px)}}" for n, (at, _) in enumerate(shown)
    )
    film = "".join(_frame(number * width, texts) for number, (_, texts) in enumerate(shown))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" font-size="{_SIZE}" fill="{_INK}" xml:space="preserve" '
        f'font-family="Menlo, Consolas, DejaVu Sans Mono, monospace">\n'
        f"<style>.film{{animation:film {total:.1f}s step-end infinite}}@keyframes film{{{steps}}}"
        f".c{{fill:#ffb454;font-weight:bold}}</style>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{_GROUND}"/>\n<defs>'
        + "\n".join(f'<g id="{name}">{row}</g>' for row, name in lines.items())
        + f'</defs>\n<g class="film">{film}</g>\n</svg>\n'
    )


def _frame(x: float, texts: tuple[str, ...]) -> str:
    used = (
        f'<use href="#{name}" x="{x + _PAD:.0f}" y="{_PAD + (y + (y == ROWS)) * _HEIGHT}"/>'
        for y, name in enumerate(texts)
    )
    return "".join(used) + "\n"


def _caption(words: str) -> str:
    return f'<text class="c" y="{_SIZE}">{escape(words)}</text>'


def _row(cells: list[Char]) -> str:
    """A line of the screen: rectangles for backgrounds, and one text per run of cells with the same style."""
    grounds, texts, at = "", "", 0
    while at < len(cells):
        look, end = _look(cells[at]), at
        while end < len(cells) and _look(cells[end]) == look:
            end += 1
        ink, ground, bold = look
        words = "".join(cell.data for cell in cells[at:end])
        if ground != _GROUND:
            size = f'width="{(end - at) * _WIDTH:.1f}" height="{_HEIGHT}"'
            grounds += f'<rect x="{at * _WIDTH:.1f}" {size} fill="{ground}"/>'
        if words.strip():
            length = f'textLength="{len(words.rstrip()) * _WIDTH:.1f}"'
            weight = ' font-weight="bold"' if bold else ""
            colour = f' fill="{ink}"' if ink != _INK else ""
            texts += f'<text x="{at * _WIDTH:.1f}" y="{_SIZE}" {length}{colour}{weight}>{escape(words.rstrip())}</text>'
        at = end
    return grounds + texts


def _look(cell: Char) -> tuple[str, str, bool]:
    ink, ground = _colour(cell.fg, _INK), _colour(cell.bg, _GROUND)
    return (ground, ink, cell.bold) if cell.reverse else (ink, ground, cell.bold)


def _colour(name: str, default: str) -> str:
    if name == "default":
        return default
    return _NAMES.get(name.removeprefix("bright"), f"#{name}")


def main(directory: Path) -> None:
    """Write both files into `directory`."""
    frames = record()
    (directory / "demo.cast").write_text(asciicast(frames), encoding="utf-8")
    (directory / "demo.svg").write_text(animated(frames), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
