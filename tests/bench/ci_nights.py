# SPDX-License-Identifier: Apache-2.0
"""Nightlies of CI from a server on this machine: what they cost beside parsing the same files, and what is asked twice.

python -m tests.bench.ci_nights CHECKOUT [--old TREE]

With `--old`, the first start on fresh caches is measured in another work tree of this repository too, in turns.
One night has 120 jobs, 4,000 results, a log of 5 MB for each job that nobody needs, and 40 reports of performance.
Seconds are processor time. Prints each number with the most it may be; exit code 1 if one exceeds it.
"""

import argparse
import json
import math
import mmap
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from core.matrix import index
from core.sources import find_checkout
from tests.bench.frames import FrameTerminal
from tests.support.ci_night import Night
from tests.support.github_server import TOKEN, GitHub, github

_REPOSITORY = "team/tt-xla"
_PATIENCE, _READ_AHEAD = 120.0, 15.0
_TEST_JOBS, _BENCHMARKS, _TIMED, _JOBS = 80, 19, 21, 120
"""Of a night: jobs with tests, benchmarks, jobs with tests that leave a report of performance, and all jobs."""
_RESULTS, _SOME_RESULTS = 4_000, 1_400
_F7 = b"\x1b[18~"
_STARTS, _FIRST_FRAME, _FIRST_NIGHT = 3, 1.0, 2.0
_LOG = b"2026-11-24T01:00:00.0000000Z a line of a log that is long enough to be one of a compiler\n" * 55_000
_OUTPUT = "2026-11-24 01:00:00.000 | INFO | a line that a test has printed before it ended\n" * 40
_LARGE = 2 * 10**9
_LAST = b"2026-11-24T01:00:00.0000000Z Fatal Python error: Segmentation fault\n"
_OOM = "RuntimeError: TT_FATAL: Out of Memory: Not enough space to allocate 4096 B L1 buffer"

_PARSE = """
import json, sys, time
from pathlib import Path
from core.evidence.perf_reports import report_in
from core.evidence.reports import read_reports
import zipfile
begun = time.process_time()
read = read_reports([Path(sys.argv[1])])
for file in Path(sys.argv[1]).rglob("perf-reports-*.zip"):
    with zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            assert report_in(archive.read(name), Path(name))
print(json.dumps([time.process_time() - begun, sum(read.counts.values())]))
"""


class Ran(NamedTuple):
    """What a command has taken."""

    processor: float
    """Seconds."""
    clock: float
    memory: float
    """The most, in MiB."""
    out: str
    code: int
    said: str
    """What it has written to standard error."""


