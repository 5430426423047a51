# SPDX-License-Identifier: Apache-2.0
"""Export one loader's model: its graphs and programs on the CPU, or the code that Tenstorrent's plugin generates.

Needs Python 3.10, torch and the files beside it; for JAX models jax and flax, for generated code tt-xla's plugin.
An export succeeds if its files exist, are not empty and, if they are Python, compile. Exit code 0: success;
1: failure; 2: this environment cannot do it. The last line that starts with TTMATRIX-RESULT is one JSON object.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ttmatrix_payload.export.files import Exported
    from ttmatrix_payload.models.compile_options import CompileOptions

VERSION = 1
HERE = Path(__file__).resolve().parent
_MOST_NAMES = 20
"""Most file names in the result line; the directory has all files."""
_TRUE, _FALSE = "true", "false"
_PLUGINS = {"pytorch": ("torch_xla", "pjrt_plugin_tt", "tt_torch"), "jax": ("jax_plugin_tt", "tt_jax")}


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    """Parse the command line; argparse ends the process if it is invalid."""
    from ttmatrix_payload.export.files import GRAPHS, TARGETS
    from ttmatrix_payload.models.compile_options import add_options

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--checkout", type=lambda text: Path(text).resolve(), required=True, help="root of a tt-xla checkout")
    add("--loader", required=True, help="loader directory below the models root: llama/causal_lm/pytorch")
    add("--variant", help="value of the variant, as in the test id")
    add("--mode", choices=("inference", "training"), default="inference")
    add("--phase", choices=("default", "llm_decode", "llm_prefill"), default="default")
    add("--seq-len", type=int, help="tokens, for llm_prefill")
    add("--class", dest="class_name", help="loader class; default: the one the phase needs")
    add("--parallelism", default="single_device", help="as in the test id; said to be left out")
    add("--to", choices=TARGETS, default=GRAPHS, help="graphs and programs, or code of a language")
    add("--directory", type=Path, required=True, help="directory that gets the files; made")
    add("--export-path", type=Path, help="new or empty directory that gets a copy of them")
    add("--export-tensors", choices=(_TRUE, _FALSE), help="weights and inputs, too; default: with code only")
    add("--nonce", default="", help="repeated in the result line")
    add_options(add)
    return parser.parse_args(argv)


def export(args: argparse.Namespace) -> tuple[int, dict[str, Any]]:
    """Write and check the files; returns the exit code and the result line's contents. Raises Problem and NotFree."""
    from ttmatrix_payload.export.files import GRAPHS, check_free, deliver, exported, faults
    from ttmatrix_payload.models.compile_options import read
    from ttmatrix_payload.models.loader import Problem, import_loader, loader_factory
    from ttmatrix_payload.models.packages import packages

    jax = args.loader.endswith("/jax")
    options = read(lambda name: getattr(args, name.removeprefix("--").replace("-", "_")))
    if args.export_path is not None:
        check_free(args.export_path)
    if args.to != GRAPHS:
        _check_plugin(args, jax)
    tensors = args.to != GRAPHS if args.export_tensors is None else args.export_tensors == _TRUE
    args.directory.mkdir(parents=True, exist_ok=True)
    # Import these before a loader's import removes our directory from the path.
    framework = importlib.import_module(f"ttmatrix_payload.export.{'jax_models' if jax else 'pytorch'}")
    make_loader = loader_factory(import_loader(args.checkout, args.loader), args)
    with packages(args):
        model = framework.Model(make_loader(), args)
        if args.to == GRAPHS:
            failures, notes = _graphs(framework, model, args, tensors)
        else:
            failures, notes = _code(framework, model, args, tensors, options), []
    found = exported(args.directory)
    wrong = [*failures, *faults(found, args.to, tensors=tensors and not (jax and args.to == GRAPHS))]
    result = _described(found, [*wrong, *notes], failed=bool(wrong))
    if args.export_path is not None and not wrong:
        try:
            deliver(args.directory, args.export_path)
        except OSError as error:
            raise Problem("export", f"Nothing was copied to {args.export_path}: {error}") from error
        result["export_path"] = str(args.export_path)
    return (1 if wrong else 0), result


def _check_plugin(args: argparse.Namespace, jax: bool) -> None:
    from ttmatrix_payload.models.loader import Problem

    absent = [name for name in _PLUGINS["jax" if jax else "pytorch"] if importlib.util.find_spec(name) is None]
    if absent:
        have = "is" if len(absent) == 1 else "are"
        said = f"{args.to} needs Tenstorrent's plugin: {', '.join(absent)} {have} not installed for {sys.executable}."
        raise Problem("no-plugin", f"{said} Graphs and StableHLO need none: --kind export")


