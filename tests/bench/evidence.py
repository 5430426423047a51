# SPDX-License-Identifier: Apache-2.0
"""How fast reports are read and verdicts are reached: python -m tests.bench.evidence CHECKOUT"""

import argparse
import gc
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar
from xml.sax.saxutils import quoteattr

from core.ci import Selected
from core.evidence import Ending, Observation
from core.evidence.reports import read_reports
from core.evidence.store import EvidenceStore
from core.evidence.verdicts import Policy, Verdicts
from core.matrix import Matrix, index
from core.matrix.cache import Cache
from core.providers import selected_jobs
from core.runs import file_chunks, read_testcases
from core.runs.junit import parse_tags
from core.runs.junit_stream import stream_cases
from core.sources import find_checkout
from tests.support.evidence import seen
from tui.app.start import settle_memory

T = TypeVar("T")
ARCHS = ("n150", "p150")
_WHY = 'it\'s "so"'
_TRACEBACK = "\n".join(f"tests/infra/testers/model_tester.py:{line}: in test\n    self._run()" for line in range(120))


def main() -> int:
    """Print the numbers; exit code 1 if they exceed the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--testcases", type=int, default=10_000)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument(
        "--ingest", type=float, default=3.0, help="limit in seconds of processor time to read and keep the files"
    )
    parser.add_argument(
        "--judge", type=float, default=0.2, help="limit in seconds of processor time for the verdicts of the matrix"
    )
    args = parser.parse_args()
    matrix = index(find_checkout(args.checkout))
    with tempfile.TemporaryDirectory() as scratch:
        selected = selected_jobs(Cache(matrix.checkout, Path(scratch, "cache")), matrix)
        # As in the app: the collector no longer visits the matrix, and reports were read by another process.
        settle_memory()
        judged = _judge(matrix, selected)
        ingest = _ingest(matrix, Path(scratch), args.testcases, args.files)
    return int(ingest > args.ingest or judged > args.judge)


def _ingest(matrix: Matrix, scratch: Path, testcases: int, files: int) -> float:
    size = _write(matrix, scratch / "nightly", testcases, files)
    store = EvidenceStore(scratch / "evidence.sqlite")
    read, reading = _seconds(lambda: read_reports([scratch / "nightly"]))
    assert sum(reading.counts.values()) == testcases
    kept, _ = _seconds(lambda: store.add(reading.reports))
    opened, rows = _seconds(lambda: EvidenceStore(store.file).observations())
    assert len(rows) == testcases
    print(
        f"{testcases:,} testcases in {files} files, {size / 2**20:.0f} MiB: read in {read:.2f} s, kept in {kept:.2f} s"
    )
    _parts(scratch / "nightly", testcases, read)
    print(f"{testcases:,} results known: opened in {opened * 1000:.0f} ms")
    return read + kept


def _parts(nightly: Path, testcases: int, read: float) -> None:
    """The parts of reading, in testcases per second: the slowest part limits it."""
    files = sorted(nightly.rglob("*.xml"))
    xml, raw = _seconds(lambda: [one for file in files for one in stream_cases(file_chunks(file))])
    texts = [one.get("value", "") for case in raw for one in case.element.iter("property")]
    tags, _ = _seconds(lambda: [parse_tags(text) for text in texts])
    whole, _ = _seconds(lambda: [one for file in files for one in read_testcases(file)])
    parts = {
        "XML": xml,
        "their tags, Python literals": tags,
        "elements as testcases": whole - xml - tags,
        "what they say, and digests": read - whole,
    }
    print(f"  {testcases / read:,.0f} testcases a second on one core, of which")
    for name, seconds in parts.items():
        print(f"  {seconds / read:4.0%} {name}")


def _judge(matrix: Matrix, selected: Selected) -> float:
    """Seconds of processor time until every cell has its verdict and can be asked for."""
    worst = 0.0
    for name, ids, nights in (("entries", list(matrix.entries), 5), ("every test", list(matrix.ids), 1)):
        rows = _results(ids, nights)
        took = min(_seconds(lambda rows=rows: _verdicts(matrix, rows, selected))[0] for _ in range(3))  # type: ignore[misc]
        cells = len(matrix.ids) * len(ARCHS)
        print(f"{cells:,} cells, {len(rows):,} results of {name}: verdicts in {took * 1000:.0f} ms")
        worst = max(worst, took) if name == "entries" else worst
    return worst


def _verdicts(matrix: Matrix, rows: Sequence[Observation], selected: Selected) -> None:
    facts = Verdicts(matrix, rows, Policy(), selected).facts()
    assert facts.column("verdict", "").values


def _results(ids: Sequence[str], nights: int) -> list[Observation]:
    chance = random.Random(7)
    endings = [Ending.PASSED] * 8 + [Ending.FAILED, Ending.INACCURATE]
    return [
        seen(
            ending := chance.choice(endings),
            test_id=id,
            arch=arch,
            when=float(night),
            pcc=chance.uniform(0.9, 1.0) if ending is not Ending.FAILED else None,
            pcc_required=0.99,
            reason="" if ending is Ending.PASSED else f"Out of Memory: Not enough space to allocate {night} B",
        )
        for night in range(nights)
        for id in ids
        for arch in ARCHS
    ]


def _write(matrix: Matrix, directory: Path, testcases: int, files: int) -> int:
    """Write a nightly in the form that CI stores; returns its size in bytes."""
    chance, size = random.Random(7), 0
    ids = list(matrix.entries)
    for number in range(files):
        arch = ARCHS[number % len(ARCHS)]
        # Neighbours: a report has no test twice.
        share = range(testcases * number // files, testcases * (number + 1) // files)
        cases = "".join(_case(ids[at % len(ids)], arch, chance) for at in share)
        artefact = directory / f"test-reports-a1b2c3-1.{number}-{arch}-{arch}_and_expected_passing-{9000 + number}"
        artefact.mkdir(parents=True)
        head = 'timestamp="2026-11-21T01:36:42.098002+00:00" hostname="f10"'
        text = f'<?xml version="1.0"?><testsuites><testsuite name="pytest" {head}>{cases}</testsuite></testsuites>'
        size += (artefact / f"report_{9000 + number}.xml").write_text(text)
    return size


def _case(id: str, arch: str, chance: random.Random) -> str:
    failed = chance.random() < 0.2
    tags: dict[str, object] = {
        "test_name": "test_all_models_torch",
        "specific_test_case": f"test_all_models_torch[{id}]",
        "category": "model_test",
        "model_name": "pytorch_MNIST_Cnn_Dropout_cv_image_cls_custom",
        "model_info": {"task": "cv_image_cls", "source": "custom", "framework": "pytorch", "model_arch": "MNIST"},
        "run_mode": "inference",
        "run_phase": "default",
        "bringup_status": "FAILED_RUNTIME" if failed else "PASSED",
        "model_test_status": "ModelTestStatus.EXPECTED_PASSING",
        "failing_reason": {"name": None, "description": _WHY if failed else None, "component": None},
        "parallelism": "single_device",
        "arch": arch,
        "seq_len": None,
        "batch_size": None,
        "weights_dtype": "bfloat16",
        "model_size_billions": 0.001199882,
        "pcc": float("nan") if chance.random() < 0.01 else chance.uniform(0.98, 1.0),
        "atol": 0.015625,
        "comparison_passed": True,
        "comparison_error_message": None,
        "pcc_threshold": 0.97,
        "atol_threshold": 0.16,
        "pcc_assertion_enabled": True,
        "atol_assertion_enabled": False,
        "guidance": [],
    }
    text = f"{_TRACEBACK}\nE   RuntimeError: TT_FATAL @ op.cpp:{chance.randrange(999)}: bad shape"
    child = f'<failure message="RuntimeError: TT_FATAL">{text}</failure>' if failed else ""
    properties = f'<properties><property name="tags" value={quoteattr(str(tags))}/></properties>'
    return f'<testcase classname="t" name="test_all_models_torch[{id}]" time="9.1">{properties}{child}</testcase>'


def _seconds(work: Callable[[], T]) -> tuple[float, T]:
    gc.collect()
    begin = time.process_time()
    result = work()
    return time.process_time() - begin, result


if __name__ == "__main__":
    raise SystemExit(main())
