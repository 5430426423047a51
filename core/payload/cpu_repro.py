# SPDX-License-Identifier: Apache-2.0
"""Run one loader's model on CPU the way tt-xla's runner does: in bfloat16, then in float32.

A JAX model runs in its own dtype, as the runner has it, then in the others of these two that its loader knows.

Needs Python 3.10, torch and the files beside it, and for JAX models jax and flax. Everything is printed for
people; the last line that starts with TTMATRIX-RESULT is one JSON object for programs. Exit code 0: the first phase
passed; 1: it failed; 2: this environment cannot run the model, which says nothing about the model.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# The script's directory is not on the path if Python was started with PYTHONSAFEPATH.
sys.path[:] = [str(HERE), *(entry for entry in sys.path if entry != str(HERE))]

from ttmatrix_payload.models.arguments import model_parser, path

VERSION = 1


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; argparse ends the process if it is invalid."""
    parser: argparse.ArgumentParser = model_parser(__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--mode", choices=("inference", "training"), required=True)
    add("--parallelism", default="single_device", help="as in the test id; said to be left out")
    add("--programs", type=path, help="directory that gets jaxpr and StableHLO of a JAX model")
    add("--nonce", default="", help="repeated in the result line")
    add(
        "--also",
        action="append",
        default=[],
        metavar="RUN=NONCE=VARIANT",
        help="another variant to run before, in a forked process, with a result line of its own",
    )
    return parser.parse_args(argv)


def execute(args: argparse.Namespace, result: dict[str, Any]) -> None:
    """Run both phases and fill `result`. Sets `problem` where the environment cannot run the model."""
    from ttmatrix_payload.models.network import HubLook, say_connections

    look = HubLook()
    say_connections()
    jax = args.loader.endswith("/jax")
    if jax:
        from ttmatrix_payload.jax.devices import Pjrt

        Pjrt.prepare()
        if reason := Pjrt().missing():
            result["problem"] = {"kind": "no-jax", "message": f"{sys.executable}: {reason}"}
            return
    try:
        import torch
    except (ImportError, OSError) as error:
        message = f"torch cannot be imported by {sys.executable}: {error}"
        result["problem"] = {"kind": "no-torch", "message": message}
        return
    result["torch"] = torch.__version__
    print(f"torch {torch.__version__}, python {result['python']} at {sys.executable}", flush=True)
    if args.parallelism != "single_device":
        print(f"{args.parallelism} is left out: everything runs on one CPU device.", flush=True)

    if look.settle():
        print("No model hub is within reach: loaders read what was downloaded before (HF_HUB_OFFLINE=1).", flush=True)
    from ttmatrix_payload.models.loader import Problem

    if jax:
        from ttmatrix_payload.jax.phases import run_phases
    else:
        from ttmatrix_payload.models.phase import run_phases

    try:
        run_phases(args, result)
    except Problem as problem:
        result["problem"] = {"kind": problem.kind, "message": str(problem)}


def exit_code(result: dict[str, Any]) -> int:
    """0, 1 or 2, as documented at the top of this file."""
    if result["problem"]:
        return 2
    return 0 if result["phases"][0]["ok"] else 1


def main(argv: Sequence[str]) -> int:
    """Run, print a result line per variant, and return the exit code of the requested one."""
    args = parse_arguments(argv)
    # The model must see the runner's world: none of our options, and our directory on the path only for our imports.
    sys.argv[1:] = []
    if not args.also:
        return run_variant(args)
    from ttmatrix_payload.models.shared import run_shared

    code: int = run_shared(args, run_variant)
    return code


def run_variant(args: argparse.Namespace) -> int:
    """Run one variant, print its result line, return its exit code."""
    python = ".".join(map(str, sys.version_info[:3]))
    result = {"version": VERSION, "nonce": args.nonce, "python": python, "torch": None}
    result.update(problem=None, phases=[], pcc=None)
    execute(args, result)
    if result["problem"]:
        print(f"Cannot run: {result['problem']['message']}", flush=True)
    # Write to the descriptor, since the model may have replaced sys.stdout; always start a new line.
    sys.stdout.flush()
    os.write(1, f"\nTTMATRIX-RESULT {json.dumps(result, allow_nan=False)}\n".encode())
    return exit_code(result)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
