# SPDX-License-Identifier: Apache-2.0
"""Which models of a checkout run here, and how close they come: python -m tests.bench.real_models CHECKOUT

Every PyTorch loader (one variant of each, or --all) on every backend, without any download. The interpreter is
TTMATRIX_XLA_PYTHON, else our own. Exit code 1 where a model that runs misses the PCC.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.sources.checkout import find_checkout

_SERVER = Path(__file__).with_name("model_server.py")
_SHOWN = 100


@contextmanager
def _server() -> Iterator[Callable[[dict[str, Any]], dict[str, Any]]]:
    python = os.environ.get("TTMATRIX_XLA_PYTHON") or sys.executable
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([python, _SERVER], text=True, **pipes) as process:  # type: ignore[call-overload]

        def ask(job: dict[str, Any]) -> dict[str, Any]:
            process.stdin.write(json.dumps(job) + "\n")
            process.stdin.flush()
            answer: dict[str, Any] = json.loads(process.stdout.readline())
            return answer

        yield ask
        process.stdin.close()


def main(argv: Sequence[str]) -> int:
    """Run all that is asked for, print a line for each that ran and the reasons of those that did not."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--backends", default="xla,inductor")
    parser.add_argument("--mode", choices=("inference", "training"), default="inference")
    parser.add_argument("--only", default="", help="loaders whose directory holds this")
    parser.add_argument("--all", action="store_true", help="every variant")
    parser.add_argument("--seconds", type=int, default=120, help="the longest for one model")
    parser.add_argument("--required-pcc", type=float, default=0.99)
    args = parser.parse_args(argv)
    checkout = find_checkout(args.checkout)
    found = sorted(path.parent for path in checkout.models.rglob("pytorch/loader.py"))
    loaders = [str(path.relative_to(checkout.models)) for path in found]
    reasons: Counter[str] = Counter()
    ran = short = 0
    with _server() as ask:
        for loader in (one for one in loaders if args.only in one):
            for backend in args.backends.split(","):
                job = {"checkout": str(checkout.root), "loader": loader, "mode": args.mode, "backend": backend}
                outcomes = ask({**job, "all": args.all, "seconds": args.seconds})
                for variant, outcome in outcomes.items():
                    if "error" in outcome:
                        reasons[outcome["error"][:_SHOWN]] += 1
                        continue
                    ran += 1
                    met = outcome["pcc"] >= args.required_pcc
                    short += not met
                    print(_line(f"{loader} {variant}", backend, outcome), "" if met else "TOO LOW", flush=True)
                if set(outcomes) == {"-"} and "error" in outcomes["-"]:
                    break  # What one backend cannot even load, none can.
    print(f"\n{ran} ran, {short} below {args.required_pcc}. Not run:")
    for reason, count in reasons.most_common():
        print(f"{count:5}  {reason}")
    return 1 if short or not ran else 0


def _line(model: str, backend: str, outcome: dict[str, Any]) -> str:
    floored = f"  {len(outcome['floored'])} floored" if outcome["floored"] else ""
    where = f"{backend} on {outcome['device']}"
    return f"{model:60} {where:16} {outcome['pcc']:.6f} {outcome['seconds']:7.2f} s{floored}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
