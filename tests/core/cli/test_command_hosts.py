# SPDX-License-Identifier: Apache-2.0
"""`hosts`: the hosts file from the command line, and the answers of machines through a fake local `ssh`."""

import json
import os
import re
from pathlib import Path

import pytest

from core.base.settings import paths
from tests.support.cli import call
from tests.support.schemas import complaints

LISTED = "MACHINE  JOB ID  SSH PORT  DEBUDA PORT  TIME LEFT\nwh-01  3201  48396  48397  11:59:30\n"
_SSH = """\
#!/bin/sh
printf '%s\\n' "$@" > "$SSH_ARGUMENTS"
for last; do :; done
exec sh -c "$last"
"""


@pytest.fixture
def near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An `ssh` that runs its command on this machine, and writes its arguments into the file returned."""
    directory = tmp_path / "bin"
    directory.mkdir()
    (directory / "ssh").write_text(_SSH)
    (directory / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{directory}:{os.environ['PATH']}")
    monkeypatch.setenv("SSH_ARGUMENTS", str(tmp_path / "arguments"))
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    return tmp_path / "arguments"


def test_hosts_are_added_changed_listed_and_removed() -> None:
    added = call("hosts", "add", "wh", "--ssh", "me@wh-01:22", "--label", "n150", "--expires", "4h", "--json")
    assert added.code == 0 and complaints("hosts", added.json) == []
    call("hosts", "add", "here", "--local", "--checkout", "~/tt-xla")
    call("hosts", "add", "wh", "--slots", "2")
    wh, here = call("hosts", "list", "--json").json
    assert (wh["ssh"], wh["slots"], wh["labels"], wh["local"]) == ("me@wh-01:22", 2, ["n150"], False)
    assert 14_000 < wh["seconds_left"] <= 14_400
    assert here["local"] and here["seconds_left"] is None
    text = call("hosts", "list", "here").out
    assert "this machine" in text and "wh-01" not in text
    call("hosts", "add", "wh", "--expires", "none")
    assert call("hosts", "list", "wh", "--json").json[0]["expires"] is None
    assert [one["name"] for one in call("hosts", "remove", "wh", "--json").json] == ["here"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "new"), "Give --ssh"),
        (("add", "new", "--ssh", "m", "--local"), "exclude each other"),
        (("add", "new", "--ssh", "m", "--expires", "soon"), "Not a time"),
        (("list", "hre"), "Known: here"),
        (("remove", "nobody"), "There is no host nobody"),
        (("check", "nobody"), "There is no host nobody"),
        ((), "required: VERB"),
    ],
)
def test_usage(words: tuple[str, ...], said: str) -> None:
    call("hosts", "add", "here", "--local")
    called = call("hosts", *words)
    assert called.code == 64 and said in called.err


def test_what_the_file_could_not_say_is_not_written() -> None:
    called = call("hosts", "add", "new", "--ssh", "-oProxyCommand=evil")
    assert called.code != 0 and not paths().hosts_file.exists()
    evil = call("hosts", "add", "new", "--ssh=-oProxyCommand=evil")
    assert evil.code == 64 and "'-oProxyCommand=evil' is not an ssh target" in evil.err
    assert call("hosts", "add", "new", "--ssh=box", "--python=a\nb").code == 64
    assert call("hosts", "add", "a]b", "--ssh=box").code == 64
    assert not paths().hosts_file.exists()


def test_a_wrong_file_is_said_with_its_line() -> None:
    paths().hosts_file.parent.mkdir(parents=True, exist_ok=True)
    paths().hosts_file.write_text('[hosts.a]\nssh = "m"\nslotz = 1\n')
    called = call("hosts", "list", "--json")
    assert called.code == 2 and called.json["error"]["detail"].startswith("line 3:")


def test_reservations_are_imported_from_a_file_and_from_standard_input(tmp_path: Path) -> None:
    (tmp_path / "listed").write_text(LISTED)
    first = call("hosts", "import", tmp_path / "listed", "--user", "me", "--label", "n150", "--json").json
    assert (first[0]["name"], first[0]["ssh"], first[0]["labels"]) == ("wh-01", "me@wh-01:48396", ["n150"])
    again = call("hosts", "import", "-", "--json", stdin=LISTED.replace("11:59:30", "0:10:00")).json
    assert len(call("hosts", "list", "--json").json) == 1 and again[0]["seconds_left"] <= 600


def test_without_ird_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    called = call("hosts", "import")
    assert called.code == 2 and "ird list > FILE" in called.err


def test_hosts_are_checked_through_ssh(near: Path) -> None:
    call("hosts", "add", "wh", "--ssh", "me@wh-01:48396", "--expires", "4h")
    called = call("hosts", "check", "--json")
    assert called.code == 1 and complaints("hosts-check", called.json) == []
    found = {one["check"]: one for one in called.json[0]["findings"]}
    assert found["ssh"]["ok"] and found["python"]["ok"] and found["lease"]["ok"]
    assert not found["checkout"]["ok"] and "--checkout" in found["checkout"]["remedy"]
    arguments = near.read_text()
    assert "StrictHostKeyChecking=yes" in arguments and "hunter2" not in arguments
    text = call("hosts", "check")
    assert "LACKS" in text.out and re.search(r"^wh: checkout: ", text.err, re.MULTILINE)


def test_this_machine_is_checked_without_ssh(near: Path) -> None:
    call("hosts", "add", "here", "--local")
    found = call("hosts", "check", "here", "--json").json[0]["findings"]
    assert [one["check"] for one in found][:2] == ["python", "packages"] and not near.exists()


def test_no_hosts_lack_nothing() -> None:
    called = call("hosts", "check", "--json")
    assert (called.code, json.loads(called.out)) == (0, [])
