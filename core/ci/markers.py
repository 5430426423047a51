# SPDX-License-Identifier: Apache-2.0
"""The markers of every test that pytest collects, for one arch or none (docs/rules.md 3.1)."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from core.base.errors import UsageError
from core.domain.ids import TestId
from core.domain.model import Entry, Function, ModelInfo, Status
from core.matrix import UNWRITTEN, Matrix, Member, resolve, status_on, supported_archs, texts
from core.sources import Schema
from core.sources.ci import LB_BLACKHOLE

GroupOf = Callable[[str], str | None]
"""The model group of a test id: `red`, `priority`, `generality` or `vulcan`; None: unknown."""

_EVERY = frozenset({"model_test", "no_auto_properties", "parametrize"})
_DECORATORS = {
    Function.LLM: _EVERY | {"llm"},
    Function.LLM_DECODE: _EVERY | {"llm_decode"},
    Function.PLACEHOLDER: _EVERY | {"placeholder"},
}
_SCHEDULES = frozenset({"nightly", "weekly"})
_NIGHTLY_GROUPS = ("red", "priority")
_TENSOR_PARALLEL = "tensor_parallel"
_NAME = re.compile(r"[\w:+\-.\[\]\\/]+")
_ARGUMENTS = re.compile(r"\([^()]*=[^()]*\)")
_WORDS = frozenset({"and", "or", "not", "True", "False", "None"})


class Traits(NamedTuple):
    """All that markers depend on beside the entry and the arch; tests with equal traits get the same markers."""

    function: Function
    parallelism: str
    """As in the marker: every explicit strategy of an LLM test counts as tensor parallel."""
    mode: str
    group: str | None
    skipped: bool
    """Whether the checkout's conftest skips the test on LB_BLACKHOLE."""
    by_group: tuple[str, ...] = Schema().group_markers
    """The groups for which the checkout gives a marker."""
    by_bringup: bool = True
    """Whether the checkout gives a marker by the bring-up status."""


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """What pytest collects of one matrix, before any entry or option is looked at."""

    matrix: Matrix
    rows: Mapping[Traits, Sequence[int]]
    """Rows of the matrix with the same traits, ascending; a row is listed once for each of its functions."""
    traits: Mapping[int, tuple[Traits, ...]]
    """Traits by row, one for each function. Rows whose id no loader generates are left out."""


def groups(infos: Mapping[tuple[str, str | None], ModelInfo]) -> GroupOf:
    """Groups as loaders report them; `infos` are by loader directory and variant."""

    def group_of(id: str) -> str | None:
        parsed = TestId.parse(id)
        info = infos.get((parsed.directory, parsed.variant)) if parsed else None
        return info.group if info else None

    return group_of


def collect(matrix: Matrix, group_of: GroupOf, skip_prefixes: Sequence[str] = ()) -> Collection:
    """Sort the known rows of `matrix` by their traits.

    `group_of` is asked once for each model and phase, with one of its ids. `skip_prefixes` are the beginnings of ids
    skipped on LB_BLACKHOLE. If the matrix holds the collected universe, counts are those of pytest.
    """
    prefixes = tuple(skip_prefixes)
    groups: dict[tuple[str, str], str | None] = {}
    rows: dict[Traits, list[int]] = {}
    traits: dict[int, tuple[Traits, ...]] = {}
    alike: dict[tuple[Traits, ...], tuple[Traits, ...]] = {}
    for row, member in enumerate(matrix.members()):
        if member.id in matrix.strays:
            continue
        model = (_base(member), member.phase)
        if model not in groups:
            groups[model] = group_of(member.id) if member.directory else None
        found = _traits(matrix, member, groups[model], prefixes)
        # A few hundred combinations cover all rows.
        traits[row] = alike.setdefault(found, found)
        for one in traits[row]:
            rows.setdefault(one, []).append(row)
    return Collection(matrix, rows, traits)


def _traits(matrix: Matrix, member: Member, group: str | None, skip_prefixes: tuple[str, ...]) -> tuple[Traits, ...]:
    """The traits of a test, one for each of its functions."""
    parallelism = _TENSOR_PARALLEL if member.parallelism.endswith(_TENSOR_PARALLEL) else member.parallelism
    rest = (parallelism, member.mode, group, member.id.startswith(skip_prefixes))
    given = matrix.schema.group_markers, matrix.schema.has_bringup_markers
    return tuple(Traits(function, *rest, *given) for function in matrix.functions_of(member))


def markers_by_arch(
    matrix: Matrix, id: str, archs: Iterable[str | None], group: str | None, skip_prefixes: Sequence[str] = ()
) -> dict[str | None, frozenset[str] | None]:
    """The markers of one test under its own function on each of `archs`; None as arch: without `--arch`.

    None as markers: the test is deselected there. The result is empty for an id that no loader generates, because it is
    not collected.
    """
    row = matrix.rows.get(id)
    if row is None or id in matrix.strays:
        return {}
    entry, (own, *_) = matrix.entries.get(id), _traits(matrix, matrix.member(row), group, tuple(skip_prefixes))
    return {arch: markers(own, entry, arch) for arch in archs}


