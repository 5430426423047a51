# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.interpreter: asked once, remembered until packages change, and never started for a plan of its checkout."""

import os
import sys
from pathlib import Path

import pytest

from core.base.processes import CommandResult
from core.runs.planning import Source
from core.runs.planning.interpreter import PACKAGES, installed, is_cached
from tests.support.hostile import make_hostile_to_python, marks_in

VERSIONS = '{"python": "3.12.0", "torch": "2.9.0", "jax": null, "sys.path": ["@/site-packages", "@/elsewhere"]}'


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """An interpreter outside of any checkout that counts how often it is asked."""
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "elsewhere").mkdir()
    answer = VERSIONS.replace("@", str(tmp_path))
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\necho once >> {tmp_path}/asked\necho 'TTMATRIX-PROBE {answer}'\n")
    script.chmod(0o755)
    return script


def asked(python: Path) -> int:
    file = python.with_name("asked")
    return len(file.read_text().splitlines()) if file.exists() else 0


def test_a_real_interpreter_tells_what_it_has(tmp_path: Path) -> None:
    found = installed(Path(sys.executable), tmp_path, {}, starting=False)
    assert found.source is Source.ASKED
    assert found.versions is not None
    assert set(found.versions) == {"python", *PACKAGES}
    assert found.versions["python"] == ".".join(map(str, sys.version_info[:3]))
    assert found.versions["pytest"]
    assert found.versions["pjrt_plugin_tt"] is None


def test_it_is_asked_once_until_what_is_installed_changes(python: Path, tmp_path: Path) -> None:
    first = installed(python, Path("/checkout"), {}, starting=True)
    again = installed(python, Path("/checkout"), {}, starting=False)
    assert (first.source, again.source, asked(python)) == (Source.ASKED, Source.REMEMBERED, 1)
    assert first.versions == again.versions == {"python": "3.12.0", "torch": "2.9.0", "jax": None}
    (tmp_path / "elsewhere" / "file").touch()
    assert installed(python, Path("/checkout"), {}, starting=True).source is Source.REMEMBERED
    (tmp_path / "site-packages" / "torch-3.dist-info").mkdir()
    assert installed(python, Path("/checkout"), {}, starting=True).source is Source.ASKED
    os.utime(python, (1e9, 1e9))
    assert installed(python, Path("/checkout"), {}, starting=True).source is Source.ASKED
    assert installed(python, Path("/checkout"), {"PYTHONPATH": "/x"}, starting=True).source is Source.ASKED
    assert installed(python, Path("/checkout"), {"PYTHONPATH": "/x"}, starting=True, afresh=True).source is Source.ASKED
    assert asked(python) == 5


def test_what_cannot_be_cached_is_not_called_so(python: Path, own_home: Path) -> None:
    own_home.mkdir(exist_ok=True)
    (own_home / "cache").write_text("a file")
    assert installed(python, Path("/checkout"), {}, starting=True).source is Source.ASKED
    assert not is_cached(python)
    (own_home / "cache").unlink()
    assert installed(python, Path("/checkout"), {}, starting=True).source is Source.ASKED
    assert is_cached(python)


def test_a_plan_starts_nothing_of_the_checkout(tmp_path: Path) -> None:
    root, marks = tmp_path / "tt-xla", tmp_path / "marks"
    root.mkdir()
    own = make_hostile_to_python(root, marks)
    assert installed(own, root, {}, starting=False).source is Source.NOT_ASKED
    for place in (root, root / "tests"):
        environ = {"PYTHONPATH": f"/x:{place}"}
        assert installed(Path(sys.executable), root, environ, starting=False).source is Source.NOT_ASKED
    assert marks_in(marks) == []
    assert installed(own, root, {}, starting=True).versions is None
    assert marks_in(marks) == ["python"]


def test_the_checkout_lends_no_modules_to_another_interpreter(tmp_path: Path) -> None:
    make_hostile_to_python(tmp_path, tmp_path / "marks")
    assert installed(Path(sys.executable), tmp_path, {}, starting=True).versions
    assert marks_in(tmp_path / "marks") == []


@pytest.mark.parametrize("answer", ["exit 3", "echo TTMATRIX-PROBE x", "echo TTMATRIX-PROBE []", "echo nothing"])
def test_what_answers_nonsense_has_no_versions_and_is_asked_again(tmp_path: Path, answer: str) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{answer}\n")
    python.chmod(0o755)
    for _ in range(2):
        found = installed(python, Path("/checkout"), {}, starting=True)
        assert (found.versions, found.source) == (None, Source.ASKED)


def test_a_memory_that_cannot_be_read_or_written_is_done_without(python: Path, own_home: Path) -> None:
    installed(python, Path("/checkout"), {}, starting=True)
    (memory,) = (own_home / "cache" / "interpreters").iterdir()
    for damage in ("", "[]", '{"version": 1}', '{"version": 9, "stamps": {}, "PYTHONPATH": null, "versions": {}}'):
        memory.write_text(damage)
        assert installed(python, Path("/checkout"), {}, starting=True).source is Source.ASKED
    memory.unlink()
    memory.parent.rmdir()
    memory.parent.touch()
    assert installed(python, Path("/checkout"), {}, starting=True).versions


def test_an_interpreter_that_does_not_end_is_not_waited_for(tmp_path: Path) -> None:
    limits = []

    def runner(argv: object, *, timeout: float | None = None, **_: object) -> CommandResult:
        limits.append(timeout)
        return CommandResult((), 0, "TTMATRIX-PROBE {}", "")

    assert installed(Path("/python"), tmp_path, {}, starting=True, runner=runner).versions == {}
    assert limits == [60.0]
