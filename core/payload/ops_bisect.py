# SPDX-License-Identifier: Apache-2.0
"""Compare one loader's model on the CPU with a backend, op by op, and name the first op that departs.

Needs Python 3.10, torch and the files beside it. The model runs forward only, without gradients, in bfloat16 where its
loader takes a dtype, as upstream's runner asks for it, or as its loader makes it where the CPU cannot run that. Exit
code 0: nothing departs; 1: something does, or the model failed on the CPU; 2: this environment cannot run it. The last
line that starts with TTMATRIX-BISECT is one JSON object for programs.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# The script's directory is not on the path if Python was started with PYTHONSAFEPATH.
sys.path[:] = [str(HERE), *(entry for entry in sys.path if entry != str(HERE))]

from ttmatrix_payload.models.arguments import model_parser, path


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; argparse ends the process if it is invalid."""
    parser: argparse.ArgumentParser = model_parser(__doc__.partition("\n")[0])
    add = parser.add_argument
    add(
        "--backend",
        default="inductor",
        help="auto, eager, aot_eager, inductor, xla, tt, another one of dynamo's, MODULE:FUNCTION",
    )
    add("--import", dest="modules", action="append", default=[], help="import it first: it may bring a backend")
    add("--rtol", type=float, help="relative tolerance of one op; default: by its dtype")
    add("--seconds", type=float, default=math.inf, help="time limit")
    add("--report", type=path, help="file to write the report to")
    add("--nonce", default="", help="repeated in the result line, which is printed where there is one")
    add("--progress", type=int, default=2, help="file descriptor that lines of progress go to")
    add("--case", type=path, required=True, help="file to write the failing case to")
    return parser.parse_args(argv)


def bisect(args: argparse.Namespace) -> dict[str, Any]:
    """The report on the model. Raises what the model raises on the CPU, and Problem."""
    import importlib

    import torch
    from ttmatrix_payload.bisect.report import described, report, write_alone
    from ttmatrix_payload.bisect.sides import Side
    from ttmatrix_payload.bisect.verdict import Found, ReferenceFailed, compare_model
    from ttmatrix_payload.execute.choose import AUTO, choose_backend
    from ttmatrix_payload.models.loader import import_loader, loader_factory
    from ttmatrix_payload.models.packages import packages
    from ttmatrix_payload.models.workload import call_arguments, load_inputs, load_model

    for module in args.modules:
        importlib.import_module(module)
    begin = time.monotonic()
    until = begin + args.seconds
    backend = choose_backend(args.backend).name if args.backend == AUTO else args.backend
    make_loader = loader_factory(import_loader(args.checkout, args.loader), args)

    def tell(text: str) -> None:
        os.write(args.progress, f"{text}\n".encode("utf-8", "replace"))

    def compared(dtype: torch.dtype | None) -> Found:
        random.seed(0)
        torch.manual_seed(0)
        loader = make_loader()
        model = load_model(loader, dtype)
        if isinstance(model, torch.nn.Module):
            model.eval()
        sizes = {"batch_size": args.batch_size, "seq_len": args.seq_len}
        inputs = call_arguments(load_inputs(loader, dtype, phase=args.phase, training=False, **sizes))
        # After the loader, which may register its own backend.
        return compare_model(model, inputs, Side(backend), args.rtol, until - time.monotonic(), tell)

    tell(f"torch {torch.__version__} at {sys.executable}, backend {backend}")
    reason = ""
    with packages(args), torch.no_grad():
        try:
            found = compared(torch.bfloat16)
        except ReferenceFailed as error:
            reason = str(error)
            tell(f"it fails in bfloat16 on the CPU: {reason}")
            try:
                found = compared(None)
            except ReferenceFailed:
                raise error.__cause__ or error from None
        alone = None
        if found.engine.culprit is not None:
            name = args.loader if args.variant is None else f"{args.loader}-{args.variant}"
            about = described(found.engine.culprit, args.checkout)
            alone = write_alone(found.engine.culprit, backend, name, about, args.case, tell)
    more = {"not_in_bfloat16": reason, "seconds": round(time.monotonic() - begin, 3)}
    said: dict[str, Any] = report(found, alone, args.checkout)
    return said | more


def main(argv: Sequence[str]) -> int:
    """Compare, report the result, and return the exit code."""
    args = parse_arguments(argv)
    # The model must see the runner's world: none of our options, and our directory on the path only for our imports.
    sys.argv[1:] = []
    from ttmatrix_payload.models.network import HubLook

    look = HubLook()
    try:
        import torch  # noqa: F401
    except (ImportError, OSError) as error:
        return _report({"problem": f"torch cannot be imported by {sys.executable}: {error}"}, 2, args)
    look.settle()
    # Import everything of ours before the loader: its import removes our directory from the path.
    import ttmatrix_payload.bisect.line
    import ttmatrix_payload.bisect.report  # noqa: F401
    from ttmatrix_payload.backend import BackendMissing
    from ttmatrix_payload.bisect.verdict import NotFinished
    from ttmatrix_payload.models.facts import traceback_text
    from ttmatrix_payload.models.loader import Problem, missing_package
    from ttmatrix_payload.models.network import missing_download

    try:
        result = bisect(args)
    except (Problem, BackendMissing, NotFinished) as error:
        return _report({"problem": str(error)}, 2, args)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - any failure of the model is to be shown
        if problem := missing_package(error, args) or missing_download(error):
            return _report({"problem": str(problem)}, 2, args)
        print(traceback_text(error), end="", file=sys.stderr, flush=True)
        return _report({"problem": f"the model failed on the CPU: {type(error).__name__}: {error}"}, 1, args)
    return _report(result, 0 if result["verdict"] == "none" else 1, args)


def _report(result: dict[str, Any], code: int, args: argparse.Namespace) -> int:
    sys.stdout.flush()
    if args.report is not None:
        args.report.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    line = f"TTMATRIX-BISECT {json.dumps(result)}"
    if args.nonce:
        from ttmatrix_payload.bisect.line import result_line  # loaded before the loader was

        line = f"TTMATRIX-RESULT {json.dumps(result_line(result, args.nonce))}"
    # Write to the descriptor, since the model may have replaced sys.stdout.
    os.write(1, f"\n{line}\n".encode())
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
