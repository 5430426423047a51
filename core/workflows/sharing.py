# SPDX-License-Identifier: Apache-2.0
"""Run CPU repros of several variants of one loader in one interpreter, then split the result into one run each.

Slow imports happen once; then each variant gets a forked process of its own. The shared run
is that of the last variant; its log starts with the logs of the others, each up to its result line.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from core.files import read_bytes, read_loosely
from core.proc import own_identity
from core.runs import RESULT_PREFIX, RUN_VARIABLE, RunSpec, judge, parse_result
from core.runs.store import PROVENANCE, Finished, RunRecord, RunStore, Started

_ALSO, _VARIANT, _NONCE = "--also=", "--variant=", "--nonce="


@dataclass(frozen=True, slots=True)
class Guest:
    """A variant that runs in the interpreter of another one's run."""

    run_id: str
    """Id of the run that it becomes afterwards."""
    nonce: str
    variant: str


def shared(specs: Sequence[RunSpec], slots: int) -> list[RunSpec]:
    """The runs to start for `specs`: per loader at most as many as keep `slots` busy, the others as their guests."""
    by_loader = [list(group) for _, group in groupby(sorted(specs, key=_alike), key=_alike)]
    lanes = max(1, slots // max(1, len(by_loader)))
    found = [
        _hosting(group[lane::lanes])
        for group in by_loader
        for lane in range(min(lanes, len(group)))
        if group[lane::lanes]
    ]
    order = [spec.run_id for spec in specs]
    return sorted(found, key=lambda spec: order.index(spec.run_id))


def guests(spec: RunSpec) -> list[Guest]:
    """The guests of a run, in the order in which they run; the host comes last."""
    words = [word.removeprefix(_ALSO).split("=", 2) for word in spec.argv if word.startswith(_ALSO)]
    return [Guest(*word) for word in words if len(word) == 3]


def unpack(store: RunStore, host: RunRecord, spec_of: Callable[[Guest], RunSpec | None]) -> None:
    """Create a run for each guest of the ended run `host` that produced a result; skips those created already.

    `spec_of` returns the plan of the run that the guest would have been alone; None: it is not wanted.
    """
    if host.active:
        return
    try:
        text = read_bytes(host.log, None).decode("utf-8", "replace")
    except OSError:
        return
    for guest in guests(host.spec):
        section, text = _section(text, guest.nonce)
        result = parse_result(section, guest.nonce)
        spec = spec_of(guest) if result is not None and not store.directory(guest.run_id).exists() else None
        if result is None or spec is None:
            continue
        spec = _as_guest(spec, guest, host.spec)
        store.create(spec, _provenance(host.directory), log=section, events=_life(host, spec, result))


def _provenance(directory: Path) -> str:
    """The recorded provenance of checkout and interpreter; empty: none."""
    try:
        return read_loosely(directory / PROVENANCE)
    except OSError:
        return ""


def _life(host: RunRecord, spec: RunSpec, result: Mapping[str, Any]) -> tuple[Started, Finished]:
    phases = result.get("phases") or [{}]
    code = 2 if result.get("problem") else 0 if phases[0].get("ok") else 1
    seconds = sum(float(phase.get("seconds") or 0.0) for phase in phases)
    outcome = judge(code, result)
    return (
        Started(host.started or time.time(), own_identity(), spec.argv, host.tree),
        Finished(time.time(), outcome, seconds, exit_code=code, result=result, edited=host.edited),
    )


def is_host_without_result(record: RunRecord) -> bool:
    """Whether a run with guests ended without a result of its own: one of the guests may have ended it."""
    return bool(guests(record.spec)) and record.result is None


def _alike(spec: RunSpec) -> tuple[str, ...]:
    """What runs must have in common to share an interpreter: everything except the variant."""
    return tuple(word for word in spec.argv if not word.startswith((_VARIANT, _NONCE)))


def _hosting(group: Sequence[RunSpec]) -> RunSpec:
    """The last of `group`, with the others as its guests."""
    *others, host = group
    also = [f"{_ALSO}{one.run_id}={one.nonce}={_variant(one)}" for one in others]
    return replace(host, argv=(*host.argv, *also), timeout=host.timeout * len(group)) if also else host


def _variant(spec: RunSpec) -> str:
    return next((word.removeprefix(_VARIANT) for word in spec.argv if word.startswith(_VARIANT)), "")


def _as_guest(spec: RunSpec, guest: Guest, host: RunSpec) -> RunSpec:
    argv = [f"{_NONCE}{guest.nonce}" if word.startswith(_NONCE) else word for word in spec.argv]
    env = {**spec.env, RUN_VARIABLE: guest.run_id}
    named = {"run_id": guest.run_id, "nonce": guest.nonce, "batch": host.batch, "created": host.created}
    return replace(spec, argv=tuple(argv), env=env, **named)  # type: ignore[arg-type]


def _section(text: str, nonce: str) -> tuple[str, str]:
    """The part of a log up to the result line with `nonce`, and the rest; an empty part if there is no such line."""
    at = 0
    for line in text.splitlines(keepends=True):
        at += len(line)
        if line.startswith(RESULT_PREFIX) and parse_result(line, nonce) is not None:
            return text[:at], text[at:]
    return "", text
