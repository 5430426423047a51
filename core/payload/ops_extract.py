# SPDX-License-Identifier: Apache-2.0
"""Run one loader's model once on the CPU and write the ops it calls as a manifest of op tests.

Needs Python 3.10, torch and the files beside it. The model runs forward only, without gradients, in bfloat16 where its
loader takes a dtype, as upstream's runner asks for it. A model that fails or takes too long gives the ops until then.
Exit code 0: the manifest is written; 1: the model failed before its first op; 2: this environment cannot run it, or
nothing can be added to the manifest that is there. The last line that starts with TTMATRIX-OPS, with a nonce
TTMATRIX-RESULT, is one JSON object for programs.
"""

from __future__ import annotations

import argparse
import ctypes
import inspect
import json
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

HERE = Path(__file__).resolve().parent
# The script's directory is not on the path if Python was started with PYTHONSAFEPATH.
sys.path[:] = [str(HERE), *(entry for entry in sys.path if entry != str(HERE))]

from ttmatrix_payload.extract.crashes import Calls, Crashed, run_until_crash
from ttmatrix_payload.models.arguments import model_parser, path

if TYPE_CHECKING:
    from ttmatrix_payload.ops.recording import Recorder


_LEAST_SECONDS = 1.0
"""Minimum time for the model, even if loading took all of the limit."""
_IDS, _DECODER_IDS = "input_ids", "decoder_input_ids"
_AGAIN = "TTMATRIX_SAME_ADDRESSES"
_ADDR_NO_RANDOMIZE = 0x0040000
"""From linux/personality.h."""
_ASK = 0xFFFFFFFF


