# SPDX-License-Identifier: Apache-2.0
"""Plan runs: from a test id and the settings to the exact command, and nothing is started."""

import math
import os
import secrets
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from core.errors import TTMatrixError, UsageError
from core.ids import TestId
from core.matrix import NO_ARCH, Matrix, resolve
from core.runs.planning.kinds import Request, RunKind, kind_for
from core.runs.spec import RUN_VARIABLE, RunSpec, entry_digest, run_id
from core.settings import Profile, Settings
from core.sources import Checkout, same_place

_CHECKOUT_INTERPRETERS = ("venv/bin/python", ".venv/bin/python")
_ARTEFACTS = "{artefacts}"
_GIB = 2**30


def plan_run(
    checkout: Checkout,
    test_id: str,
    settings: Settings,
    *,
    kind: str,
    runs: Path,
    now: datetime,
    token: str,
    arch: str | None = None,
    timeout: float | None = None,
    batch_size: int | None = None,
    profile: str = "",
) -> RunSpec:
    """A run of `test_id` by a kind of `core.runs.planning.kinds`, whose files go below `runs`.

    `token` is at least 16 random hex digits. `timeout` is in seconds and defaults to the profile's, then to the
    settings'. `batch_size` is what the entry's YAML sets, if anything; an LLM id brings its own. Raises UsageError
    where the kind cannot run the id or there is no such profile, TTMatrixError where the interpreter is missing.
    """
    how = kind_for(kind, checkout, settings)
    parsed = _parsed(test_id)
    if not (checkout.models / parsed.directory / "loader.py").is_file():
        raise UsageError(f"No loader for {test_id}", f"{checkout.models / parsed.directory} has no loader.py.")
    chosen = _profile(settings, profile)
    name = run_id(now, token)
    python = find_interpreter(checkout.root, settings)
    request = Request(checkout, parsed, python, token, runs.absolute() / name, arch, batch_size)
    artefacts = str(request.artefacts)
    environment = {key: value.replace(_ARTEFACTS, artefacts) for key, value in chosen.environment.items()}
    return RunSpec(
        run_id=name,
        test_id=test_id,
        function=parsed.function,
        kind=kind,
        arch=arch,
        argv=(*how.command(request), *(word.replace(_ARTEFACTS, artefacts) for word in chosen.arguments)),
        # The rest of the environment, PYTHONPATH above all, is the user's own and stays as it is.
        env={"PYTHONUNBUFFERED": "1", RUN_VARIABLE: name, **how.environment, **environment},
        cwd=checkout.root,
        timeout=_limit(how, settings, chosen, timeout),
        created=now.astimezone(UTC).isoformat(),
        nonce=token,
        slots=kind,
        slot_count=how.slot_count(settings),
        report=how.report,
        devices=how.devices({**os.environ, **environment}),
        memory=how.memory(settings),
        hang_timeout=settings.hang_timeout,
        profile=profile,
        log_limit=int(max(0.0, settings.log_gib) * _GIB),
    )


def plan_test(
    matrix: Matrix,
    test_id: str,
    settings: Settings,
    *,
    runs: Path,
    kind: str = "cpu",
    arch: str = NO_ARCH,
    timeout: float | None = None,
    profile: str = "",
) -> RunSpec:
    """`plan_run` of a test of `matrix` now, with the batch size its entry sets. Raises as `plan_run` does."""
    entry = matrix.entries.get(test_id)
    batch_size = resolve(entry, "batch_size", arch or None).value
    spec = plan_run(
        matrix.checkout,
        test_id,
        settings,
        kind=kind,
        runs=runs,
        now=datetime.now(UTC),
        token=secrets.token_hex(16),
        arch=arch or None,
        timeout=timeout,
        batch_size=batch_size if isinstance(batch_size, int) else None,
        profile=profile,
    )
    return replace(spec, entry=entry_digest(entry))


def plan_again(spec: RunSpec, runs: Path, matrix: Matrix) -> RunSpec:
    """The same command once more, under a name of its own. Raises UsageError for a run of another checkout."""
    if not same_place(spec.cwd, matrix.checkout.root):
        raise UsageError(
            f"Run {spec.run_id} belongs to another checkout",
            f"It ran in {spec.cwd}; this is {matrix.checkout.root}.",
            f"ttmatrix --repo {shlex.quote(str(spec.cwd))} rerun {spec.run_id}",
        )
    now, token = datetime.now(UTC), secrets.token_hex(16)
    name = run_id(now, token)

    def renewed(text: str) -> str:
        # Both are unmistakable: a path with the time and random digits, and 32 random digits.
        return text.replace(spec.run_id, name).replace(spec.nonce, token)

    return replace(
        spec,
        run_id=name,
        argv=tuple(map(renewed, spec.argv)),
        env={key: renewed(value) for key, value in spec.env.items()},
        created=now.isoformat(),
        nonce=token,
        batch="",
        parent=spec.batch,
        entry=entry_digest(matrix.entries.get(spec.test_id)),
    )


def as_batch(specs: Sequence[RunSpec], *, stop_on_failure: bool = False) -> list[RunSpec]:
    """`specs` with a batch in common, named after the first of them."""
    name = specs[0].run_id if specs else ""
    return [replace(spec, batch=name, stop_on_failure=stop_on_failure) for spec in specs]


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


def _parsed(text: str) -> TestId:
    parsed = TestId.parse(text)
    if parsed is None:
        raise UsageError(
            f"{text} cannot run", "It does not follow the form of a test id.", "A placeholder has no loader."
        )
    return parsed


def _profile(settings: Settings, name: str) -> Profile:
    if not name:
        return Profile()
    if name not in settings.profiles:
        known = ", ".join(sorted(settings.profiles)) or "none"
        raise UsageError(f"No profile {name!r}", f"Profiles in the settings: {known}.", "Write [profiles.NAME] there.")
    return settings.profiles[name]


def _limit(kind: RunKind, settings: Settings, profile: Profile, timeout: float | None) -> float:
    given = (timeout, profile.timeout, kind.timeout(settings))
    limit = next(one for one in given if one is not None)
    if not 0 <= limit < math.inf:
        raise UsageError(f"Not a time limit: {limit}", hint="Give seconds, or 0 for no limit.")
    return limit
