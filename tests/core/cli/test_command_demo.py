# SPDX-License-Identifier: Apache-2.0
"""`demo`: creates the sample once, opens it each time, and never overwrites anything else."""

from pathlib import Path

from tests.support.cli import call


def test_lays_out_and_opens(tmp_path: Path) -> None:
    target = tmp_path / "new"
    called = call("demo", target, "--arch", "n150")
    assert called.code == 0
    assert [(one.repo, one.arch) for one in called.opened] == [(target, "n150")]
    assert (target / "tests/runner/test_config").is_dir()
    assert str(target) in called.err


def test_a_laid_out_sample_is_opened_as_it_is(tmp_path: Path) -> None:
    call("demo", tmp_path / "new")
    (tmp_path / "new" / "mine.txt").write_text("kept")
    called = call("demo", tmp_path / "new")
    assert (called.code, len(called.opened), called.err) == (0, 1, "")
    assert (tmp_path / "new" / "mine.txt").read_text() == "kept"


def test_other_directories_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("kept")
    for argv in ([], ["--headless"]):
        called = call("demo", tmp_path, *argv)
        assert called.code == 2
        assert "not empty" in called.err
        assert called.opened == ()
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
