# SPDX-License-Identifier: Apache-2.0
"""In the models' interpreter: execute loaders, each in a fork of a process that has torch loaded.

Reads lines of JSON, {checkout, loader, mode, backend, all, seconds}, writes for each a line {variant: outcome} where an
outcome is {"pcc", "floored", "seconds", "device"} or {"error"}. Nothing is downloaded.
"""

import argparse
import contextlib
import io
import json
import os
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "core/payload"))
os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", http_proxy="http://127.0.0.1:9")
os.environ.update(https_proxy="http://127.0.0.1:9", HTTPS_PROXY="http://127.0.0.1:9", no_proxy="")

import torch.fx.experimental.symbolic_shapes  # noqa: F401 - else every fork imports it, as the next

with contextlib.suppress(ImportError):
    import torch_xla.core.xla_model  # noqa: F401
import ttmatrix_execute
from ttmatrix_loader import import_loader, loader_factory

_NO_VARIANT = "-"


def variants(job: dict[str, Any]) -> list[str | None]:
    """The variants of the loader; importing it may need what is not there."""
    module = import_loader(Path(job["checkout"]), job["loader"])
    names = [str(getattr(key, "value", key)) for key in module.ModelLoader.query_available_variants()]
    return (list(names) if job["all"] else list(names[:1])) or [None]


def run(job: dict[str, Any], variant: str | None) -> dict[str, Any]:
    """Execute one variant."""
    asked = {"loader": job["loader"], "variant": variant, "class_name": None, "phase": "default"}
    namespace = argparse.Namespace(**asked)
    loader = loader_factory(import_loader(Path(job["checkout"]), job["loader"]), namespace)()
    settings = ttmatrix_execute.Settings(mode=job["mode"], measure=False)
    begin = time.perf_counter()
    done = ttmatrix_execute.execute(loader, settings, ttmatrix_execute.choose_backend(job["backend"]), lambda _: None)
    first = done.comparisons[0]
    return {
        "pcc": min(one.pcc for one in done.comparisons if one.pcc is not None),
        "floored": list(first.floored),
        "seconds": round(time.perf_counter() - begin, 2),
        "device": done.device,
        "text": first.error_message,
    }


def forked(job: dict[str, Any], work: Any) -> Any:
    """What `work` returns, or {"error"}, from a child that has no more than the job's seconds."""
    read, write = os.pipe()
    if (pid := os.fork()) == 0:
        signal.alarm(job["seconds"])
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                answer = work()
            except BaseException as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                text = str(error).strip().partition("\n")[0]
                answer = {"error": f"{type(error).__name__}: {text}", "where": f"{where.filename}:{where.lineno}"}
        os.write(write, json.dumps(answer).encode())
        os._exit(0)
    os.close(write)
    with open(read, "rb") as pipe:
        text = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if not text:
        return {"error": f"no end within {job['seconds']} s" if status == -signal.SIGALRM else f"died: {status}"}
    return json.loads(text)


def main() -> None:
    """Answer until there are no more lines."""
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        job = json.loads(line)
        names = forked(job, lambda job=job: variants(job))
        answer = {_NO_VARIANT: names} if isinstance(names, dict) else {}
        for name in names if isinstance(names, list) else ():
            answer[name or _NO_VARIANT] = forked(job, lambda job=job, name=name: run(job, name))
        print(json.dumps(answer), file=sys.__stdout__, flush=True)


if __name__ == "__main__":
    main()
