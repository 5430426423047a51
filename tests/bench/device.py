# SPDX-License-Identifier: Apache-2.0
"""What a device run of one test costs over the bare model: python -m tests.bench.device CHECKOUT TEST [--python P]

Compared are, with one interpreter and one thread: `python model.py`, which loads the model and its inputs and calls it once;
the plugin's run of the same test, eagerly and in a fork; and the collection of the whole tree. Start-up is the import of
torch. It reports processor time, the least of some rounds: what other programs do to the clock does not count.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from core.domain.ids import TestId
from core.domain.model import node_id
from core.runs.planning.kinds import PAYLOAD
from core.sources import Checkout, find_checkout

_IMPORT = "import torch"
_MODEL = """
import sys
from pathlib import Path
import torch
sys.path.insert(0, {payload!r})
from ttmatrix_payload.models.loader import import_loader
module = import_loader(Path({root!r}), {directory!r})
variants = {{str(key): key for key in module.ModelLoader.query_available_variants()}}
loader = module.ModelLoader(variant=variants.get({variant!r}))
model = loader.load_model(dtype_override=torch.bfloat16).eval()
inputs = loader.load_inputs(dtype_override=torch.bfloat16)
with torch.no_grad():
    model(inputs) if isinstance(inputs, torch.Tensor) else model(**inputs) if isinstance(inputs, dict) else model(*inputs)
"""
_COLLECT = """
import sys, time
import torch, pytest
begin = time.process_time()
code = pytest.main(["-p", "ttmatrix_payload.runner", "-p", "no:cacheprovider", "--noconftest", "--collect-only", "-qq"])
print(f"\\n{time.process_time() - begin}")
"""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("test", help="a test id of a model of one device, in inference")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    checkout, test = find_checkout(args.checkout.resolve()), TestId.parse(args.test)
    if test is None:
        sys.exit(f"{args.test} is not a test id")
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "model.py"
        file.write_text(_model(checkout, test), encoding="utf-8")
        bare = [args.python, str(file)]
        plugin = [
            args.python,
            "-m",
            "pytest",
            "-p",
            "ttmatrix_payload.runner",
            "-p",
            "no:cacheprovider",
            "--noconftest",
        ]
        plugin += ["--backend=eager", "--disable-perf-measurement", f"--junitxml={directory}/junit.xml"]
        plugin += ["--forked", "--force-run", "--runxfail", node_id(test.function, args.test)]
        commands = {"import torch": [args.python, "-c", _IMPORT], "python model.py": bare, "device run": plugin}
        told = {title: _least(words, checkout.root, args.rounds) for title, words in commands.items()}
    start = told["import torch"]
    print(f"{'':20} {'whole':>8} {'without start-up':>17}")
    for title, seconds in told.items():
        print(f"{title:20} {seconds:7.2f}s {seconds - start:16.2f}s")
    over = told["device run"] - told["python model.py"]
    print(f"a device run costs {over:.2f} s over python model.py, {over / told['python model.py']:.0%} of it")
    collections = (_collect(args.python, checkout.root) for _ in range(args.rounds))
    print(f"collection of the whole tree, torch imported: {min(collections):.2f} s")


def _model(checkout: Checkout, test: TestId) -> str:
    return _MODEL.format(
        payload=str(PAYLOAD), root=str(checkout.root), directory=test.directory, variant=test.variant or ""
    )


def _least(words: Sequence[str], root: Path, rounds: int) -> float:
    return min(_seconds(words, root) for _ in range(rounds))


def _seconds(words: Sequence[str], root: Path) -> float:
    begin = _processor()
    done = subprocess.run(words, cwd=root, env=_environment(), capture_output=True, text=True, check=False)
    seconds = _processor() - begin
    if done.returncode != 0:
        sys.exit(f"{words} ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return seconds


def _processor() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _collect(python: str, root: Path) -> float:
    words = [python, "-c", _COLLECT]
    done = subprocess.run(words, cwd=root, env=_environment(), capture_output=True, text=True, check=True)
    return float(done.stdout.splitlines()[-1])


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(PAYLOAD), "OMP_NUM_THREADS": "1"}


if __name__ == "__main__":
    main()
