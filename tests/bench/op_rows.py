# SPDX-License-Identifier: Apache-2.0
"""What op cases cost a start, as a ratio to the same start without them: python -m tests.bench.op_rows [CHECKOUT]

At most 1.1 for 5,000 cases in files of 0.75 to 1.5 MB: the app up to its first frame, and `ttmatrix list` of model
tests. Without CHECKOUT it is the sample. CHECKOUT is not written to: the manifests are in a directory of links to it.
Starts with and without are taken in turns; the numbers are processor time of the whole process.
"""

import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from core.demo import lay_out
from tests.core.payload.ops.manifests import generated

CASES, FILES, ROUNDS = 5_000, 3, 15
ROOT = Path(__file__).parents[2]
_FIRST_FRAME = """
import os, sys
from pathlib import Path
from textual.app import App
from core.cli.parser import AppRequest
from tui.app.start import open_app

def look(app):
    if getattr(app.screen, "table", None) and app.screen.table.size:
        os._exit(0)

App.post_display_hook, run = look, App.run
App.run = lambda self: run(self, headless=True)
open_app(AppRequest(Path(sys.argv[1])))
"""
_LIST = "import sys; from core.cli import main; main(['--repo', sys.argv[1], 'list', 'status:xfail'], None)"


def _linked(checkout: Path, directory: Path) -> Path:
    """A directory of links to everything in `checkout` except its op manifests, so that it can have others."""
    (directory / "tests").mkdir(parents=True)
    for own in checkout.iterdir():
        if own.name != "tests":
            (directory / own.name).symlink_to(own)
    for own in (checkout / "tests").iterdir():
        if own.name != "op_manifests":
            (directory / "tests" / own.name).symlink_to(own)
    return directory


def _with_cases(directory: Path) -> Path:
    manifests = directory / "tests/op_manifests"
    manifests.mkdir()
    for number in range(FILES):
        text = generated(random.Random(number), CASES // FILES + (number < CASES % FILES))
        (manifests / f"model_{number}.yaml").write_text(text.replace("model: generated", f"model: model_{number}"))
    return directory


def _seconds(script: str, checkout: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    argv = [sys.executable, "-c", script, str(checkout)]
    subprocess.run(argv, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _ratio(script: str, places: Sequence[Path]) -> tuple[float, float, float]:
    """The median seconds of each place, and the median of the ratios of paired starts."""
    for place in places:
        _seconds(script, place)  # Whatever is cached is there then.
    pairs = [tuple(_seconds(script, place) for place in places) for _ in range(ROUNDS)]
    without, with_cases = (statistics.median(column) for column in zip(*pairs, strict=True))
    return without, with_cases, statistics.median(two / one for one, two in pairs)


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        os.environ["TTMATRIX_HOME"] = str(directory / "home")
        checkout = Path(sys.argv[1]).absolute() if len(sys.argv) > 1 else directory / "sample"
        if len(sys.argv) < 2:
            lay_out(checkout)
        places = (_linked(checkout, directory / "without"), _with_cases(_linked(checkout, directory / "with")))
        # Recently written files are read again at every start.
        for place in places:
            for path in (place / "tests").rglob("*"):
                os.utime(path, (1e9, 1e9), follow_symlinks=False)
        for name, script in (("first frame", _FIRST_FRAME), ("list", _LIST)):
            without, with_cases, ratio = _ratio(script, places)
            print(f"{name:12} {without * 1000:7.1f} ms without, {with_cases * 1000:7.1f} ms with: {ratio:.3f}x")


if __name__ == "__main__":
    main()
