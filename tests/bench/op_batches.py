# SPDX-License-Identifier: Apache-2.0
"""A batch of small eager op cases against the same calls in one plain pytest file.

    python -m tests.bench.op_batches [CASES]

Both are whole processes of pytest. The best of three each, by turns; 1.3 is the most that the ratio may be.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from core.runs.planning.kinds import PAYLOAD

CASES, ROUNDS, LIMIT = 200, 3, 1.3
_OPS = ("torch.add", "torch.mul", "torch.sub", "torch.maximum")
_PLAIN = """import pytest
import torch

@pytest.mark.parametrize(("op", "size"), {pairs})
def test_op(op, size):
    def tensors():
        generator = torch.Generator().manual_seed(0)
        return [torch.rand((size, 3), generator=generator) for _ in range(2)]

    call = getattr(torch, op)
    with torch.no_grad():
        torch.testing.assert_close(call(*tensors()), call(*tensors()), rtol=5e-3, atol=5e-3, equal_nan=True)
"""


def main(cases: int = CASES) -> int:
    """Print the times and their ratio. Returns 1 if it is too large."""
    pairs = [(_OPS[number % len(_OPS)], number // len(_OPS) + 1) for number in range(cases)]
    with TemporaryDirectory() as scratch:
        directory = Path(scratch)
        (directory / "small.yaml").write_text(_manifest(pairs))
        plain = directory / "test_small.py"
        plain.write_text(_PLAIN.format(pairs=[(op.removeprefix("torch."), size) for op, size in pairs]))
        pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull]
        batch = [
            *pytest,
            "-p",
            "ttmatrix_payload.ops.plugin",
            "--noconftest",
            f"--rootdir={scratch}",
            "--compile-backend=eager",
        ]
        batch += [f"--ops-dir={scratch}", f"--ops-json={directory / 'results.jsonl'}"]
        times = [(_timed(batch, directory), _timed([*pytest, str(plain)], directory)) for _ in range(ROUNDS)]
    ours, theirs = (min(one) for one in zip(*times, strict=True))
    print(f"{cases} cases: batch {ours:.2f} s, plain file {theirs:.2f} s: {ours / theirs:.2f}x, at most {LIMIT}x")
    return int(ours > LIMIT * theirs)


def _manifest(pairs: Sequence[tuple[str, int]]) -> str:
    lines = ["model: small", "defaults: {dtype: fp32}", "cases:"]
    for number, (op, size) in enumerate(pairs):
        tensor = f"{{tensor: {{shape: [{size}, 3]}}}}"
        lines.append(f"  - {{name: c{number}, op: {op}, inputs: [{tensor}, {tensor}]}}")
    return "\n".join(lines) + "\n"


def _timed(command: Sequence[str], directory: Path) -> float:
    start = time.perf_counter()
    environ = {**os.environ, "PYTHONPATH": str(PAYLOAD)}
    done = subprocess.run(command, cwd=directory, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
