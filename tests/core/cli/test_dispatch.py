# SPDX-License-Identifier: Apache-2.0
"""Global options, help, and exit codes."""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import pytest

from core import __version__
from core.cli import command_doctor
from core.cli.dispatch import COMMANDS
from tests.support.cli import call
from tests.support.git import committed_checkout
from tests.support.tree import sample

ROOT = Path(__file__).parents[3]

TEST = "alpha/pytorch-tiny-single_device-training"


def test_without_a_command_the_app_opens() -> None:
    called = call("--repo", "/x", "--arch", "n150", "-q", "status:xfail")
    (request,) = called.opened
    assert (request.repo, request.arch, request.query) == (Path("/x"), "n150", "status:xfail")


def test_version_and_help() -> None:
    assert call("--version").out == f"ttmatrix {__version__}\n"
    assert all(name in call("--help").out for name in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    called = call(command, "--help")
    assert called.code == 0
    assert f"ttmatrix {command}" in called.out
    assert "--repo" in called.out


@pytest.mark.parametrize("argv", [["bogus"], ["list", "--nope"], ["show"], ["--repo"], ["list", "--format", "x"]])
def test_usage_errors_are_64(argv: list[str]) -> None:
    called = call(*argv)
    assert called.code == 64
    assert "--help" in called.err
    assert called.out == ""


def test_global_options_are_before_or_after(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    before = call("--repo", checkout.root, "--json", "list", "tiny")
    after = call("list", "tiny", "--json", "--repo", checkout.root)
    assert before.out == after.out != ""
    assert before.code == after.code == 0


def test_no_checkout_is_2(tmp_path: Path) -> None:
    called = call("list", "--repo", tmp_path)
    assert called.code == 2
    assert "No tt-xla checkout" in called.err


def test_an_unknown_arch_is_64(tmp_path: Path) -> None:
    called = call("list", "--repo", sample(tmp_path).root, "--arch", "n9")
    assert called.code == 64
    assert "n150" in called.err


def test_errors_are_json_too(tmp_path: Path) -> None:
    called = call("list", "--repo", tmp_path, "--json")
    assert set(called.json["error"]) == {"title", "detail", "hint"}
    assert re.search(r"^ttmatrix: ", called.err)


def test_a_name_that_is_no_text_is_reported(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    shutil.copytree(checkout.models / "alpha", checkout.models / os.fsdecode(b"odd\xff"))
    words = [sys.executable, "-m", "tui", "list", "odd", "--repo", str(checkout.root)]
    for more in ([], ["--json"]):
        env = {**os.environ, "PYTHONIOENCODING": "utf-8:strict", "PYTHONPATH": str(Path(__file__).parents[3])}
        done = subprocess.run([*words, *more], capture_output=True, env=env, cwd=tmp_path, check=False)
        assert done.returncode == 0, done.stderr
        assert b"odd" in done.stdout


COMMAND_LINES = [
    ("list",),
    ("show", TEST),
    ("jobs",),
    ("doctor",),
    ("edit", "--apply", "-"),
    ("edit", "--apply", "-", "--write"),
    ("apply", "-"),
    ("triage", TEST),
    ("triage", TEST, "--apply"),
    ("loaders",),
    ("ingest", "-"),
    ("verdicts",),
    ("policy",),
    ("propose",),
    ("clusters",),
    ("compare", "a", "b"),
    ("run", TEST, "--kind", "cpu"),
    ("runs",),
    ("rerun", "--failed"),
    ("queue",),
    ("prune",),
]


@pytest.mark.parametrize("words", COMMAND_LINES, ids=" ".join)
def test_a_home_that_nothing_can_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """Commands that only read continue, others report the problem plainly: nothing raises."""
    checkout = committed_checkout(sample(tmp_path / "tt-xla"))
    home, make = tmp_path / "home", os.mkdir
    home.mkdir()
    monkeypatch.setenv("TTMATRIX_HOME", str(home))

    def read_only(path: str | Path, *rest: int) -> None:
        if Path(path).is_relative_to(home):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        make(path, *rest)

    monkeypatch.setattr(os, "mkdir", read_only)
    operations = [{"op": "set", "id": TEST, "path": ["reason"], "value": "r"}]
    called = call(*words, "--repo", checkout.root, stdin=json.dumps(operations))
    reads = words[0] not in ("triage", "ingest", "compare", "run", "rerun")
    assert (called.code in (0, 1)) is reads, called.err
    assert "Traceback" not in called.err
    assert list(home.iterdir()) == []
    assert reads or called.err


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_what_the_disk_says_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def failing(*_: object) -> int:
        raise OSError(number, "no", "/there")

    monkeypatch.setattr(command_doctor, "execute", failing)
    called = call("doctor", "--repo", sample(tmp_path).root)
    assert (called.code, called.err) == (2, "ttmatrix: The operating system reports an error\nno: /there\n")


def test_an_error_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> int:
        raise FileNotFoundError(errno.ENOENT, "no")

    monkeypatch.setattr(command_doctor, "execute", failing)
    with pytest.raises(FileNotFoundError):
        call("doctor")


@pytest.mark.parametrize(
    "option", [["--read-only"], ["-q", "tiny"], ["--screen", "triage"], ["--theme", "dark"], ["--ascii"], ["--fresh"]]
)
def test_an_option_of_the_app_is_refused_before_a_command(tmp_path: Path, option: list[str]) -> None:
    called = call(*option, "list", "tiny", "--repo", sample(tmp_path).root)
    assert (called.code, called.out) == (64, "")
    assert "is an option of the app, not of `list`" in called.err


def test_options_of_the_app_are_refused_where_a_command_that_opens_it_does_not(tmp_path: Path) -> None:
    called = call("--read-only", "demo", "--headless", tmp_path / "new")
    assert (called.code, called.out) == (64, "")
    assert "--read-only is an option of the app, not of `demo --headless`" in called.err
    assert not (tmp_path / "new").exists()


def test_an_app_that_is_read_only_is_not_served_with_edits(tmp_path: Path) -> None:
    root = sample(tmp_path).root
    called = call("--read-only", "serve", "--allow-edits", "--repo", root)
    assert (called.code, called.opened) == (64, ())
    assert "contradict each other" in called.err
    (opened,) = call("--read-only", "-q", "tiny", "serve", "--repo", root).opened
    assert (opened.read_only, opened.query) == (True, "tiny")


def _redirected(words: Sequence[str], output: int | IO[str]) -> "subprocess.CompletedProcess[str]":
    """Run a command whose output is buffered, as it is wherever it is no terminal."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    argv = [sys.executable, "-m", "tui", *words]
    return subprocess.run(argv, stdout=output, stderr=subprocess.PIPE, text=True, env=env, check=False)


@pytest.mark.parametrize(
    "words",
    [("list",), ("list", "--json"), ("list", "tiny"), ("show", TEST, "--json"), ("policy", "--json"), ("--help",)],
    ids=" ".join,
)
def test_a_full_disk_behind_the_output_is_2(tmp_path: Path, words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = _redirected(["--repo", str(sample(tmp_path).root), *words], full)
    assert done.returncode == 2
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


def test_an_error_is_the_same_where_its_document_cannot_be_written(tmp_path: Path) -> None:
    words = ["show", "nosuch", "--json", "--repo", str(sample(tmp_path).root)]
    with Path("/dev/full").open("w") as full:
        done = _redirected(words, full)
    assert (done.returncode, done.stderr) == (64, "ttmatrix: There is no test 'nosuch'\n")
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as pipe:
        done = _redirected(words, pipe)
    assert (done.returncode, done.stderr) == (64, "ttmatrix: There is no test 'nosuch'\n")


def test_the_exit_code_of_an_error_is_the_same_where_its_message_cannot_be_written(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "tui", "show", "nosuch", "--repo", str(sample(tmp_path).root)]
    with Path("/dev/full").open("w") as full:
        assert subprocess.run(argv, stdout=subprocess.PIPE, stderr=full, check=False).returncode == 64


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_are_empty(tmp_path: Path, closed: str) -> None:
    root = str(sample(tmp_path).root)
    line = f'"$0" -m tui --repo "$1" "$2" "$3" {closed}'
    for words, code in ((("list", "tiny"), 0), (("show", "nosuch"), 64)):
        argv = ["sh", "-c", line, sys.executable, root, *words]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        assert done.returncode == code
        assert "Traceback" not in done.stderr and "ttmatrix:" not in done.stdout


def test_a_current_directory_that_is_gone_is_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    commands = (["list"], ["list", "--repo", "."], ["show", "x", "--json"], ["demo", "sample", "--headless"])
    with monkeypatch.context() as inside:
        inside.chdir(gone)
        gone.rmdir()
        all_called = [call(*words) for words in commands]
    for called in all_called:
        assert called.code == 2
        assert called.err == "ttmatrix: The current directory no longer exists\nChange to one that does.\n"


def test_commands_say_what_is_wrong_with_settings(tmp_path: Path, own_home: Path) -> None:
    """Also those that need none of them, and those of the app alone."""
    checkout = sample(tmp_path / "tt-xla")
    file = own_home / "config" / "settings.toml"
    file.parent.mkdir(parents=True)
    file.write_text('theme = "pink"\nkeymap = "nano"\n[keys]\n"matrix.rnu" = "x"\n"matrix.run" = "^b"\n')
    command = [sys.executable, "-m", "tui", "runs", "--repo", str(checkout.root)]
    called = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert called.returncode == 0, called.stderr
    for words in ("theme 'pink'", "keymap 'nano'", "'matrix.rnu'", "matrix.run cannot have the key ^b"):
        assert words in called.stderr
    file.write_text('cpu_slots = "two"\nnonsense = 1\n')
    called = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "'cpu_slots'" in called.stderr
    assert "'nonsense'" in called.stderr