def placeholder_markers() -> frozenset[str]:
    """The markers of every placeholder."""
    return _DECORATORS[Function.PLACEHOLDER]


def markers(traits: Traits, entry: Entry | None, arch: str | None) -> frozenset[str] | None:
    """The markers of a test with these traits and this entry when pytest is given `--arch arch`.

    None: the test is deselected at collection (EXCLUDE_MODEL). The arch markers depend on `arch` only if an override
    changes them.
    """
    decorators = _DECORATORS.get(traits.function, _EVERY)
    if traits.function is Function.PLACEHOLDER:
        return decorators
    status = status_on(entry, arch)
    if status is Status.EXCLUDE_MODEL:
        return None
    own = texts(resolve(entry, "markers", arch).value)
    archs = supported_archs(entry, arch)
    bringup = resolve(entry, "bringup_status", arch).value
    return decorators.union(
        (traits.parallelism, traits.mode, status.lower()),
        own,
        _group_markers(traits, own),
        archs,
        (name.replace("-", "_") for name in archs),
        (str(bringup).strip().lower(),) if bringup and traits.by_bringup else (),
        ("skip",) if traits.skipped and arch == LB_BLACKHOLE else (),
    )


def said_of_markers(entry: Entry | None) -> str:
    """All of an entry that markers depend on, as a text; empty: there is none."""
    if entry is None:
        return ""
    places = {"": entry.fields, **entry.overrides}
    return repr([(place, [fields.get(name, UNWRITTEN) for name in _DECIDING]) for place, fields in places.items()])


_DECIDING = ("status", "markers", "supported_archs", "bringup_status")


def _group_markers(traits: Traits, own: Sequence[str]) -> Iterator[str]:
    """The marker of the group and, if the entry names no schedule, the schedule of the group."""
    if traits.group is None:
        return
    schedule = "nightly" if traits.group in _NIGHTLY_GROUPS else "weekly"
    wanted = (traits.group, schedule) if _SCHEDULES.isdisjoint(own) else (traits.group,)
    yield from (name for name in wanted if name in traits.by_group)


def _base(member: Member) -> str:
    """The part of an id that names the model (docs/rules.md 1.5)."""
    if member.phase in ("", "default"):
        return member.id.rpartition(f"-{member.parallelism}")[0]
    return member.id.rpartition(f"-{member.phase}-")[0]


Evaluate = Callable[[Callable[..., bool]], bool]
"""Evaluates one expression; calls the given matcher for each name in it."""


class ExpressionError(UsageError):
    """An expression that pytest rejects; `reason` is pytest's message."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(f"Not an expression: {text!r}", reason)
        self.reason = reason


def mark_matches(expression: str, markers: Set[str]) -> bool:
    """Whether `-m expression` selects a test with these markers; names match exactly.

    Without an expression every test is selected. Raises ExpressionError.
    """

    def has(name: str, /, **arguments: object) -> bool:
        # No marker of a model test has arguments, so a name with arguments matches none.
        return name in markers and not arguments

    return not expression or _compiled(expression)(has)


def keyword_matches(expression: str, names: Set[str]) -> bool:
    """Whether `-k expression` selects a test with these names (part of a name, any case). Raises ExpressionError."""
    lowered = [name.lower() for name in names]

    def has(name: str, /) -> bool:
        return any(name.lower() in one for one in lowered)

    return not expression or _keywords(expression)(has)


def names_in(expression: str) -> frozenset[str]:
    """The markers that a `-m` expression names, also in one that pytest rejects."""
    return frozenset(_NAME.findall(_ARGUMENTS.sub("", expression))) - _WORDS


def problem(mark: str, keyword: str) -> str:
    """Why pytest would reject `-m mark -k keyword`; empty: it would not."""
    try:
        _compiled(mark)
        _keywords(keyword)
    except ExpressionError as error:
        return error.reason
    return ""


def _keywords(text: str) -> Evaluate:
    # In this grammar an equals sign appears only in an argument.
    if "=" in text:
        raise ExpressionError(text, "names of a -k expression take no arguments")
    return _compiled(text)


@cache
def _compiled(text: str) -> Evaluate:
    # The import takes 45 ms of `doctor`, `verdicts` and `propose`, which mostly find the jobs cached.
    from _pytest.mark.expression import Expression

    try:
        return Expression.compile(text).evaluate
    except SyntaxError as error:
        raise ExpressionError(text, f"{error.msg} at column {error.offset}") from error
    except RecursionError as error:
        raise ExpressionError(text, "it nests too deeply") from error
