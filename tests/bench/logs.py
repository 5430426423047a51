# SPDX-License-Identifier: Apache-2.0
"""A job that prints 1,000,000 lines at full speed while its log is followed: python -m tests.bench.logs

Prints what it costs the job and the app, each with the most it may be. The same app beside the same job, but with
another log open, says what the machine itself costs in the same run. Where others keep it busy, the clock tells more of
them than of us: --processor takes the processor time that the job, and each late heartbeat, has taken.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
from textual.app import ComposeResult
from textual.widgets import Footer, Static

from core.runs.log import LogFile
from tests.support.app import ThemedApp
from tui.app.start import settle_memory
from tui.widgets import LogPane

_LINES = 1_000_000
_BEAT = 0.010
_JOB = """
import os, sys, time
line = "\\x1b[32m2026-01-01 12:00:00.000\\x1b[0m | info     | step {:7} of the job, "
begin = time.perf_counter(), time.process_time()
for first in range(0, int(sys.argv[1]), 500):
    text = "".join((line.format(n) + "x" * (100 + n % 80) + "\\n") for n in range(first, first + 500))
    os.write(1, text.encode())
print(time.perf_counter() - begin[0], time.process_time() - begin[1], file=sys.stderr)
"""


Sample = tuple[float, float]
"""Seconds of wall time, and of processor time."""


@dataclass
class Seen:
    """Measurements while a job ran."""

    job: Sample
    late: list[Sample]
    """How late the event loop woke up each time, and how much it worked meanwhile."""
    grown: int
    """Memory growth in bytes."""


class Follower(ThemedApp):
    """A log that is followed, between the lines that every screen has."""

    def compose(self) -> ComposeResult:
        yield Static("Log")
        yield LogPane()
        yield Footer()


async def _start(file: Path) -> asyncio.subprocess.Process:
    with file.open("wb") as out:
        return await asyncio.create_subprocess_exec(
            sys.executable, "-c", _JOB, str(_LINES), stdout=out, stderr=subprocess.PIPE
        )


async def _told(job: asyncio.subprocess.Process) -> Sample:
    """The times that a job reports about itself."""
    _, told = await job.communicate()
    clock, processor = map(float, told.split())
    return clock, processor


async def _beat(late: list[Sample]) -> None:
    while True:
        asked, worked = time.perf_counter() + _BEAT, time.process_time()
        await asyncio.sleep(_BEAT)
        delay = max(0.0, time.perf_counter() - asked)
        # Work done before the beat was due did not make it late.
        late.append((delay, min(delay, time.process_time() - worked)))


async def _beside(file: Path, shown: Path) -> Seen:
    """Run the job, which writes to `file`, beside the app showing the log `shown`; read its output to the end."""
    shown.write_bytes(b"")
    app, late, process = Follower(), list[Sample](), psutil.Process()
    async with app.run_test(size=(160, 50)):
        pane = app.query_one(LogPane)
        pane.open(LogFile(shown))
        await asyncio.sleep(0.5)
        before = process.memory_info().rss
        # Starting a process takes a while, and nobody types meanwhile.
        job = await _start(file)
        heart = asyncio.create_task(_beat(late))
        told = await _told(job)
        while file == shown and pane.view.source.line_count < _LINES:
            await asyncio.sleep(0.01)
        heart.cancel()
        grown = process.memory_info().rss - before
    return Seen(told, late, grown)


async def _opened(file: Path, gib: float) -> tuple[float, float]:
    """Seconds until a large log shows its end, and until it is completely indexed."""
    block = b"".join(b"line %d of a large log %s\n" % (number, b"x" * 150) for number in range(5000))
    with file.open("wb") as out:
        while out.tell() < gib * 2**30:
            out.write(block)
        out.write(b"the last line\n")
    app = Follower()
    async with app.run_test(size=(160, 50)) as pilot:
        pane = app.query_one(LogPane)
        begin = time.perf_counter()
        pane.open(LogFile(file))
        painted = pane.view.render_lines(pane.view.size.region)
        shown = time.perf_counter() - begin
        assert any("the last line" in strip.text for strip in painted)
        look = pane.view.look
        assert look is not None
        while look.opening:
            await asyncio.sleep(0.01)
        indexed = time.perf_counter() - begin
        await pilot.pause()
        return shown, indexed


async def _measure(rounds: int, gib: float, processor: bool) -> list[tuple[str, float, float, str]]:
    """Name, value, maximum and unit of each number."""
    with tempfile.TemporaryDirectory() as scratch:
        file, other = Path(scratch) / "log", Path(scratch) / "other"
        alone, seen = [], []
        for _ in range(rounds):
            alone.append(await _beside(file, other))
            seen.append(await _beside(file, file))
        size = file.stat().st_size / 1e6
        shown, indexed = await _opened(file, gib)
    idle, late = _late(alone, processor), _late(seen, processor)
    job, watched = (min(each.job[processor] for each in some) for some in (alone, seen))
    print(f"{_LINES:,} lines, {size:.0f} MB, {len(late):,} heartbeats; {gib:g} GiB indexed in {indexed:.1f} s")
    return [
        ("job, not followed", job, float("inf"), "s"),
        ("job, while it is followed", watched, job * 1.1 + 0.02, "s"),
        ("heartbeat late, p99, not followed", _p99(idle), float("inf"), "ms"),
        ("heartbeat late, p99", _p99(late), _p99(idle) + 10, "ms"),
        ("heartbeat late, longest", late[-1], float("inf"), "ms"),
        ("memory grown by", max(each.grown for each in seen) / 1e6, 10, "MB"),
        (f"{gib:g} GiB shown after", shown * 1e3, 200, "ms"),
    ]


def _late(seen: Sequence[Seen], processor: bool) -> list[float]:
    """Milliseconds, the longest last."""
    return sorted(one[processor] * 1e3 for each in seen for one in each.late)


def _p99(ordered: Sequence[float]) -> float:
    return ordered[int(len(ordered) * 0.99)]


def main() -> int:
    """Print the numbers; exit code 1 if one exceeds its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--gib", type=float, default=1.0, help="size of the log to open")
    parser.add_argument("--processor", action="store_true", help="compare processor time")
    options = parser.parse_args()
    settle_memory()
    numbers = asyncio.run(_measure(options.rounds, options.gib, options.processor))
    for name, value, most, unit in numbers:
        limit = "" if most == float("inf") else f"at most {most:.2f} {unit}"
        print(f"{'ok ' if value <= most else 'OVER':4} {name:34} {value:9.2f} {unit:3} {limit}")
    return int(any(value > most for _, value, most, _ in numbers))


if __name__ == "__main__":
    raise SystemExit(main())
