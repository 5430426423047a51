# SPDX-License-Identifier: Apache-2.0
"""Which models of a checkout run here, and how close they come: python -m tests.bench.real_models CHECKOUT

Every PyTorch loader (one variant of each, or --all) on every backend, without any download. The interpreter is
TTMATRIX_XLA_PYTHON, else our own. Exit code 1 where a model that runs misses the PCC.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.sources import find_checkout
from tests.support.models import model_server

_SHOWN = 100
_EVERY = 1000


def main(argv: Sequence[str]) -> int:
    """Run the requested models; print a line for each that ran and the reasons of the others."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--backends", default="xla,inductor")
    parser.add_argument("--mode", choices=("inference", "training"), default="inference")
    parser.add_argument("--only", default="", help="loaders whose directory holds one of these, between commas")
    parser.add_argument("--all", action="store_true", help="every variant")
    parser.add_argument("--seconds", type=int, default=120, help="the longest for one model")
    parser.add_argument("--required-pcc", type=float, default=0.99)
    args = parser.parse_args(argv)
    checkout = find_checkout(args.checkout)
    found = sorted(path.parent for path in checkout.models.rglob("pytorch/loader.py"))
    loaders = [str(path.relative_to(checkout.models)) for path in found]
    loaders = [one for one in loaders if any(part in one for part in args.only.split(","))]
    reasons: Counter[str] = Counter()
    ran = short = 0
    with model_server(Path(os.environ.get("TTMATRIX_XLA_PYTHON") or sys.executable)) as ask:
        for loader in loaders:
            for backend in args.backends.split(","):
                job = {"checkout": str(checkout.root), "loader": loader, "backend": backend, "seconds": args.seconds}
                settings = {"mode": args.mode, "measure": False, "required_pcc": args.required_pcc}
                outcomes = ask({**job, "settings": settings, "variants": _EVERY if args.all else 1})
                for variant, outcome in outcomes.items():
                    if "error" in outcome:
                        reasons[outcome["error"][:_SHOWN]] += 1
                        continue
                    ran += 1
                    short += not outcome["passed"]
                    print(_line(f"{loader} {variant}", backend, outcome), flush=True)
                if set(outcomes) == {"-"} and "error" in outcomes["-"]:
                    break  # A model that one backend cannot load cannot be loaded by any.
    print(f"\n{ran} ran, {short} below {args.required_pcc}. Not run:")
    for reason, count in reasons.most_common():
        print(f"{count:5}  {reason}")
    return 1 if short or not ran else 0


def _line(model: str, backend: str, outcome: dict[str, Any]) -> str:
    floored = f"  {len(outcome['floored'])} floored" if outcome["floored"] else ""
    where = f"{backend} on {outcome['device']}"
    low = "" if outcome["passed"] else "  TOO LOW"
    return f"{model:60} {where:16} {min(outcome['pcc']):.6f} {outcome['seconds']:7.2f} s{floored}{low}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