def _run(argv: Sequence[str], *, codes: Sequence[int] = (0, 1)) -> Ran:
    begun = time.monotonic()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen([sys.executable, *argv], stdout=out, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said.seek(0)
        words = said.read()
        assert process.returncode in codes, f"{argv} ended with {process.returncode}: {words[-500:]}"
        return Ran(
            _seconds(used), time.monotonic() - begun, used.ru_maxrss / 1024, out.read(), process.returncode, words
        )


def _seconds(used: resource.struct_rusage) -> float:
    return used.ru_utime + used.ru_stime


class Bench:
    """A checkout, and the server that its nights come from."""

    def __init__(self, root: Path, server: GitHub) -> None:
        self.root, self.server = root, server
        matrix = index(find_checkout(root))
        self.ids = matrix.ids[:_RESULTS]
        self.failed = False

    def say(self, name: str, value: float, most: float, unit: str) -> None:
        """Print a number with its limit."""
        over = value > most
        self.failed |= over
        print(f"{'OVER' if over else 'ok':4} {name:58} {value:8.2f} {unit:3} at most {most:g}", flush=True)

    def words(self, *words: str) -> list[str]:
        """The command line of a command about the checkout."""
        return ["-m", "tui", *words, "--repo", str(self.root)]

    def ingest(self, *words: str) -> Ran:
        """Read what is new."""
        return _run(self.words("ingest", "--from-github", "--repository", _REPOSITORY, "--since", "400", *words))

    @property
    def asked(self) -> Counter[str]:
        """The requests so far, by host and path."""
        return Counter(f"{host}:{path.partition('?sig')[0]}" for host, path, _ in self.server.asked)

    def night(self, number: int, day: datetime, jobs: int = _JOBS, results: int = _RESULTS) -> None:
        """Add a night of the issue's size, in which each thirtieth test has failed since some night."""
        night = Night(self.server, number, day=f"{day:%Y-%m-%d}", output=_OUTPUT)
        tests = jobs * _TEST_JOBS // _JOBS
        archs = ("n150", "p150")
        for at in range(tests):
            arch = archs[at % 2]
            mine = self.ids[at // 2 * results // tests * 2 : (at // 2 + 1) * results // tests * 2][: results // tests]
            endings = {
                id: _OOM if (place + number) % 90 == 0 or place % 30 == 7 else "pass" for place, id in enumerate(mine)
            }
            job = night.models(arch, endings, index=at, machine=f"runner-{at % 9}")
            self.server.logs[job] = _LOG
            if at < _TIMED:
                self._timed(number, job, arch)
        for at in range(jobs * _BENCHMARKS // _JOBS):
            job = night.benchmark(f"bench{at}", f"{archs[at % 2]}-perf", 100.0 + (number * 7 + at) % 5)
            self.server.logs[job] = _LOG
        while len(self.server.jobs[night.run]) < jobs:
            job = night.job(f"Build {len(self.server.jobs[night.run])} / build")
            self.server.logs[job] = _LOG

    def _timed(self, number: int, job: int, arch: str) -> None:
        rows = {"total_samples": 8, "total_time": 2.0 + number % 7 / 100}
        measured = [{"step_name": "e2e_perf", "measurement_name": key, "value": value} for key, value in rows.items()]
        report = {
            "model": f"model{job % 1000}",
            "config": {"model_info": f"model{job % 1000}"},
            "device_info": {"device_arch": arch},
            "measurements": measured,
        }
        name = f"perf-reports-a1b2c3-1.0-{arch}-x-{job}"
        self.server.add_artefact(number, job * 10 + 1, name, {f"report_perf_{job}.json": json.dumps(report).encode()})


def _unpacked(server: GitHub, run: int, place: Path) -> None:
    """The archives of a run with the names that the server gives them."""
    for one in server.artefacts[run]:
        file = place / f"nightly-{run}" / f"{one['name']}.zip"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(server.archives[int(str(one["id"]))])


def _one_night(bench: Bench, scratch: Path) -> None:
    """A night of the issue's size beside parsing its files, and asked for again."""
    today = datetime.now(UTC)
    bench.night(500, today - timedelta(days=2))
    # Models are found by name in reports of performance: the index is made once.
    bench.ingest()
    start = _run(bench.words("ingest", str(scratch / "files")), codes=(1,)).processor
    bench.night(501, today - timedelta(days=1))
    _unpacked(bench.server, 501, scratch / "files")
    bench.server.asked.clear()
    alone = min(json.loads(_run(["-c", _PARSE, str(scratch / "files")]).out)[0] for _ in range(3))
    done = bench.ingest("--json")
    found = json.loads(done.out)
    print(f"{found['testcases']:,} results, {found['github']['performance']} reports of performance,", end=" ")
    print(f"{len(bench.server.asked)} requests: {done.processor:.2f} s, by the clock {done.clock:.1f} s;", end=" ")
    print(f"a command that reads nothing {start:.2f} s, parsing alone {alone:.2f} s")
    bench.say("ingested, beside parsing the files alone", (done.processor - start) / alone, 3.0, "x")
    bench.say("memory of ingesting", done.memory, 200, "MiB")
    bench.say("requests twice", sum(bench.asked.values()) - len(bench.asked), 0, "")
    bench.say("logs that were fetched", sum("/logs" in one for one in bench.asked), 0, "")
    bench.server.asked.clear()
    bench.ingest()
    bench.say("requests of the next call", len(bench.server.asked), 1, "")
    bench.say("`nightly` on it", _run(bench.words("nightly")).processor, 1.0, "s")


def _killed(bench: Bench) -> None:
    """A call that is killed in the middle of a night, and the next one."""
    bench.night(502, datetime.now(UTC))
    bench.server.asked.clear()
    reached = threading.Event()

    def count(_: int) -> None:
        if sum(one.startswith("blobs:") for one in bench.asked) > _JOBS // 2:
            reached.set()
            go_on.wait(_PATIENCE)

    go_on = threading.Event()
    bench.server.before_archive = count
    words = bench.words("ingest", "--from-github", "--repository", _REPOSITORY, "--since", "400")
    process = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert reached.wait(_PATIENCE)
    process.kill()
    process.wait(_PATIENCE)
    bench.server.before_archive = lambda id: None
    go_on.set()
    bench.ingest()
    twice = [one for one, count in bench.asked.items() if count > 1 and one.startswith("blobs:")]
    bench.say("archives asked twice over a kill -9: the one that was coming", len(twice), 1, "")
    found = json.loads(_run(bench.words("nightly", "--json")).out)
    bench.say("groups of that night that lack a report", found["groups"] - found["reported"], 0, "")


def _many(bench: Bench, nights: int, old: Path | None) -> None:
    """Many nights, then one of 400 jobs: the command and the screen."""
    today = datetime.now(UTC)
    for at in range(nights):
        bench.night(600 + at, today - timedelta(days=nights - at), results=_SOME_RESULTS)
    bench.server.asked.clear()
    words = bench.words("ingest", "--from-github", "--repository", _REPOSITORY, "--since", "400")
    # What one call asks for is limited, and the next one goes on.
    calls = [done := _run(words, codes=(0, 1, 2))]
    while done.code == 2 and len(calls) < nights:
        calls.append(done := _run(words, codes=(0, 1, 2)))
    print(f"{nights} nights in {len(calls)} calls: {sum(one.processor for one in calls):.0f} s,", end=" ")
    print(f"{len(bench.server.asked):,} requests")
    bench.say("memory of ingesting many nights", max(one.memory for one in calls), 200, "MiB")
    archives = [count for one, count in bench.asked.items() if one.startswith("blobs:")]
    bench.say("archives asked twice over many nights", sum(archives) - len(archives), 0, "")
    _run(bench.words("nightly"))
    bench.say("`nightly` with many nights", _run(bench.words("nightly")).processor, 1.5, "s")
    _first_starts(bench, old)
    _screen(bench)
    bench.say("its screen, from the key", _screen(bench), 0.3, "s")
    bench.night(800, today, jobs=400)
    bench.ingest()
    bench.say("`nightly` on a run of 400 jobs", _run(bench.words("nightly")).processor, 1.5, "s")
    bench.say("its screen, from the key", _screen(bench), 0.3, "s")


def _large(bench: Bench, scratch: Path) -> None:
    """The log of a job that died, of 2 GB, and an archive of 500 dumps of programs."""
    night = Night(bench.server, 900, day=f"{datetime.now(UTC):%Y-%m-%d}")
    job = night.models("n150", dict.fromkeys(bench.ids[:9], "pass"), report=False)
    file = scratch / "log"
    end = b"2026-11-24T01:00:00.0000000Z a line at the end of a large log\n" * 200_000
    with file.open("wb") as out:
        out.truncate(_LARGE - len(end) - len(_LAST))
        out.seek(0, os.SEEK_END)
        out.write(end + _LAST)
    module = b"module {\n" + b'  %0 = "ttnn.add"(%1, %2) : (tensor<1x2xf32>) -> ()\n' * 20_000 + b"}\n"
    dumps = {f"model{at}/ttnn_g0.mlir": module for at in range(500)}
    bench.server.add_artefact(900, 9_000_000, f"ir-dumps-a1b2-1.0-n150-x-{job}", dumps)
    with file.open("rb") as handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        # Sent from where it is: the server has no copy of it.
        view = memoryview(mapped)
        bench.server.logs[job] = view  # type: ignore[assignment]
        for middle in (True, False):
            bench.server.ranges = middle
            bench.server.asked.clear()
            bench.server.runs[0]["updated_at"] = f"2026-11-24T09:00:0{int(middle)}Z"
            done = bench.ingest()
            host = "that begins in the middle" if middle else "asked again, though nothing is new"
            bench.say(f"memory with a log of 2 GB, {host}", done.memory, 200, "MiB")
            logs = sum(host == "api" and "/logs" in path for host, path, _ in bench.server.asked)
            bench.say("requests for that log", logs, int(middle), "")
        bench.server.logs[job] = b""
        view.release()
    found = json.loads(_run(bench.words("nightly", "nightly-900", "--json")).out)
    bench.say("dead jobs without the error of their logs", sum(one["error"] is None for one in found["jobs"]), 0, "")
    done = _run(bench.words("nightly", "nightly-900", "--fetch", "ir-dumps"))
    size = sum(map(len, dumps.values())) / 1e6
    print(f"500 dumps, {size:.0f} MB: {done.processor:.1f} s")
    bench.say("memory of unpacking 500 dumps", done.memory, 200, "MiB")
    bench.server.asked.clear()
    _run(bench.words("nightly", "nightly-900", "--fetch", "ir-dumps"))
    bench.say("archives that are fetched again", sum("/zip" in one for one in bench.asked), 0, "")


def _screen(bench: Bench) -> float:
    """Processor time until the newest night is on its screen, in an app that has had the time to read it ahead."""
    with FrameTerminal([sys.executable, *bench.words("--fresh")], settle=6.0) as terminal:
        terminal.drain(_READ_AHEAD)
        return _pressed(terminal)


def _pressed(terminal: FrameTerminal) -> float:
    """Processor time from the key of the screen until it shows a night."""
    painted, before, end = len(terminal.painted), terminal.processor, time.monotonic() + _PATIENCE
    terminal.press(_F7, quiet=0.0)
    while b"nightly-" not in terminal.painted[painted:]:
        assert time.monotonic() < end, "the screen does not show a night"
        terminal.drain(0.02)
    return terminal.processor - before


def _first_starts(bench: Bench, old: Path | None) -> None:
    """Starts that find no caches, in turns with those of another tree: until the first frame, and until the night."""
    trees = {"": Path.cwd()} | ({" of the old tree": old} if old else {})
    took: dict[str, list[tuple[float, float, float]]] = {}
    for _ in range(_STARTS):
        for name, tree in trees.items():
            took.setdefault(name, []).append(_first_start(bench, tree))
    for name, all_ in took.items():
        first, night, clock = (statistics.median(some) for some in zip(*all_, strict=True))
        most = (_FIRST_FRAME, _FIRST_NIGHT) if not name else (math.inf, math.inf)
        bench.say(f"first frame on fresh caches{name}", first, most[0], "s")
        bench.say(f"its screen, from a key pressed at once{name}", night, most[1], "s")
        print(f"     by the clock {clock:.1f} s, beside whatever else this machine does")


def _first_start(bench: Bench, tree: Path) -> tuple[float, float, float]:
    """Processor time until the first frame, and from the key that is pressed then until the night; the same by the clock."""
    shutil.rmtree(Path(os.environ["TTMATRIX_HOME"]) / "cache", ignore_errors=True)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(tree)
    try:
        with FrameTerminal([sys.executable, "-P", *bench.words("--fresh")], settle=0.1) as terminal:
            begun = time.monotonic()
            return terminal.first_frame.processor, _pressed(terminal), time.monotonic() - begun
    finally:
        os.environ.pop("PYTHONPATH")
        os.environ |= {"PYTHONPATH": before} if before is not None else {}


def main() -> int:
    """Print the numbers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--nights", type=int, default=90)
    parser.add_argument("--old", type=Path, help="another work tree, whose first start is measured as well")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, github() as server:
        server.page = 100
        os.environ |= {"TTMATRIX_HOME": f"{scratch}/home", "GITHUB_API_URL": server.api, "GH_TOKEN": TOKEN}
        bench = Bench(args.checkout, server)
        (Path(scratch) / "files").mkdir()
        _one_night(bench, Path(scratch))
        _killed(bench)
        _large(bench, Path(scratch))
        if args.nights:
            _many(bench, args.nights, args.old)
    return int(bench.failed)


if __name__ == "__main__":
    raise SystemExit(main())
