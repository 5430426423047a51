# SPDX-License-Identifier: Apache-2.0
"""Laws of differences, on made-up states: of itself, back and forth, over a third state, and in text, JSON and rows."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings, strategies as st

from core.cli.states_report import difference_record
from core.matrix import acting
from core.states import Difference, State, States, difference, sections
from core.states.state import edited
from tests.support.states import JOB, MODELS, PRESET, states_of, with_submodule
from tests.support.tree import INFERENCE, loader_source
from tui.view_models import StateRow, state_rows

CONFIG = f"tests/runner/test_config/{INFERENCE}"
NAMES = ("tiny", "net-v1.5+aug", "more", "last")

pytestmark = pytest.mark.slow("each example reads two or three states")

Texts = Mapping[str, str]


def _entries(found: Mapping[str, Mapping[str, object]]) -> str:
    lines = ["test_config:" if found else "test_config: {}"]
    for name, fields in found.items():
        lines.append(f"  alpha/pytorch-{name}-single_device-inference:")
        lines += [f"    {field}: {json.dumps(value)}" for field, value in fields.items()]
    return "\n".join(lines) + "\n"


FIELDS = st.fixed_dictionaries(
    {"status": st.sampled_from(["EXPECTED_PASSING", "KNOWN_FAILURE_XFAIL", "NOT_SUPPORTED_SKIP"])},
    optional={
        "required_pcc": st.sampled_from([0.9, 0.97, 0.99]),
        "markers": st.sampled_from([["push"], ["nightly", "push"], []]),
        "supported_archs": st.sampled_from([["n150"], ["n150", "p150"]]),
        "assert_pcc": st.booleans(),
        "arch_overrides": st.just({"n150": {"reason": "slow"}}),
    },
)
SUBSETS = st.lists(st.sampled_from(NAMES), unique=True, min_size=1).map(sorted)
STATES = st.fixed_dictionaries(
    {
        CONFIG: st.dictionaries(st.sampled_from(NAMES), FIELDS).map(_entries),
        f"{MODELS}/alpha/pytorch/loader.py": SUBSETS.map(loader_source),
        f"{MODELS}/omega/pytorch/loader.py": SUBSETS.map(loader_source),
        PRESET: st.sampled_from(["n150 and push", "n150 and nightly", "n150"]).map(
            lambda mark: json.dumps([JOB | {"test-mark": mark}])
        ),
        "tests/torch/ops/test_add.py": st.sets(st.sampled_from("ab")).map(
            lambda names: "".join(f"def test_{name}(): ...\n" for name in sorted(names))
        ),
        "python_package/requirements.txt": st.sampled_from(["", "transformers==5.1\n", "transformers==5.2\n"]),
    }
)


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> States:
    root = tmp_path_factory.mktemp("laws")
    return states_of(with_submodule(root / "tt-xla"), root / "cache")


def made(states: States, *texts: Texts) -> list[State]:
    return [edited(states, "HEAD", one) for one in texts]


@settings(max_examples=6)
@given(texts=STATES)
def test_a_state_does_not_differ_from_itself(states: States, texts: Texts) -> None:
    one, same = made(states, texts, texts)
    found = difference(one, same)
    assert found.is_empty
    assert sections(found) == [] and state_rows(found, MODELS) == []


SAME = "its tests are the same"
"""What the row of a job says that only runs in another way."""
MIRRORED = (
    ("added", "removed"),
    ("entries_added", "entries_removed"),
    ("orphaned", "reached"),
    ("handwritten_added", "handwritten_removed"),
    ("new", "gone"),
)


@settings(max_examples=6)
@given(first=STATES, second=STATES)
def test_both_directions_mirror_each_other(states: States, first: Texts, second: Texts) -> None:
    one, other = made(states, first, second)
    there, back = difference(one, other), difference(other, one)
    for more, less in MIRRORED:
        assert getattr(there, more) == getattr(back, less)
        assert getattr(there, less) == getattr(back, more)
    assert {(a.before, a.after) for a in there.renamed} == {(a.after, a.before) for a in back.renamed}
    assert _changes(there, "before", "after") == _changes(back, "after", "before")
    assert sorted((a.lost, a.gained) for a in there.jobs) == sorted((a.gained, a.lost) for a in back.jobs)
    assert [(a.loader, a.files) for a in there.loaders] == [(a.loader, a.files) for a in back.loaders]
    assert [(a.name, a.before, a.after) for a in there.pins] == [(a.name, a.after, a.before) for a in back.pins]


def _changes(found: Difference, *sides: str) -> set[tuple[object, ...]]:
    return {(a.id, a.arch, a.field, *(str(getattr(a, side)) for side in sides)) for a in found.changed}


SETS: tuple[tuple[str, str], ...] = MIRRORED[:2] + MIRRORED[3:4]


@settings(max_examples=6)
@given(first=STATES, second=STATES, third=STATES)
def test_the_way_over_a_third_state_comes_to_the_same(
    states: States, first: Texts, second: Texts, third: Texts
) -> None:
    one, between, other = made(states, first, second, third)
    ab, bc, ac = difference(one, between), difference(between, other), difference(one, other)
    for more, less in SETS:
        (up, down), (up2, down2) = ((set(getattr(one, more)), set(getattr(one, less))) for one in (ab, bc))
        assert set(getattr(ac, more)) == (up - down2) | (up2 - down)
        assert set(getattr(ac, less)) == (down - up2) | (down2 - up)
    steps, whole = [_fields(found) for found in (ab, bc)], _fields(ac)
    always = {id for id in one.matrix.entries if id in between.matrix.entries and id in other.matrix.entries}
    for key in {key for step in (*steps, whole) for key in step if key[0] in always}:
        known = [step[key] for step in steps if key in step]
        assert known, "it differs only if it differed in one of the steps"
        before, after = known[0][0], known[-1][1]
        assert whole.get(key, (before, before)) == (before, after) or (
            key not in whole and acting(key[1], before) == acting(key[1], after)
        )


def _fields(found: Difference) -> dict[tuple[str, str], tuple[object, object]]:
    return {(one.id, one.field): (one.before, one.after) for one in found.changed if one.arch is None}


@settings(max_examples=6)
@given(first=STATES, second=STATES)
def test_text_json_and_rows_say_the_same_numbers(states: States, first: Texts, second: Texts) -> None:
    one, other = made(states, first, second)
    found = difference(one, other)
    record, rows, said = difference_record(found), state_rows(found, MODELS), Counter[str]()
    for section in sections(found):
        number, noun = re.fullmatch(r"([\d,]+) (.*)", section.title).groups()  # type: ignore[union-attr]
        said[re.sub(r"ies\b|s\b|y\b", "", noun)] += int(number.replace(",", ""))

    def shown(fits: Callable[[StateRow], bool]) -> int:
        return sum(map(fits, rows))

    renamed = len(record.tests.renamed)
    errors_and_warnings = said["new error"] + said["new warning"]
    numbers = {
        "added": (said["test added"], len(record.tests.added) - renamed, None),
        "removed": (said["test removed"], len(record.tests.removed) - renamed, shown(lambda row: _is(row, "removed"))),
        "renamed": (said["test renamed"], renamed, shown(lambda row: row.what == "renamed")),
        "entries": (said["entr added"], len(record.entries.added), shown(lambda row: _is(row, "entry added"))),
        "orphaned": (
            sum(count for noun, count in said.items() if "no te" in noun),
            len(record.entries.orphaned),
            shown(lambda row: row.what == "matches no test any more"),
        ),
        "jobs": (
            said["CI job with other test"],
            len(record.jobs),
            shown(lambda row: row.group == "CI jobs" and SAME not in row.details),
        ),
        "loaders": (
            said["loader with other code"],
            len(record.loaders),
            shown(lambda row: row.what.startswith(("code: ", "requirements: "))),
        ),
        "new": (
            errors_and_warnings,
            len(record.findings.new),
            shown(lambda row: row.group == "findings" and not row.what.endswith(" is gone")),
        ),
        "gone": (
            said["finding gone"],
            len(record.findings.gone),
            shown(lambda row: row.group == "findings" and row.what.endswith(" is gone")),
        ),
        "pins": (said["version moved"], len(record.pins), shown(lambda row: row.group == "versions")),
        "hand-written": (
            said["hand-written test added"],
            len(record.handwritten.added),
            shown(lambda row: row.group == "hand-written tests" and row.what.startswith("added")),
        ),
    }
    for what, (text, document, screen) in numbers.items():
        assert text == document, what
        assert screen in (None, document), what


def _is(row: StateRow, what: str) -> bool:
    return re.split("[:,]", row.what)[0] == what and row.group != "hand-written tests"
