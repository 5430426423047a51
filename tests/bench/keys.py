# SPDX-License-Identifier: Apache-2.0
"""How long keys and the first frame take in a real terminal, beside other apps in the same run.

python -m tests.bench.keys CHECKOUT

Prints each ratio with the most it may be. On a machine that others keep busy the clock tells more of them than of us:
--processor takes the processor time instead, up to the first frame as well.
"""

import argparse
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.base.settings import Settings, paths
from core.matrix import Matrix
from core.matrix.cache import Cache
from core.matrix.query import Query
from core.matrix.view import View
from core.sources import find_checkout
from tests.bench.frames import Frame, FrameTerminal
from tui.app.start import with_rows

WORDS = (b"llama", b"qwen", b"resnet")
DOWN, PAGE, RELOAD, ESCAPE = b"j", b"\x1b[6~", b"\x1b[15~", b"\x1b"
_PAGE_ROWS = 60
"""More rows than any of the tables shows at once."""

_SETTLE = {"minimal": 1.5, "stock": 5.0}
"""Seconds of quiet after the first frame: later work of the start must not count as the cost of a key."""

_MORE_STARTS = 15
"""Besides those before the keys: one start takes a fifth more or less than another."""

_MOST_MEMORY_MB = 160
"""After four re-indexes of a matrix of 21,000 tests: 95 MB before them, 130 to 148 after them, and no more later.
No object of an earlier index is alive then; the allocator of Python has its pages."""
_MOST_COMPUTE_MS = 5
_MOST_FACETS_MS = 25

Samples = dict[tuple[str, str], list[Frame]]
"""First frames by app and by action."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A ratio and its maximum."""

    name: str
    measured: tuple[str, str]
    of: tuple[str, str]
    most: float


LIMITS = (
    Limit("first table, of the stock one", ("ours", "start"), ("stock", "start"), 0.15),
    Limit("first table, of a minimal app", ("ours", "start"), ("minimal", "start"), 1.6),
    Limit("cursor key, of a minimal app's", ("ours", "down"), ("minimal", "down"), 1.3),
    Limit("cursor key, of the stock one", ("ours", "down"), ("stock", "down"), 0.6),
    Limit("scrolling key, of the stock one", ("ours", "scroll"), ("stock", "scroll"), 0.35),
    Limit("page key, of the stock one", ("ours", "page"), ("stock", "page"), 0.25),
    Limit("cursor key at 1,000,000 rows", ("million", "down"), ("ours", "down"), 1.3),
    Limit("scrolling key at 1,000,000 rows", ("million", "scroll"), ("ours", "scroll"), 1.3),
    Limit("page key at 1,000,000 rows", ("million", "page"), ("ours", "page"), 1.3),
    Limit("filter key, of a minimal app's", ("ours", "filter"), ("minimal", "down"), 4.0),
    Limit("cursor key while re-indexing", ("ours", "down while re-indexing"), ("ours", "down"), 1.5),
)


def _keys(terminal: FrameTerminal, kind: str) -> Iterator[tuple[str, Frame]]:
    terminal.press(DOWN)
    for _ in range(20):
        yield "down", terminal.press(DOWN)[0]
    if kind == "minimal":
        return
    terminal.press(DOWN * _PAGE_ROWS)
    for _ in range(20):
        yield "scroll", terminal.press(DOWN)[0]
    for _ in range(10):
        yield "page", terminal.press(PAGE)[0]
    if kind == "ours":
        yield from _keys_of_ours(terminal)


def _keys_of_ours(terminal: FrameTerminal) -> Iterator[tuple[str, Frame]]:
    terminal.press(b"g")
    terminal.press(RELOAD, quiet=0.02)
    for _ in range(20):
        yield "down while re-indexing", terminal.press(DOWN, quiet=0.02)[0]
    terminal.press(b"", quiet=1.5)
    for word in WORDS:
        terminal.press(b"/", quiet=0.3)
        for letter in word:
            yield "filter", terminal.press(bytes([letter]))[0]
        terminal.press(ESCAPE, quiet=0.5)
        terminal.press(ESCAPE, quiet=0.5)
    # Memory is measured after that: what a re-index leaves behind adds up.
    for _ in range(4):
        terminal.press(RELOAD, quiet=1.5)


