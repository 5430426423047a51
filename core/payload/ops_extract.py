# SPDX-License-Identifier: Apache-2.0
"""Run one loader's model once on the CPU and write the ops it calls as a manifest of op tests.

Needs Python 3.10, torch and the files beside it. The model runs forward only, without gradients, in bfloat16 where its
loader takes a dtype, as upstream's runner asks for it. Exit code 0: the manifest is written; 1: the model failed; 2:
this environment cannot run it. The last line that starts with TTMATRIX-OPS is one JSON object for programs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    """The command line; argparse itself ends the process where it is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--checkout", type=lambda text: Path(text).resolve(), required=True, help="root of a tt-xla checkout")
    add("--loader", required=True, help="loader directory below the models root: llama/causal_lm/pytorch")
    add("--variant", help="value of the variant, as in the test id")
    add("--phase", choices=("default", "llm_decode", "llm_prefill"), default="default")
    add("--seq-len", type=int, help="tokens, for llm_prefill")
    add("--batch-size", type=int, help="default: the loader's own")
    add("--class", dest="class_name", help="loader class; default: the one the phase needs")
    add("--level", choices=("torch", "aten"), default="torch", help="ops as the model calls them, or what they come to")
    add("--output", type=lambda text: Path(text).resolve(), required=True, help="file to write")
    return parser.parse_args(argv)


def extract(args: argparse.Namespace) -> dict[str, Any]:
    """Write the manifest; what there is to say of it. Raises what the model raises, and Problem."""
    import torch
    from ttmatrix_loader import import_loader, loader_factory
    from ttmatrix_ops.cases import Manifest
    from ttmatrix_ops.reading import Defaults
    from ttmatrix_ops.recording import Recorder
    from ttmatrix_ops.writing import manifest_text
    from ttmatrix_phase import packages
    from ttmatrix_workload import call, load_inputs, load_model

    make_loader = loader_factory(import_loader(args.checkout, args.loader), args)
    with packages(args), torch.no_grad():
        random.seed(0)
        torch.manual_seed(0)
        loader = make_loader()
        model = load_model(loader, torch.bfloat16)
        if isinstance(model, torch.nn.Module):
            model.eval()
        sizes = {"batch_size": args.batch_size, "seq_len": args.seq_len}
        inputs = load_inputs(loader, torch.bfloat16, phase=args.phase, training=False, **sizes)
        recorder = Recorder(args.level, "bfloat16", args.checkout)
        with recorder.recording(model):
            call(model, inputs)
    cases = recorder.cases()
    name = args.loader if args.variant is None else f"{args.loader}-{args.variant}"
    comments = [f"The ops of {name}, from one run forward on the CPU. Device cuda:0 is the device under test."]
    comments += [f"Left out: {count:,} x {what}" for what, count in recorder.left_out.items()]
    text = manifest_text(Manifest("", name, tuple(cases)), Defaults(dtype="bfloat16"), comments)
    args.output.write_text(text, encoding="utf-8")
    return {"cases": len(cases), "calls": recorder.calls, "left_out": dict(recorder.left_out)}


def main(argv: Sequence[str]) -> int:
    """Extract, say how it went, return the exit code."""
    args = parse_arguments(argv)
    # What a model sees is the runner's world: no options of ours, and our directory for our own imports.
    sys.argv[1:] = []
    sys.path[:] = [str(HERE), *(entry for entry in sys.path if entry != str(HERE))]
    from ttmatrix_network import HubLook

    look = HubLook()
    try:
        import torch
    except (ImportError, OSError) as error:
        return _report({"problem": f"torch cannot be imported by {sys.executable}: {error}"}, 2)
    print(f"torch {torch.__version__} at {sys.executable}", flush=True)
    look.settle()
    from ttmatrix_facts import traceback_text
    from ttmatrix_loader import Problem, missing_package
    from ttmatrix_network import missing_download

    try:
        return _report(extract(args), 0)
    except Problem as problem:
        return _report({"problem": str(problem)}, 2)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - any failure of the model is to be shown
        if problem := missing_package(error, args) or missing_download(error):
            return _report({"problem": str(problem)}, 2)
        print(traceback_text(error), end="", flush=True)
        return _report({"problem": f"the model failed: {type(error).__name__}: {error}"}, 1)


def _report(result: dict[str, Any], code: int) -> int:
    sys.stdout.flush()
    # Straight to the descriptor, whatever the model made of sys.stdout.
    os.write(1, f"\nTTMATRIX-OPS {json.dumps(result)}\n".encode())
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
