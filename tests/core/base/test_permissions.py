# SPDX-License-Identifier: Apache-2.0
"""core.base.permissions: state is readable by its owner only, output for others is not restricted, and a team may share."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base import umask as module
from core.base.files import atomic_write
from core.base.permissions import keep_private
from core.base.processes import run_command
from core.base.settings import HOME_VARIABLE, Paths
from core.base.umask import for_others, persons_mask
from tests.support.evidence import TEST_ID
from tests.support.tree import sample

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def own_mask(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Restore the umask of the tests."""
    mask = os.umask(0o022)
    monkeypatch.setattr(module, "_masks", [])
    yield
    os.umask(mask)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def old_home(home: Path) -> Paths:
    """Files of an older ttmatrix, readable by everyone."""
    own = Paths(home / "config", home / "state", home / "cache")
    for directory in (own.config, own.evidence, own.runs / "one", own.cache / "index"):
        directory.mkdir(parents=True)
    for file in (own.settings_file, own.evidence / "x.sqlite", own.runs / "one" / "output.log", own.views_file):
        file.touch()
    (own.runs / "one" / "tool").touch(mode=0o755)
    (own.runs / "one" / "link").symlink_to(home / "elsewhere")
    (home / "elsewhere").touch()
    (own.state / "not-ours").touch()
    return own


def test_what_was_open_is_closed_and_links_lead_nowhere(tmp_path: Path) -> None:
    own = old_home(tmp_path)
    keep_private(own, {})
    assert {mode(path) for path in (*own, own.evidence, own.runs, own.runs / "one", own.cache / "index")} == {0o700}
    assert mode(own.evidence / "x.sqlite") == mode(own.runs / "one" / "output.log") == mode(own.views_file) == 0o600
    assert mode(own.runs / "one" / "tool") == 0o700
    # A person's own files, and those that nobody here has made.
    assert {mode(one) for one in (own.settings_file, tmp_path / "elsewhere", own.state / "not-ours")} == {0o644}


def test_what_is_new_is_private_and_what_others_make_is_not(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    keep_private(Paths(*(tmp_path / name for name in "abc")), {})
    keep_private(Paths(*(tmp_path / name for name in "abc")), {})
    assert persons_mask() == 0o022
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "file").touch()
    atomic_write(tmp_path / "state" / "new", "x")
    assert [mode(tmp_path / "state" / name) for name in ("", "file", "new")] == [0o700, 0o600, 0o600]
    # Beside them: a file in the checkout, what git or a run makes, and a directory that is asked for.
    atomic_write(checkout / "new.yaml", "x")
    assert run_command(["sh", "-c", "touch made; umask"], cwd=checkout).stdout.strip() == "0022"
    with for_others():
        (checkout / "made-here").mkdir()
    assert [mode(checkout / name) for name in ("new.yaml", "made", "made-here")] == [0o644, 0o644, 0o755]
    (tmp_path / "again").touch()
    assert mode(tmp_path / "again") == 0o600


@pytest.mark.parametrize(
    ("bits", "shared"), [(0o2770, True), (0o777, True), (0o775, False), (0o1777, False), (0o755, False)]
)
def test_a_home_that_a_team_shares_is_left_alone(tmp_path: Path, bits: int, shared: bool) -> None:
    own = old_home(tmp_path / "home")
    (tmp_path / "home").chmod(bits)
    keep_private(own, {HOME_VARIABLE: str(tmp_path / "home")})
    assert (mode(own.state), mode(own.evidence / "x.sqlite")) == ((0o755, 0o644) if shared else (0o700, 0o600))
    assert persons_mask() == (None if shared else 0o022)
    assert mode(tmp_path / "home") == bits


def test_without_a_change_of_the_mask_nothing_is_another(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    with for_others():
        atomic_write(tmp_path / "open" / "file", "x")
    assert persons_mask() is None
    assert mode(tmp_path / "open" / "file") == 0o644


def test_a_directory_that_is_no_directory_stops_nobody(tmp_path: Path) -> None:
    own = Paths(tmp_path / "absent", tmp_path / "file", tmp_path / "loop")
    own.state.touch()
    own.cache.symlink_to(own.cache)
    keep_private(own, {})


@pytest.mark.slow("the whole job is done")
def test_all_that_a_person_does_is_private(tmp_path: Path, own_home: Path) -> None:
    checkout, report = sample(tmp_path / "tt-xla"), tmp_path / "report.xml"
    report.write_text(f'<testsuite><testcase name="test_all_models_torch[{TEST_ID}]"/></testsuite>')
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    for words in (["ingest", str(report), "--arch", "n150"], ["verdicts"], ["list"], ["doctor"], ["jobs"]):
        argv = [sys.executable, "-m", "tui", *words, "--repo", str(checkout.root)]
        done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, check=False, umask=0o022)
        assert done.returncode in (0, 1), done.stderr
    made = [path for root in ("state", "cache") for path in (own_home / root).rglob("*")]
    assert {path.name for path in made} >= {"evidence", "index"}
    assert {mode(path) for path in made if path.is_dir()} == {0o700}
    assert {mode(path) for path in made if path.is_file()} == {0o600}
