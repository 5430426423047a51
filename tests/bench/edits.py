# SPDX-License-Identifier: Apache-2.0
"""How long edits of the largest file take, every result parsed again and checked: python -m tests.bench.edits CHECKOUT

A batch of sets in one go, as a ratio to ruamel's round trip of the same file with the same sets in the same run; and
single edits one after the other, each planned and written as a person would make them, the last ones as a ratio to
the first. All by processor time. Exit code 1 where a limit is passed.
"""

import argparse
import gc
import io
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ruamel.yaml import YAML

from core.base.files import read_text
from core.edits import Operation, OpKind, plan
from core.edits.planning import write
from core.edits.yaml import read_document
from core.edits.yaml.file_draft import edit_text
from core.sources import find_checkout

_BATCH_LIMIT = 0.15
_DRIFT_LIMIT = 1.2
_EDGE = 50
"""How many single edits at the start and at the end are compared."""


def _cpu(work: Callable[[], object]) -> float:
    """Seconds of processor time, which excludes other programs and garbage of earlier work."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


_MIXED = (("reason", 'Hangs on "n150" # see the issue'), ("bringup_status", "FAILED_RUNTIME"), ("required_pcc", 0.97))
_FLIPS = (("status", "KNOWN_FAILURE_XFAIL"), ("status", "NOT_SUPPORTED_SKIP"))
"""Values of single edits: the file must not grow, or that would be measured."""


def _sets(text: str, file: str, count: int, values: Sequence[tuple[str, object]]) -> list[Operation]:
    """`count` sets, over all entries and all `values` in turn."""
    ids = [block.id for block in read_document(text).blocks]
    chosen = [(ids[at % len(ids)], values[at % len(values)]) for at in range(count)]
    return [Operation(OpKind.SET, id, file, (name,), value) for id, (name, value) in chosen]


def _round_trip(text: str, operations: Sequence[Operation]) -> str:
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 1_000_000_000
    loaded = yaml.load(text)
    for operation in operations:
        loaded["test_config"][operation.id][operation.path[0]] = operation.value
    stream = io.StringIO()
    yaml.dump(loaded, stream)
    return stream.getvalue()


def _batch(text: str, operations: Sequence[Operation], rounds: int) -> float:
    """The median ratio of several rounds, which alternate so that both sides meet the same load."""
    after, rejected = edit_text(text, operations)
    assert after != text
    assert not rejected
    ratios = []
    for _ in range(rounds):
        theirs = _cpu(lambda: _round_trip(text, operations))
        ours = _cpu(lambda: edit_text(text, operations))
        ratios.append(ours / theirs)
        print(f"  {len(operations)} sets {ours * 1000:6.1f} ms, round trip {theirs * 1000:6.1f} ms: {ratios[-1]:.3f}x")
    return statistics.median(ratios)


def _single(test_config: Path, operations: Sequence[Operation]) -> list[float]:
    """The seconds of each edit, from the operation to the file on disk."""

    def edit(operation: Operation) -> None:
        planned = plan(test_config, [operation])
        assert not planned.rejected
        write(planned, test_config)

    return [_cpu(lambda operation=operation: edit(operation)) for operation in operations]  # type: ignore[misc]


def main() -> None:
    """Print both measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--edits", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    test_config = find_checkout(options.checkout).test_config
    largest = max(test_config.rglob("test_config_*.yaml"), key=lambda path: path.stat().st_size)
    text, name = read_text(largest), largest.relative_to(test_config).as_posix()
    print(f"{name}: {len(text)} characters")
    batch = _batch(text, _sets(text, name, options.edits, _MIXED), options.rounds)
    with tempfile.TemporaryDirectory() as scratch:
        copy = shutil.copytree(test_config, Path(scratch) / "test_config")
        copy.chmod(0o755)
        taken = _single(copy, _sets(text, name, options.edits, _FLIPS))
    first, last = statistics.median(taken[:_EDGE]), statistics.median(taken[-_EDGE:])
    print(f"batch: {batch:.3f}x of the round trip (limit {_BATCH_LIMIT})")
    print(f"single edits: first {first * 1000:.1f} ms, last {last * 1000:.1f} ms: {last / first:.2f}x ({_DRIFT_LIMIT})")
    sys.exit(0 if batch <= _BATCH_LIMIT and last / first <= _DRIFT_LIMIT else 1)


if __name__ == "__main__":
    main()