def _graphs(framework: Any, model: Any, args: argparse.Namespace, tensors: bool) -> tuple[list[str], list[str]]:
    """Export each part independently, so that one failure does not stop the others; returns failures and remarks."""
    from ttmatrix_payload.models.facts import traceback_text

    failures = []
    done = framework.parts(args.directory, tensors=tensors)
    for name, write in done.items():
        print(f"{name} ...", flush=True)
        try:
            write(model)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - any failure of the model is to be shown
            print(traceback_text(error), end="", flush=True)
            failures.append(f"{name}: {_one_line(error)}")
    lacks = not any("StableHLO" in name for name in done)
    return failures, [f"no StableHLO, {sys.executable} has no torch-xla"] if lacks else []


def _code(framework: Any, model: Any, args: argparse.Namespace, tensors: bool, options: CompileOptions) -> list[str]:
    from ttmatrix_payload.models.facts import traceback_text

    if options.torch:
        print(f"Ignored, as code is generated without torch.compile's options: {', '.join(options.torch)}", flush=True)
    try:
        framework.generate(model, args.to, args.directory, tensors=tensors, options=options)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - any failure of the compiler is to be shown
        print(traceback_text(error), end="", flush=True)
        return [_one_line(error)]
    return []


def _one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]


def _described(found: Exported, remarks: Sequence[str], *, failed: bool) -> dict[str, Any]:
    """The part of the result line about the files."""
    count = len(found.names)
    files = f"{count} {'file' if count == 1 else 'files'}, {found.size:,} bytes"
    if found.tensors:
        files += f", {found.tensors} of tensors besides"
    message = f"{'; '.join(remarks)} ({files})" if failed else "; ".join([files, *remarks])
    return {"message": message, "exported": list(found.names[:_MOST_NAMES])}


def main(argv: Sequence[str]) -> int:
    """Export, report the result, and return the exit code."""
    sys.path[:] = [str(HERE), *(entry for entry in sys.path if entry != str(HERE))]
    args = parse_arguments(argv)
    # The model must see the runner's world: none of our options.
    sys.argv[1:] = []
    from ttmatrix_payload.export.files import CPP, PYTHON, NotFree
    from ttmatrix_payload.models.network import HubLook

    look = HubLook()
    if args.loader.endswith("/jax"):
        from ttmatrix_payload.jax.devices import Pjrt

        Pjrt.prepare()
        if reason := Pjrt().missing():
            return _report(args, 2, _problem("no-jax", f"{sys.executable}: {reason}"))
    if args.to not in (PYTHON, CPP):
        os.environ.setdefault("PJRT_DEVICE", "CPU")
    try:
        import torch
    except (ImportError, OSError) as error:
        return _report(args, 2, _problem("no-torch", f"torch cannot be imported by {sys.executable}: {error}"))
    print(f"torch {torch.__version__} at {sys.executable}", flush=True)
    if args.parallelism != "single_device":
        print(f"{args.parallelism} is left out: the model is exported for one device.", flush=True)
    look.settle()
    from ttmatrix_payload.models.facts import traceback_text
    from ttmatrix_payload.models.loader import Problem, missing_package
    from ttmatrix_payload.models.network import missing_download

    try:
        return _report(args, *export(args))
    except NotFree as problem:
        return _report(args, 2, _problem("export-path", str(problem)))
    except Problem as problem:
        return _report(args, 2, _problem(problem.kind, str(problem)))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - any failure of the model is to be shown
        if lack := missing_package(error, args) or missing_download(error):
            return _report(args, 2, _problem(lack.kind, str(lack)))
        print(traceback_text(error), end="", flush=True)
        return _report(args, 1, {"message": f"the model failed: {_one_line(error)}"})


def _problem(kind: str, message: str) -> dict[str, Any]:
    return {"problem": {"kind": kind, "message": message}}


def _report(args: argparse.Namespace, code: int, result: dict[str, Any]) -> int:
    sys.stdout.flush()
    # Write to the descriptor, since the model may have replaced sys.stdout.
    os.write(1, f"\nTTMATRIX-RESULT {json.dumps({'version': VERSION, 'nonce': args.nonce, **result})}\n".encode())
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
