# SPDX-License-Identifier: Apache-2.0
"""core.runs.spec: ids in the order of time, a spec that survives the disk, and a line for the shell."""

import json
import subprocess
import sys
from dataclasses import MISSING, fields, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.files import Malformed
from core.domain.model import Function
from core.runs import ResultFormat, RunSpec, is_run_id, shell_command
from core.runs.spec import run_id, spec_from_json, spec_to_json

MOMENT = datetime(2026, 11, 21, 8, 32, 15, tzinfo=timezone(timedelta(hours=1)))
SPEC = RunSpec(
    "20261121-073215-ab12cd",
    "mnist/pytorch-single_device-training",
    Function.TORCH,
    "cpu",
    None,
    ("python", "x y.py"),
    {},
    Path("/tmp"),
    30.0,
    "2026-11-21T07:32:15+00:00",
    "ab12cd00",
    "cpu",
    2,
)
texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"))


def test_a_run_id_is_the_time_in_utc_and_part_of_the_token() -> None:
    made = run_id(MOMENT, "ab12cdef01")
    assert made == "20261121-073215-ab12cd"
    assert is_run_id(made)
    assert not is_run_id("slots")
    assert not is_run_id("../" + made)


LATER = {field.name: field.default for field in fields(RunSpec) if field.default is not MISSING}
"""Default of a field that was added later, for a spec that lacks it."""


@given(*[st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))] * 2)
def test_run_ids_sort_as_time_does(one: datetime, other: datetime) -> None:
    first, last = sorted([one, other])
    assert run_id(first, "000000") <= run_id(last, "ffffff")


@given(
    st.builds(
        RunSpec,
        texts,
        texts,
        st.sampled_from(Function),
        texts,
        st.none() | texts,
        st.lists(texts).map(tuple),
        st.dictionaries(texts, texts),
        texts.map(Path),
        st.floats(0, 1e9),
        texts,
        texts,
        texts,
        st.integers(0, 64),
        st.sampled_from(ResultFormat),
        st.lists(texts).map(tuple),
        st.integers(0, 2**50),
        st.floats(0, 1e9),
        st.lists(st.floats(0, 1e9)).map(tuple),
        texts,
        texts,
        st.booleans(),
        st.none() | st.floats(0, 1e9),
        texts,
        st.integers(0, 2**50),
        texts,
    )
)
def test_a_spec_comes_back_from_the_disk(spec: RunSpec) -> None:
    assert spec_from_json(spec_to_json(spec)) == spec


@pytest.mark.parametrize("field", sorted(json.loads(spec_to_json(SPEC)).keys() - LATER.keys()))
def test_a_spec_that_lacks_what_each_has_is_refused(field: str) -> None:
    raw = json.loads(spec_to_json(SPEC))
    del raw[field]
    with pytest.raises(Malformed):
        spec_from_json(json.dumps(raw))


def test_a_spec_of_an_earlier_version_says_less() -> None:
    raw = json.loads(spec_to_json(SPEC))
    for field in LATER:
        raw.pop(field, None)
    spec = spec_from_json(json.dumps(raw))
    assert {field: getattr(spec, field) for field in LATER} == LATER


@pytest.mark.parametrize("text", ["", "[]", "{", '{"version": 1}', '"x"'])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(Malformed):
        spec_from_json(text)


def test_the_shell_line_reads_as_one_would_type_it() -> None:
    assert shell_command(SPEC) == "cd /tmp && python 'x y.py'"
    assert shell_command(replace(SPEC, env={"A": "b"})) == "cd /tmp && env A=b python 'x y.py'"
    added = shell_command(replace(SPEC, env={"PYTHONPATH": "/own"}))
    assert added == """cd /tmp && env PYTHONPATH="${PYTHONPATH:+$PYTHONPATH:}"/own python 'x y.py'""", (
        "as a run gets it"
    )
    paths = shell_command(replace(SPEC, paths={"PATH": "/a:/b c"}))
    assert paths == "cd /tmp && env PATH='/a:/b c'\"${PATH:+:$PATH}\" python 'x y.py'"


@pytest.mark.parametrize(("own", "seen"), [({}, "/a:/b:/p"), ({"PYTHONPATH": "/m n"}, "/a:/b:/m n:/p")])
def test_directories_are_put_before_those_of_the_shell(own: dict[str, str], seen: str) -> None:
    code = "import os; print(os.environ['PYTHONPATH'])"
    spec = replace(SPEC, env={"PYTHONPATH": "/p"}, paths={"PYTHONPATH": "/a:/b"}, argv=(sys.executable, "-c", code))
    done = subprocess.run(["sh", "-c", shell_command(spec)], capture_output=True, text=True, check=True, env=own)
    assert done.stdout.strip() == seen


@pytest.mark.parametrize("odd", ["a b", "$HOME", "'; exit 3; '", '"', "*", "\\", "é\n\t", "-n"])
def test_a_shell_that_gets_the_line_runs_exactly_that(odd: str, tmp_path: Path) -> None:
    directory = tmp_path / f"d{odd.replace('/', '')}"
    directory.mkdir()
    code = "import os, sys; print(ascii([os.getcwd(), os.environ['A'], sys.argv[1]]))"
    spec = replace(SPEC, cwd=directory, env={"A": odd}, argv=("python3", "-c", code, odd))
    done = subprocess.run(["sh", "-c", shell_command(spec)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ascii([str(directory), odd, odd])
