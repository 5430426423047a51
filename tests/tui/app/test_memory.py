# SPDX-License-Identifier: Apache-2.0
"""Memory under churn: what a re-index frees goes back to the system, and nothing of it stays alive."""

import gc
import subprocess
import sys
from pathlib import Path
from typing import Any
from weakref import ReferenceType, ref

import pytest

from core.base.settings import Settings, paths
from core.matrix import Matrix, index
from core.matrix.cache import Cache
from core.sources import Checkout
from tests.support.app import build_app, until
from tests.support.tree import INFERENCE, YAML, sample
from tui.app import start
from tui.app.start import started_app
from tui.session import Session

ROOT = Path(__file__).parents[3]
SCATTERED = """
from pathlib import Path
from tui.app.start import give_back_memory, settle_memory

def mebibytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

settle_memory()
# As after a re-index: of what is freed, a few blocks in between stay.
blocks = [bytearray(10_000) for _ in range(20_000)]
full = mebibytes()
blocks[:] = blocks[::200]
freed = mebibytes()
give_back_memory()
print(full, freed, mebibytes())
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


@pytest.mark.skipif(sys.platform != "linux", reason="other C libraries have no malloc_trim")
def test_freed_memory_goes_back_to_the_system() -> None:
    command = [sys.executable, "-c", SCATTERED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    full, freed, given_back = map(float, done.stdout.split())
    assert freed > full - 50, "the blocks that stay hold on to all of it"
    assert given_back < full - 150


async def test_it_is_given_back_some_time_after_a_re_index(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times: list[int] = []
    monkeypatch.setattr(start, "give_back_memory", lambda: times.append(1))
    monkeypatch.setattr(start, "_GIVE_BACK_SECONDS", 0.01)
    cache = Cache(checkout, tmp_path / "cache")
    session = Session.open(index(checkout), paths(), Settings())
    app = started_app(session, cache, saved=True)
    monkeypatch.setattr(app.process, "read_again", lambda _: index(checkout))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.hints is not None, "the start")
        app._replace(session.workspace.replaced(index(checkout)), {})
        await until(pilot, lambda: bool(times), "memory is given back")


async def test_of_many_indexes_the_last_ones_are_alive(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    """One is shown; the last results and facts may be about the one before, and for a moment those in progress are."""

    # A list of all objects refers to tuples that other threads are making, and Python then refuses to grow these.
    made: list[ReferenceType[Matrix]] = []
    begin = Matrix.__init__

    def noted(matrix: Matrix, *values: Any, **named: Any) -> None:
        begin(matrix, *values, **named)
        made.append(ref(matrix))

    def alive() -> int:
        gc.collect()
        return sum(one() is not None for one in [*made])

    monkeypatch.setattr(Matrix, "__init__", noted)

    app = build_app(checkout)
    file = checkout.test_config / INFERENCE
    async with app.run_test(size=(120, 36)) as pilot:
        app.facts.request_verdicts()
        app.facts.request(("models", "jobs", "runs"))
        counts = []
        for change in range(12):
            file.write_text(f"{YAML[INFERENCE]}# {change}\n")
            before = app.session.view.matrix
            app.files.reload()
            await until(pilot, lambda before=before: app.session.view.matrix is not before, "the re-index")  # type: ignore[misc]
            if change < 6:
                counts.append(alive())
            else:
                await until(pilot, lambda: alive() <= max(counts), f"no more alive than {counts}")
