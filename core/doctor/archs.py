# SPDX-License-Identifier: Apache-2.0
"""Archs that upstream does not have, and overrides for archs on which no job selects the test."""

import difflib
from collections.abc import Iterator

from core.base.text import letters
from core.doctor.check import OVERRIDES, Check, Op, Written, digits, marked_archs, written
from core.domain.ids import TestId
from core.domain.model import Finding, Status
from core.matrix import Matrix, status_on, texts
from core.sources import DEFAULT_ARCHS


def _unknown_archs(matrix: Matrix) -> Iterator[Finding]:
    known = matrix.schema.archs
    for one in written(matrix):
        for arch in one.entry.overrides:
            if arch not in known:
                fix = _moved_override(one, arch, known)
                yield one.finding(UNKNOWN_ARCH.kind, _message(arch, known), (OVERRIDES, arch), fix)
        for at, value in one.fields():
            if at[-1] != "supported_archs":
                continue
            listed = texts(value)
            for index, arch in enumerate(listed):
                if arch and arch not in known:
                    better = list(dict.fromkeys(_nearest(item, known) or item for item in listed))
                    fix = (one.set(at, better),) if _nearest(arch, known) else ()
                    yield one.finding(UNKNOWN_ARCH.kind, _message(arch, known), (*at, str(index)), fix)


def _message(arch: str, known: tuple[str, ...]) -> str:
    near = _nearest(arch, known)
    hint = f"did you mean {near}?" if near else f"archs are {', '.join(known)}"
    return f"There is no arch {arch!r}; {hint}"


def _nearest(arch: str, known: tuple[str, ...]) -> str:
    """The known arch that `arch` means: one of the same letters and digits, else the one spelled most alike.

    Archs differ by their numbers, so a name with another number means another arch.
    """
    if arch in known:
        return arch
    same = [one for one in known if letters(one) == letters(arch)]
    alike = difflib.get_close_matches(arch.lower(), known, 1, 0.8)
    return (same or [one for one in alike if digits(one) == digits(arch)] or [""])[0]


def _moved_override(one: Written, arch: str, known: tuple[str, ...]) -> tuple[Op, ...]:
    """Move the override to the intended arch, if the test is marked for that arch and has no override for it yet."""
    near = _nearest(arch, known)
    fields = one.entry.overrides[arch]
    if not near or near in one.entry.overrides or near not in marked_archs(one.entry, known):
        return ()
    if any(value is None or isinstance(value, dict) for value in fields.values()):
        return ()
    sets = tuple(one.set((OVERRIDES, near, name), value) for name, value in fields.items())
    return (*sets, one.unset((OVERRIDES, arch)))


def _dead_overrides(matrix: Matrix) -> Iterator[Finding]:
    known = matrix.schema.archs
    for one in written(matrix):
        overrides = one.entry.overrides
        marked = marked_archs(one.entry, known)
        dead = [arch for arch in overrides if arch in known and arch not in marked]
        # Some cell must keep a status without these overrides: else supported_archs is wrong, not they.
        spare = "status" in one.entry.fields or any("status" in overrides.get(arch, {}) for arch in marked)
        for arch in dead:
            at = (OVERRIDES, arch)
            message = f"The test is marked for {', '.join(marked)} only, so no job selects it on {arch} by its marker"
            yield one.finding(DEAD_OVERRIDE.kind, message, at, (one.unset(at),) if spare else ())


def _unlisted_archs(matrix: Matrix) -> Iterator[Finding]:
    """Entries of tests for several chips that are marked for single-chip machines, because nobody listed archs."""
    for one in written(matrix):
        parsed = TestId.parse(one.entry.id)
        several = parsed is not None and parsed.parallelism.endswith(_SEVERAL_CHIPS)
        if not several or any("supported_archs" in fields for _, fields in one.mappings()):
            continue
        runs = [arch for arch in DEFAULT_ARCHS if status_on(one.entry, arch) is not Status.EXCLUDE_MODEL]
        if runs:
            message = (
                f"Marked for {' and '.join(runs)}, which have one chip each: write its machines in supported_archs"
            )
            yield one.finding(DEFAULT_ARCH.kind, message)


_SEVERAL_CHIPS = ("data_parallel", "tensor_parallel")

DEFAULT_ARCH = Check(
    "default-arch", "a test for several chips without supported_archs: it runs on machines of one", _unlisted_archs
)
UNKNOWN_ARCH = Check(
    "unknown-arch", "an arch that no machine has, in arch_overrides or supported_archs", _unknown_archs
)
DEAD_OVERRIDE = Check("dead-override", "an override for an arch that the test is not marked for", _dead_overrides)
