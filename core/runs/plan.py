# SPDX-License-Identifier: Apache-2.0
"""Plan runs: from a test id and the settings to the exact command, and nothing is started."""

import math
import os
import secrets
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

from core.errors import TTMatrixError, UsageError
from core.matrix.effective import resolve
from core.matrix.index import NO_ARCH, Matrix
from core.model import Framework, TestId
from core.runs.spec import RUN_VARIABLE, RunSpec, run_id
from core.settings import Settings
from core.sources.checkout import Checkout

CPU_PAYLOAD = Path(__file__).parents[1] / "payload" / "cpu_repro.py"

_CHECKOUT_INTERPRETERS = ("venv/bin/python", ".venv/bin/python")
_NO_SEQ_LEN = 1


def plan_cpu(
    checkout: Checkout,
    test_id: str,
    settings: Settings,
    *,
    now: datetime,
    token: str,
    arch: str | None = None,
    timeout: float | None = None,
    batch_size: int | None = None,
) -> RunSpec:
    """A run of `test_id` in plain PyTorch, in bfloat16 and in float32.

    `token` is at least 16 random hex digits. `timeout` is in seconds and defaults to the settings'.
    `batch_size` is what the entry's YAML sets, if anything; an LLM id brings its own.
    Raises UsageError where the id cannot run on CPU, TTMatrixError where the interpreter is missing.
    """
    parsed = _torch_id(test_id)
    if not (checkout.models / parsed.directory / "loader.py").is_file():
        raise UsageError(f"No loader for {test_id}", f"{checkout.models / parsed.directory} has no loader.py.")
    limit = settings.cpu_timeout if timeout is None else timeout
    if not 0 <= limit < math.inf:
        raise UsageError(f"Not a time limit: {limit}", hint="Give seconds, or 0 for no limit.")
    return RunSpec(
        run_id=run_id(now, token),
        test_id=test_id,
        function=parsed.function,
        kind="cpu",
        arch=arch,
        argv=(
            str(find_interpreter(checkout.root, settings)),
            str(CPU_PAYLOAD),
            *_payload_arguments(checkout, parsed, token, batch_size),
        ),
        # The rest of the environment, PYTHONPATH above all, is the user's own and stays as it is.
        env={"PYTHONUNBUFFERED": "1", RUN_VARIABLE: run_id(now, token)},
        cwd=checkout.root,
        timeout=limit,
        created=now.astimezone(UTC).isoformat(timespec="seconds"),
        nonce=token,
        slots="cpu",
        slot_count=max(1, settings.cpu_slots),
    )


def plan_test(
    matrix: Matrix, test_id: str, settings: Settings, *, arch: str = NO_ARCH, timeout: float | None = None
) -> RunSpec:
    """`plan_cpu` of a test of `matrix` now, with the batch size its entry sets. Raises as `plan_cpu` does."""
    batch_size = resolve(matrix.entries.get(test_id), "batch_size", arch or None).value
    return plan_cpu(
        matrix.checkout,
        test_id,
        settings,
        now=datetime.now(UTC),
        token=secrets.token_hex(16),
        arch=arch or None,
        timeout=timeout,
        batch_size=batch_size if isinstance(batch_size, int) else None,
    )


def find_interpreter(root: Path, settings: Settings) -> Path:
    """The Python that runs models: the settings' own, else the checkout's venv, else the one we run in.

    The setting is a path (relative to the checkout at `root`) or a command on PATH.
    Raises TTMatrixError where the settings name one that is not there.
    """
    if settings.python:
        return _set_interpreter(root, settings.python)
    for relative in _CHECKOUT_INTERPRETERS:
        if _executable(root / relative):
            return root / relative
    return Path(sys.executable)


def _set_interpreter(root: Path, name: str) -> Path:
    given = Path(name).expanduser()
    if given.name == name and (on_path := shutil.which(name)):
        return Path(on_path)
    if _executable(root / given):
        return root / given
    raise TTMatrixError(
        f"No Python interpreter at {root / given}",
        "The setting `python` names it.",
        "Correct the setting, or remove it to use the checkout's venv.",
    )


def _executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _torch_id(text: str) -> TestId:
    parsed = TestId.parse(text)
    if parsed is None:
        raise UsageError(
            f"{text} cannot run", "It does not follow the form of a test id.", "A placeholder has no loader."
        )
    if parsed.framework is not Framework.PYTORCH:
        raise UsageError(f"{text} cannot run on CPU", "CPU repros run PyTorch loaders; this one is JAX.")
    return parsed


def _payload_arguments(checkout: Checkout, test: TestId, token: str, batch_size: int | None) -> list[str]:
    # `--name=value` keeps a variant that starts with a dash from being taken for an option.
    arguments = [f"--checkout={checkout.root}", f"--loader={test.directory}", f"--mode={test.mode}"]
    if test.variant is not None:
        arguments.append(f"--variant={test.variant}")
    if test.llm is not None:
        arguments.append(f"--phase={test.llm.phase}")
        batch_size = test.llm.batch_size
        if test.llm.seq_len != _NO_SEQ_LEN:
            arguments.append(f"--seq-len={test.llm.seq_len}")
    if batch_size is not None:
        arguments.append(f"--batch-size={batch_size}")
    if test.parallelism != "single_device":
        arguments.append(f"--parallelism={test.parallelism}")
    return [*arguments, f"--nonce={token}"]
