# SPDX-License-Identifier: Apache-2.0
"""A morning: nights that agree with their entries, and one after which much of what can happen has happened."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.domain.model import BringupStatus, Status
from core.evidence import Ending, Observation
from core.sources import Checkout
from tests.support.evidence import observed
from tests.support.git import committed_checkout
from tests.support.reports import keep
from tests.support.tree import INFERENCE, loader_source, write_checkout


class Fate(StrEnum):
    """What happens to a test in the last night."""

    BREAKS = "breaks"
    ON_ONE_HOST = "host"
    BEGINS = "begins"
    VANISHES = "vanishes"
    NEW_PASS = "newpass"
    NEAR = "near"
    NEW_FAIL = "newfail"
    LOWER = "lower"
    HIGHER = "higher"
    AGREES = "agrees"


COUNTS: Mapping[Fate, int] = {
    Fate.BREAKS: 40,
    Fate.ON_ONE_HOST: 8,
    Fate.BEGINS: 20,
    Fate.VANISHES: 3,
    Fate.NEW_PASS: 60,
    Fate.NEAR: 20,
    Fate.NEW_FAIL: 10,
    Fate.LOWER: 6,
    Fate.HIGHER: 5,
    Fate.AGREES: 50,
}
NEW = (Fate.NEW_PASS, Fate.NEAR, Fate.NEW_FAIL)
"""Tests that have no entry."""
NIGHTS = 6
ARCHS = ("n150", "p150")
BAD_HOST = "f10cs10"
OOM = "Out of Memory: Not enough space to allocate {} B DRAM buffer across 12 banks"
NO_KERNEL = "failed to legalize operation 'ttir.sort' that was explicitly marked illegal"
_MARKS = {
    "passing": "expected_passing",
    "xfail": "(known_failure_xfail or not_supported_skip)",
    "experimental": "unspecified",
}


def names(counts: Mapping[Fate, int] = COUNTS) -> Mapping[Fate, Sequence[str]]:
    """The ids of the tests by what happens to them."""
    return {
        fate: [f"{fate}{number // 10:02}/pytorch-v{number % 10}-single_device-inference" for number in range(count)]
        for fate, count in counts.items()
    }


def morning_checkout(root: Path, counts: Mapping[Fate, int] = COUNTS) -> Checkout:
    """A committed checkout with the jobs of CI, and the results of its nights."""
    ids = names(counts)
    yaml = "test_config:\n" + "".join(_entry(id, fate) for fate, some in ids.items() if fate not in NEW for id in some)
    variants: dict[str, list[str]] = {}
    for id in (id for some in ids.values() for id in some):
        loader, variant, *_ = id.split("-")
        variants.setdefault(loader, []).append(variant)
    loaders = {loader: loader_source(some) for loader, some in variants.items()}
    checkout = write_checkout(root, loaders, {INFERENCE: yaml})
    checkout.presets.mkdir(parents=True)
    for kind in _MARKS:
        for schedule in ("nightly", "weekly"):
            name = f"model-test-{kind}{'-weekly' if schedule == 'weekly' else ''}.json"
            jobs = [_job(arch, mark_of(arch, kind, schedule)) for arch in ARCHS]
            (checkout.presets / name).write_text(json.dumps(jobs))
    committed_checkout(checkout)
    keep(checkout, list(results(ids)))
    return checkout


def mark_of(arch: str, kind: str, schedule: str) -> str:
    """The marker expression of a job."""
    return f"{arch} and inference and {_MARKS[kind]}" + ("" if kind == "experimental" else f" and {schedule}")


def _job(arch: str, mark: str) -> Mapping[str, object]:
    test = "./tests/runner/test_models.py"
    return {"runs-on": arch, "name": "run", "dir": test, "test-mark": mark, "forge-models": True}


def _entry(id: str, fate: Fate) -> str:
    fails = '    bringup_status: FAILED_RUNTIME\n    reason: "DRAM OOM"\n' if fate is Fate.BEGINS else ""
    status = "KNOWN_FAILURE_XFAIL" if fails else "EXPECTED_PASSING"
    gate = "    required_pcc: 0.95\n" if fate is Fate.HIGHER else ""
    return f"  {id}:\n    status: {status}\n{fails}{gate}    markers: [nightly]\n"


def results(ids: Mapping[Fate, Iterable[str]]) -> Iterator[Observation]:
    """Every result of all nights, by what happens to tests in the last one."""
    for night in range(1, NIGHTS + 1):
        for arch in ARCHS:
            for fate, some in ids.items():
                for number, id in enumerate(some):
                    last = night == NIGHTS
                    if not (last if fate in NEW else not (last and fate is Fate.VANISHES)):
                        continue
                    kind = "experimental" if fate in NEW else "xfail" if fate is Fate.BEGINS else "passing"
                    job = f"{arch}-{mark_of(arch, kind, 'nightly').replace(' ', '_')}"
                    bad = last and fate is Fate.ON_ONE_HOST and arch == "n150"
                    host = BAD_HOST if bad else f"f10cs0{(number + night) % 3 + 1}"
                    place: dict[str, Any] = {
                        "run": f"nightly-{night}",
                        "when": (20_000 + night) * 86400.0 + number,
                        "host": host,
                    }
                    yield observed(
                        **(place | {"test_id": id, "arch": arch, "job": job} | _end(fate, last, bad, number))
                    )


def _end(fate: Fate, last: bool, bad: bool, number: int) -> dict[str, Any]:
    failed = {"ending": Ending.FAILED, "stage": BringupStatus.FAILED_RUNTIME}
    expected = {"expected": Status.UNSPECIFIED if fate in NEW else Status.EXPECTED_PASSING}
    passed = expected | {"ending": Ending.PASSED, "stage": BringupStatus.PASSED, "pcc": 0.9955}
    match fate:
        case Fate.BREAKS if last:
            return expected | failed | {"reason": OOM.format((number + 1) * 1_048_576)}
        case Fate.ON_ONE_HOST if bad:
            return expected | failed | {"reason": "TT_FATAL: no firmware on the device"}
        case Fate.NEW_FAIL:
            return expected | failed | {"reason": NO_KERNEL, "stage": BringupStatus.FAILED_TTMLIR_COMPILATION}
        case Fate.NEAR:
            return _low(expected, 0.975)
        case Fate.LOWER if last:
            return _low(expected, 0.985)
        case Fate.BEGINS:
            xfail = {"expected": Status.KNOWN_FAILURE_XFAIL}
            return (passed if last else failed | {"reason": OOM.format(1_048_576)}) | xfail
    return passed


def _low(expected: dict[str, Any], pcc: float) -> dict[str, Any]:
    low = {"ending": Ending.INACCURATE, "stage": BringupStatus.INCORRECT_RESULT}
    return expected | low | {"pcc": pcc, "pcc_required": 0.99, "pcc_checked": True}
