# SPDX-License-Identifier: Apache-2.0
"""Values written out although they are the default, a PCC threshold that never counts, and no status at all."""

from collections.abc import Iterator

from core.doctor.check import OVERRIDES, Check, Op, Path, Written, marked_archs, shown, written
from core.domain.model import Finding
from core.matrix import DEFAULTS, RULES, SWITCHES, Matrix, resolve

_PLAIN = {name: value for name, value in DEFAULTS.items() if name not in (*SWITCHES, "status")}


def is_default(field: str, value: object) -> bool:
    """Whether writing `value` means the same as leaving out `field`. A written status never counts as a default."""
    return field in _PLAIN and type(value) is type(_PLAIN[field]) and value == _PLAIN[field]


def says_nothing(one: Written, at: Path, value: object) -> bool:
    """Whether writing `value` at `at` means the same as writing nothing there."""
    name, base = at[-1], one.entry.fields
    return base[name] == value if len(at) > 1 and name in base else is_default(name, value)


def _written_out(matrix: Matrix) -> Iterator[Finding]:
    """Only fields of the entry itself: an override may restore a default."""
    for one in written(matrix):
        for name, value in one.entry.fields.items():
            if is_default(name, value):
                message = f"{name} is {shown(value)} by default"
                yield one.finding(REDUNDANT_DEFAULT.kind, message, (name,), (one.unset((name,)),))


def _pcc_conflicts(matrix: Matrix) -> Iterator[Finding]:
    for one in written(matrix):
        marked = marked_archs(one.entry, matrix.schema.archs)
        for above, fields in one.mappings():
            if fields.get("required_pcc") is None:
                continue
            counting = [arch for arch in marked if above in ((), (OVERRIDES, arch)) and _takes_pcc(one, arch, above)]
            if counting and not any(_asserts_pcc(one, arch) for arch in counting):
                at = (*above, "required_pcc")
                where = f" on {', '.join(counting)}" if above else ""
                message = f"required_pcc has no effect: assert_pcc is false{where}"
                yield one.finding(PCC_CONFLICT.kind, message, at, (one.unset(at),))


def _takes_pcc(one: Written, arch: str, above: tuple[str, ...]) -> bool:
    """Whether `arch` gets its threshold from the mapping at `above`."""
    return bool(above) or "required_pcc" not in one.entry.overrides.get(arch, {})


def _asserts_pcc(one: Written, arch: str) -> bool:
    """Only the literal false turns PCC off."""
    return resolve(one.entry, "assert_pcc", arch).value is not False


def _no_status(matrix: Matrix) -> Iterator[Finding]:
    malformed = {(found.file, found.line) for found in matrix.findings if found.id}
    for one in written(matrix):
        silent = not any("status" in fields for _, fields in one.mappings())
        if silent and (one.path, one.entry.line) not in malformed:
            yield one.finding(NO_STATUS.kind, "Neither the entry nor an override gives a status: UNSPECIFIED")


REDUNDANT_DEFAULT = Check("redundant-default", "a default value written out", _written_out)
PCC_CONFLICT = Check("pcc-conflict", "a required_pcc where assert_pcc is false", _pcc_conflicts)
NO_STATUS = Check("no-status", "an entry that expects nothing on any arch", _no_status)


def repair(one: Written, at: Path, value: object) -> tuple[Op, ...]:
    """Write what `value` was meant to be at `at`, or remove it if that has no effect; empty: a person must decide."""
    better = RULES[at[-1]].repaired(value)
    if better is None or _silences_threshold(one, at, better):
        return ()
    return (one.unset(at) if says_nothing(one, at, better) else one.set(at, better),)


def _silences_threshold(one: Written, at: Path, value: object) -> bool:
    """Text in `assert_pcc` leaves PCC on: with a threshold beside it, either of the two can be the mistake."""
    return at[-1] == "assert_pcc" and value is False and any(way[-1] == "required_pcc" for way, _ in one.fields())
