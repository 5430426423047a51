# SPDX-License-Identifier: Apache-2.0
"""Batches that run tests under several profiles, to compare them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from core.base.errors import UsageError
from core.base.settings import DEFAULT_PROFILE, Settings
from core.base.text import counted
from core.matrix import Matrix
from core.runs.planning.plan import as_batch, plan_test
from core.runs.planning.profiles import default_kind, find_profile, sweep
from core.runs.spec import RunSpec
from core.runs.store import RunRecord
from core.sources import Checkout

_MOST_RUNS = 500
_RANGE = ".."


def compared_profiles(names: Iterable[str], swept: str, checkout: Checkout, settings: Settings) -> list[str]:
    """The profiles that are compared, each with each value of `swept`: `NAME=1,2,3`, or `NAME=1..32` doubling.

    `default` means no profile, as everywhere. Raises UsageError for fewer than two, and for an unknown one.
    """
    found = with_sweep(names, swept)
    if len(found) < 2:
        raise UsageError("Name two or more different profiles", hint="For example: --profiles default,bfp8")
    for name in found:
        find_profile(checkout, settings, name)
    return found


def with_sweep(names: Iterable[str], swept: str) -> list[str]:
    """Each profile, without repetitions, with each value of `swept`, if any. Raises UsageError for an invalid sweep."""
    asked = list(names) or [DEFAULT_PROFILE]
    if swept:
        field, equals, values = swept.partition("=")
        if not (field and equals and values):
            raise UsageError(f"A sweep is NAME=1,2,3 or NAME=1..32, not {swept!r}")
        asked = sweep(asked, field, _values(values))
    return list(dict.fromkeys("" if name == DEFAULT_PROFILE else name for name in asked))


def plan_profiles(
    matrix: Matrix,
    ids: Sequence[str],
    settings: Settings,
    profiles: Sequence[str],
    *,
    repeat: int,
    runs: Path,
    kind: str = "",
    arch: str = "",
    until_failure: bool = False,
) -> list[RunSpec]:
    """Each test under each profile, `repeat` times in turn, so that changes of the machine affect all profiles alike.

    With `until_failure`, no further runs are started after a failure. Raises UsageError for no runs and for too many.
    """
    kind = kind or default_kind(matrix.checkout, settings, profiles)
    total = len(ids) * len(profiles) * repeat
    if not 0 < total <= _MOST_RUNS:
        raise UsageError(f"{counted(len(ids), 'test')} would be {total:,} runs, and 1 to {_MOST_RUNS} are compared")
    if until_failure:
        order = [(id, profile) for id in ids for profile in profiles for _ in range(repeat)]
    else:
        order = [(id, profile) for id in ids for _ in range(repeat) for profile in profiles]
    specs = [plan_test(matrix, id, settings, runs=runs, kind=kind, arch=arch, profile=name) for id, name in order]
    return as_batch(specs, stop_on_failure=until_failure)


def newest_comparison(records: Iterable[RunRecord]) -> str:
    """The newest batch with runs of several profiles, from records newest first; empty: there is none."""
    seen: dict[str, str] = {}
    for record in records:
        batch = record.spec.batch
        if batch and seen.setdefault(batch, record.spec.profile) != record.spec.profile:
            return batch
    return ""


def profiles_of(records: Iterable[RunRecord]) -> list[str]:
    """The profiles of the runs of a batch, in the order of the request."""
    return list(dict.fromkeys(one.spec.profile for one in sorted(records, key=lambda one: one.spec.created)))


def _values(text: str) -> list[str]:
    first, dots, last = text.partition(_RANGE)
    if not dots:
        return [one for one in text.split(",") if one]
    if not (first.isdecimal() and last.isdecimal() and 0 < int(first) < int(last)):
        raise UsageError(f"A range is two whole numbers, the smaller one first, not {text!r}")
    values, value = [], int(first)
    while value <= int(last):
        values.append(str(value))
        value *= 2
    return values
