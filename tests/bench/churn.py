# SPDX-License-Identifier: Apache-2.0
"""The memory of the app under churn: python -m tests.bench.churn CHECKOUT [--changes N] [--runs N] [--python P]

Changes a watched YAML file of the checkout again and again while the app is open, each once the app has taken in the one
before, and starts runs in between. Printed is its resident memory, in MB; the checkout is put back.
"""

import argparse
import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.sources import find_checkout
from tests.bench.frames import FrameTerminal

_APP = [sys.executable, "-m", "tui"]
_LINES = 10
_SETTLED_SECONDS = 15.0
"""It gives memory back some seconds after a change."""
_MOST_SECONDS = 20.0
_KEYS = (b"2", b"jj", b"1", b"jjjj", b"kk")
"""Pressed in turn, one after each change."""


def main() -> None:
    """Print a line from time to time."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--changes", type=int, default=451)
    parser.add_argument("--runs", type=int, default=37)
    parser.add_argument(
        "--python", default=sys.executable, help="the interpreter of the runs; each ends soon without torch"
    )
    args = parser.parse_args()
    checkout = find_checkout(args.checkout.resolve())
    file = next(one for one in sorted(checkout.test_config.rglob("*.yaml")) if "placeholder" not in one.name)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home, _put_back(file) as text:
        os.environ["TTMATRIX_HOME"] = home
        Path(home, "config").mkdir()
        Path(home, "config", "settings.toml").write_text(f'python = "{args.python}"\n')
        ids = _ids(checkout.root, args.runs)
        with FrameTerminal([*_APP, "--repo", str(checkout.root)]) as app:
            first = _settled(app)
            print(f"{first:6.1f} MB once it is open", flush=True)
            started = 0
            for change in range(1, args.changes + 1):
                file.write_text(f"{text}# {change}\n")
                if started * args.changes < change * args.runs:
                    _run(checkout.root, ids[started])
                    started += 1
                _taken_in(app)
                app.press(_KEYS[change % len(_KEYS)])
                if change % max(1, args.changes // _LINES) == 0:
                    print(f"{app.memory_mb:6.1f} MB after {change} changes, {started} runs", flush=True)
            print(f"{_settled(app):6.1f} MB after all, settled", flush=True)


@contextmanager
def _put_back(file: Path) -> Iterator[str]:
    text = file.read_text(encoding="utf-8")
    try:
        yield text
    finally:
        file.write_text(text, encoding="utf-8")


def _ids(root: Path, count: int) -> list[str]:
    query = "kind:model status:expected_passing parallelism:single_device"
    command = [*_APP, "list", "--repo", str(root), "--format", "ids", query]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[:count]


def _run(root: Path, id: str) -> None:
    command = [*_APP, "run", id, "--repo", str(root), "--kind", "cpu", "--force", "--yes"]
    subprocess.run(command, capture_output=True, check=False)


def _taken_in(app: FrameTerminal) -> None:
    """Wait until the app has worked and is idle again."""
    before, deadline = app.processor, time.monotonic() + _MOST_SECONDS
    while app.processor - before < 0.1 and time.monotonic() < deadline:
        app.drain(0.1)
    last = -1.0
    while app.processor - last > 0.02 and time.monotonic() < deadline:
        last = app.processor
        app.drain(0.3)


def _settled(app: FrameTerminal) -> float:
    app.drain(_SETTLED_SECONDS)
    return app.memory_mb


if __name__ == "__main__":
    gc.freeze()
    main()