def start_with_same_addresses() -> None:
    """Restart without address randomisation: the order of a set of objects depends on their addresses.

    Otherwise a model that iterates over such a set would not produce the same bytes twice. If the system does not
    support or refuses this, go on.
    """
    if os.environ.pop(_AGAIN, "") or not sys.platform.startswith("linux"):
        return
    personality = ctypes.CDLL(None).personality
    now = personality(ctypes.c_ulong(_ASK))
    if now == -1 or now & _ADDR_NO_RANDOMIZE or personality(ctypes.c_ulong(now | _ADDR_NO_RANDOMIZE)) == -1:
        return
    os.environ[_AGAIN] = "1"
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; argparse ends the process if it is invalid."""
    parser: argparse.ArgumentParser = model_parser(__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--level", choices=("torch", "aten"), default="torch", help="ops as the model calls them, or what they come to")
    add("--seconds", type=float, default=0.0, help="the longest that the model may run; 0: as long as it takes")
    add("--within", type=float, default=0.0, help="seconds after which the model is stopped, loading counted in")
    add("--output", type=path, required=True, help="file to write")
    add("--into", type=path, help="manifest that gets the cases it lacks; may be new")
    add("--nonce", default="", help="repeated in the result line of a run, which is printed where there is one")
    return parser.parse_args(argv)


def extract(args: argparse.Namespace, calls: Calls) -> dict[str, Any]:
    """Write the manifest and return the report. Raises what the model raises before its first op, and Problem."""
    import torch
    from ttmatrix_payload.models.facts import traceback_text
    from ttmatrix_payload.models.loader import import_loader, loader_factory
    from ttmatrix_payload.models.packages import packages
    from ttmatrix_payload.models.workload import load_inputs, load_model
    from ttmatrix_payload.ops.recording import Recorder

    # Disable compilation: code that would be compiled runs as written, so that its calls are seen.
    if hasattr(torch.compiler, "set_stance"):
        torch.compiler.set_stance("force_eager")
    started = time.monotonic()
    make_loader = loader_factory(import_loader(args.checkout, args.loader), args)
    notes: list[str] = []

    def recorded(inputs: Any) -> _Recorded:
        recorder = Recorder(args.level, "bfloat16", args.checkout, calls.reached)
        return _recorded(args, recorder, model, inputs, started)

    with packages(args), torch.no_grad():
        _seed()
        loader = make_loader()
        model = load_model(loader, torch.bfloat16)
        if isinstance(model, torch.nn.Module):
            model.eval()
        sizes = {"batch_size": args.batch_size, "seq_len": args.seq_len}
        inputs = load_inputs(loader, torch.bfloat16, phase=args.phase, training=False, **sizes)
        recorder, error = recorded(inputs)
        if error is not None and (more := with_decoder_inputs(model, inputs)) is not None:
            again = recorded(more)
            if again.recorder.calls > recorder.calls:
                recorder, error = again
                notes.append(f"The loader gives no {_DECODER_IDS}: the model got the first token of {_IDS}.")
    failure, stopped = "", isinstance(error, TimeIsUp)
    if error is not None:
        if not recorder.calls:
            raise error
        failure = str(error) if isinstance(error, Crashed) else f"{type(error).__name__}: {error}".splitlines()[0]
        print(traceback_text(error), end="", flush=True)
        notes.append(f"The model did not end: these are its ops until {failure}")
    left_out = dict(recorder.left_out)
    # How far a model gets within its time depends on the machine, and is not part of what it calls.
    written = _write(args, recorder.cases(counted=not stopped), left_out, notes, counted=not stopped)
    return {"cases": written, "calls": recorder.calls, "left_out": left_out, "failure": failure}


class _Recorded(NamedTuple):
    recorder: Recorder
    error: BaseException | None
    """The error that ended the model, if any."""


def _recorded(args: argparse.Namespace, recorder: Recorder, model: Any, inputs: Any, started: float) -> _Recorded:
    """Run the model once. `started` is when its loading began."""
    from ttmatrix_payload.models.workload import call

    # The message names the whole limit, not the rest after loading, which differs each time.
    limit = f"{args.within or args.seconds:g} s"
    try:
        with time_limit(_seconds_left(args, time.monotonic() - started), limit), recorder.recording(model):
            call(model, inputs)
    except (Exception, TimeIsUp) as error:  # noqa: BLE001 - any failure of the model is to be shown
        return _Recorded(recorder, error)
    return _Recorded(recorder, None)


def with_decoder_inputs(model: Any, inputs: Any) -> Any:
    """The inputs of an encoder-decoder model, plus one start token per row; None if that is not what it lacks.

    Loaders of such models pass the source alone, and upstream's runner has nothing else to pass.
    """
    import torch

    if not isinstance(inputs, Mapping) or any(str(name).startswith("decoder_") for name in inputs):
        return None
    tokens = inputs.get(_IDS)
    parameters = inspect.signature(getattr(model, "forward", model)).parameters
    if _DECODER_IDS not in parameters or not isinstance(tokens, torch.Tensor) or tokens.dim() != 2:
        return None
    return {**inputs, _DECODER_IDS: tokens[:, :1].clone()}


def _seconds_left(args: argparse.Namespace, spent: float) -> float:
    """How long the model may run after loading has taken `spent` seconds; 0: no limit."""
    return max(_LEAST_SECONDS, args.within - spent) if args.within else float(args.seconds)


def _seed() -> None:
    """Make random values the same each time."""
    import torch

    random.seed(0)
    torch.manual_seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)


class TimeIsUp(BaseException):
    """The model used up its time. A BaseException, so that no `except Exception` of a model or recorder catches it."""


@contextmanager
def time_limit(seconds: float, limit: str) -> Iterator[None]:
    """Raise TimeIsUp, which says `limit`, in the main thread after `seconds`; 0: never."""

    def stop(*_: object) -> None:
        raise TimeIsUp(f"it was stopped after {limit}")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _write(
    args: argparse.Namespace, cases: Sequence[Any], left_out: dict[str, int], notes: Sequence[str], *, counted: bool
) -> int:
    """Write the cases that can be read back and count the others as left out; returns the number written.

    `notes` go to the top of the file. Without `counted` the file does not say how often something was left out.
    """
    from ttmatrix_payload.ops.cases import Manifest
    from ttmatrix_payload.ops.load import read_text
    from ttmatrix_payload.ops.reading import Defaults
    from ttmatrix_payload.ops.writing import NotWritable, case_lines, manifest_text

    name = args.loader if args.variant is None else f"{args.loader}-{args.variant}"
    defaults = Defaults(dtype="bfloat16")
    kept = []
    for case in cases:
        try:
            case_lines(case, defaults)
            kept.append(case)
        except NotWritable as error:
            _count(left_out, case.op, str(error))
    text = manifest_text(Manifest("", name, tuple(kept)), defaults)
    wrong = {problem.case: problem.message for problem in read_text(text, name).problems if not problem.warning}
    for case in kept:
        if case.name in wrong:
            _count(left_out, case.op, wrong[case.name])
    kept = [case for case in kept if case.name not in wrong]
    comments = [f"The ops of {name}, from one run forward on the CPU. Device cuda:0 is the device under test."]
    comments += notes
    comments += [f"Left out: {f'{count:,} x ' if counted else ''}{what}" for what, count in left_out.items()]
    args.output.write_text(manifest_text(Manifest("", name, tuple(kept)), defaults, comments), encoding="utf-8")
    return len(kept)


def _count(left_out: dict[str, int], op: str, reason: str) -> None:
    left_out[f"{op}: {reason}"] = left_out.get(f"{op}: {reason}", 0) + 1


def main(argv: Sequence[str], calls: Calls) -> int:
    """Extract, report the result, and return the exit code."""
    args = parse_arguments(argv)
    # The model must see the runner's world: none of our options, and our directory on the path only for our imports.
    sys.argv[1:] = []
    from ttmatrix_payload.models.network import HubLook

    look = HubLook()
    # Functions that torch would compile stay Python, so that their calls are seen.
    os.environ.setdefault("PYTORCH_JIT", "0")
    try:
        import torch
    except (ImportError, OSError) as error:
        import ttmatrix_payload.extract.line

        problem = {"problem": f"torch cannot be imported by {sys.executable}: {error}"}
        line = ttmatrix_payload.extract.line.result_line(problem, args.nonce) if args.nonce else problem
        return _report(line, 2, args)
    print(f"torch {torch.__version__} at {sys.executable}", flush=True)
    look.settle()
    # Import everything of ours before the loader: its import removes our directory from the path.
    import ttmatrix_payload.extract.line
    from ttmatrix_payload.models.facts import traceback_text
    from ttmatrix_payload.models.loader import Problem, missing_package
    from ttmatrix_payload.models.network import missing_download

    def report(result: dict[str, Any], code: int) -> int:
        line = ttmatrix_payload.extract.line
        return _report(line.result_line(result, args.nonce) if args.nonce else result, code, args)

    try:
        result = extract(args, calls)
        if args.into is not None:
            result |= ttmatrix_payload.extract.line.add_to(args.into, args.output)
        return report(result, 0)
    except (Problem, ttmatrix_payload.extract.line.NotAdded) as problem:
        return report({"problem": str(problem)}, 2)
    except (Exception, SystemExit, TimeIsUp) as error:  # noqa: BLE001 - any failure of the model is to be shown
        if lack := missing_package(error, args) or missing_download(error):
            return report({"problem": str(lack)}, 2)
        print(traceback_text(error), end="", flush=True)
        return report({"problem": f"the model failed: {type(error).__name__}: {error}"}, 1)


def _report(result: dict[str, Any], code: int, args: argparse.Namespace) -> int:
    sys.stdout.flush()
    # Write to the descriptor, since the model may have replaced sys.stdout.
    os.write(1, f"\nTTMATRIX-{'RESULT' if args.nonce else 'OPS'} {json.dumps(result)}\n".encode())
    return code


if __name__ == "__main__":
    start_with_same_addresses()
    sys.exit(run_until_crash(main, sys.argv[1:]))
