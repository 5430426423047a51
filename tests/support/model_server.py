# SPDX-License-Identifier: Apache-2.0
"""In the models' interpreter: execute loaders, each in a fork of a process that has torch loaded.

Reads lines of JSON, {checkout, loader, variants, backend, settings, seconds, environ}, writes for each a line {variant: outcome}
where an outcome is {"pcc", "passed", "floored", "seconds", "device", "stages", "text"}, {"skip"} or {"error"}.
`variants` is a list, or the number of those to take. Nothing is downloaded.
"""

import argparse
import contextlib
import importlib
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

from ttmatrix_payload.execute import (
    Settings,
    choose_backend,
    execute,
    skip_reason,
)
from ttmatrix_payload.models.loader import import_loader, loader_factory

for slow in ("torch.fx.experimental.symbolic_shapes", "torch_xla.core.xla_model"):
    with contextlib.suppress(ImportError):
        importlib.import_module(slow)  # Else every fork does.

_NO_VARIANT = "-"


def variants(job: dict[str, Any]) -> list[str | None]:
    """The variants of the loader; importing it may need what is not there."""
    wanted = job["variants"]
    if isinstance(wanted, list):
        return wanted
    module = import_loader(Path(job["checkout"]), job["loader"])
    names = [str(getattr(key, "value", key)) for key in module.ModelLoader.query_available_variants()]
    return [*names[:wanted]] or [None]


def run(job: dict[str, Any], variant: str | None) -> dict[str, Any]:
    """Execute one variant."""
    os.environ.update(job.get("environ", {}))
    asked = {**job["settings"]}
    for name, make in {"mesh": tuple, "serialize_to": Path}.items():
        if name in asked:
            asked[name] = make(asked[name])
    settings = Settings(**asked)
    namespace = argparse.Namespace(loader=job["loader"], variant=variant, class_name=None, phase=settings.phase)
    loader = loader_factory(import_loader(Path(job["checkout"]), job["loader"]), namespace)()
    backend = choose_backend(job["backend"])
    if reason := skip_reason(settings, backend):
        return {"skip": reason}
    stages: list[str] = []
    begin = time.perf_counter()
    done = execute(loader, settings, backend, stages.append)
    return {
        "pcc": [one.pcc for one in done.comparisons],
        "passed": all(one.passed for one in done.comparisons),
        "floored": list(done.comparisons[0].floored),
        "seconds": round(time.perf_counter() - begin, 2),
        "device": done.device,
        "stages": stages,
        "samples": len(done.samples),
        "text": done.comparisons[0].error_message,
    }


def forked(job: dict[str, Any], work: Any) -> Any:
    """What `work` returns, or {"error"}, from a child that has no more than the job's seconds."""
    read, write = os.pipe()
    if (pid := os.fork()) == 0:
        signal.alarm(job["seconds"])
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                answer = work()
            except BaseException as error:  # noqa: BLE001 - any failure of a model is an answer
                where = traceback.extract_tb(error.__traceback__)[-1]
                text = str(error).strip().partition("\n")[0]
                answer = {"error": f"{type(error).__name__}: {text}", "where": f"{where.filename}:{where.lineno}"}
        os.write(write, json.dumps(answer).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
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