def _argv(kind: str, checkout: Path) -> list[str]:
    if kind == "ours":
        # Fresh: where the last round has left the cursor, a key might scroll.
        return [sys.executable, "-m", "tui", "--fresh", "--screen", "matrix", "--repo", str(checkout)]
    return [sys.executable, "-m", "tests.bench.apps", kind, str(checkout)]


def _measure(checkout: Path, rounds: int) -> tuple[Samples, float]:
    samples: Samples = defaultdict(list)
    memory = 0.0
    for _ in range(rounds):
        for kind in ("minimal", "stock", "ours", "million"):
            with FrameTerminal(_argv(kind, checkout), settle=_SETTLE.get(kind, 3.0)) as terminal:
                samples[kind, "start"].append(terminal.first_frame)
                for what, sample in _keys(terminal, kind):
                    samples[kind, what].append(sample)
                memory = max(memory, terminal.memory_mb) if kind == "ours" else memory
    for _ in range(_MORE_STARTS):
        for kind in ("minimal", "ours"):
            with FrameTerminal(_argv(kind, checkout), settle=0.5) as terminal:
                samples[kind, "start"].append(terminal.first_frame)
    return samples, memory


def _compute(checkout: Path) -> tuple[float, float]:
    """Seconds of processor time for the rows of a query while its letters are typed, and for their facets; the slowest
    count.
    """
    cache = Cache(find_checkout(checkout), paths().cache / "index")
    matrix = with_rows(cache.index()[0], cache, Settings(), Query())
    matrix.complete()
    rows, facets = zip(*(one for word in WORDS for one in _letters(matrix, word.decode())), strict=True)
    return max(rows), max(facets)


def _letters(matrix: Matrix, word: str) -> Iterator[tuple[float, float]]:
    view = View(matrix)
    for end in range(len(word)):
        query = Query.parse(word[: end + 1])
        begin = time.thread_time()
        view.filter(query)
        selected = time.thread_time()
        view.facets()
        yield selected - begin, time.thread_time() - selected


def _median(samples: list[Frame], processor: bool) -> float:
    return statistics.median(sample[processor] for sample in samples)


def main() -> None:
    """Print the measurements and each ratio; ends with 1 if one exceeds its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--processor", action="store_true", help="compare processor time")
    options = parser.parse_args()
    # The first start makes the index that later ones use.
    with FrameTerminal(_argv("ours", options.checkout), settle=6.0):
        pass
    samples, memory = _measure(options.checkout, options.rounds)
    for (kind, what), found in samples.items():
        clock, processor = (sorted(one[at] * 1e3 for one in found) for at in (0, 1))
        late = clock[int(len(clock) * 0.95) - 1]
        print(f"{kind:8} {what:24} {statistics.median(clock):9.2f} ms, p95 {late:9.2f}", end="")
        print(f"   processor {statistics.median(processor):9.2f}")
    print(f"\nmemory {memory:.0f} MB (at most {_MOST_MEMORY_MB})")
    times = zip(*(_compute(options.checkout) for _ in range(options.rounds)), strict=True)
    compute, facets = (min(one) * 1e3 for one in times)
    print(f"rows for the dearest letter of a query {compute:.1f} ms (at most {_MOST_COMPUTE_MS})")
    print(f"facets for the dearest letter of a query {facets:.1f} ms (at most {_MOST_FACETS_MS})\n")
    failed = memory > _MOST_MEMORY_MB or compute > _MOST_COMPUTE_MS or facets > _MOST_FACETS_MS
    for limit in LIMITS:
        ratio = _median(samples[limit.measured], options.processor) / _median(samples[limit.of], options.processor)
        failed |= ratio > limit.most
        print(f"{'ok ' if ratio <= limit.most else 'OVER':4} {limit.name:34} {ratio:6.2f}x   at most {limit.most}x")
    sys.exit(failed)


if __name__ == "__main__":
    main()
