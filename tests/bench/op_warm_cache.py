# SPDX-License-Identifier: Apache-2.0
"""What inductor compiled in one run of op cases, used by the next: python -m tests.bench.op_warm_cache [CASES]

Two whole runs of pytest, as a batch starts it, with one cache directory. The second may take half of the first at most,
and compiles no kernel.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from core.runs.planning.kinds import PAYLOAD

CASES, LIMIT = 12, 0.5
_OPS = ("tanh", "sigmoid", "exp", "sin", "cos", "sqrt", "abs", "neg", "relu", "erf", "log1p", "square")


def main(cases: int = CASES) -> int:
    """Print the times and their ratio. Returns 1 if the second run is too slow, or compiled anything."""
    with TemporaryDirectory() as scratch:
        directory = Path(scratch)
        lines = ["model: warm", "defaults: {dtype: fp32}", "cases:"]
        lines += [
            f"  - {{name: c{number}, op: torch.{_OPS[number % len(_OPS)]}, inputs: [{{tensor: {{shape: [{number + 2}, 3]}}}}]}}"
            for number in range(cases)
        ]
        (directory / "warm.yaml").write_text("\n".join(lines) + "\n")
        cold, made = _run(directory)
        warm, again = _run(directory)
    print(f"{cases} cases: {cold:.1f} s, then {warm:.1f} s: {warm / cold:.2f}x, at most {LIMIT}x")
    print(f"{len(made)} kernels, then {len(again - made)} more")
    return int(warm > LIMIT * cold or again != made)


def _run(directory: Path) -> tuple[float, set[str]]:
    cache = directory / "cache"
    environ = {**os.environ, "PYTHONPATH": str(PAYLOAD), "TORCHINDUCTOR_CACHE_DIR": str(cache)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--noconftest"]
    command += [
        "-p",
        "ttmatrix_payload.ops.plugin",
        f"--rootdir={directory}",
        f"--ops-dir={directory}",
        "--compile-backend=inductor",
    ]
    start = time.perf_counter()
    done = subprocess.run(command, cwd=directory, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return time.perf_counter() - start, {file.name for file in cache.rglob("*.so")}


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
