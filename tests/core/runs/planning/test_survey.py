# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.preflight_checks: commits, versions and a digest; unknown ones are None."""

import json
import sys
from pathlib import Path

from core.base.processes import run_command
from core.runs.planning import Source, survey
from core.sources import Checkout
from tests.support.app import own_checkout
from tests.support.hostile import make_hostile, make_hostile_to_python, marks_in
from tests.support.tree import sample

PYTHON = Path(sys.executable)
_IDENTITY = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"]


def git(directory: Path, *words: str) -> str:
    done = run_command(["git", *_IDENTITY, "-c", "protocol.file.allow=always", *words], cwd=directory)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_work_tree_with_its_interpreter(tmp_path: Path) -> None:
    checkout = own_checkout(sample(tmp_path / "tt-xla").root)
    seen = survey(checkout, PYTHON, {"A": "b"})
    assert seen.checkout == git(checkout.root, "rev-parse", "HEAD")
    assert (seen.changed, seen.models, seen.models_pinned) == (False, None, None)
    assert seen.versions is not None
    assert seen.versions["python"] == ".".join(map(str, sys.version_info[:3]))
    (checkout.models / "base.py").write_text("changed")
    assert survey(checkout, PYTHON, {}).changed


def test_a_submodule_has_a_commit_and_is_asked_for_at_one(tmp_path: Path) -> None:
    models = own_checkout(sample(tmp_path / "source").models).root
    root = tmp_path / "tt-xla"
    (root / "third_party").mkdir(parents=True)
    git(root, "init", "--quiet")
    git(root, "submodule", "--quiet", "add", str(models), "third_party/tt_forge_models")
    git(root, "commit", "--quiet", "--message=first")
    checkout = Checkout(root)
    seen = survey(checkout, PYTHON, {})
    assert seen.models == seen.models_pinned == git(models, "rev-parse", "HEAD")
    git(checkout.models, "commit", "--quiet", "--allow-empty", "--message=second")
    assert survey(checkout, PYTHON, {}).models != seen.models_pinned


def test_what_is_not_there_is_none_and_it_can_be_written_down(tmp_path: Path) -> None:
    seen = survey(Checkout(tmp_path), Path("/absent/python"), {"TOKEN": "secret"})
    assert (seen.checkout, seen.models, seen.versions) == (None, None, None)
    written = json.loads(seen.to_json())
    assert written["version"] == 1
    assert written["environment"] == seen.environment
    assert "secret" not in seen.to_json()


def test_a_plan_executes_nothing_of_the_checkout(tmp_path: Path) -> None:
    checkout = own_checkout(sample(tmp_path / "tt-xla").root)
    python = make_hostile_to_python(checkout.root, tmp_path / "marks")
    make_hostile(checkout.root, tmp_path / "marks")
    seen = survey(checkout, python, {})
    assert (seen.versions, seen.source, seen.changed) == (None, Source.NOT_ASKED, False)
    assert seen.checkout
    assert marks_in(tmp_path / "marks") == []
    assert survey(checkout, python, {}, starting=True).source is Source.ASKED
    assert marks_in(tmp_path / "marks") == ["python"]
