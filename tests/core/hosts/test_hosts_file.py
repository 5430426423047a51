# SPDX-License-Identifier: Apache-2.0
"""The hosts file: its format, the line of a mistake, and changes that keep the rest."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.errors import TTMatrixError
from core.hosts import Host, change_hosts, read_hosts, with_host, without_host
from core.hosts.hosts_file import parse_hosts

FILE = Path("hosts.toml")
SAMPLE = """\
# mine

[hosts.wormhole]  # until tonight
ssh = "me@wh-01:48396"
labels = ["n150", "fast"]
slots = 2
# the venv of tt-xla
python = "~/tt-xla/venv/bin/python"
checkout = "/localdev/me/tt-xla"
expires = 2026-11-23T18:00:00Z

# the container that I work in
[hosts.here]
local = true
"""


def test_hosts_are_read() -> None:
    wormhole, here = parse_hosts(SAMPLE, FILE)
    assert wormhole == Host(
        "wormhole",
        "me@wh-01:48396",
        ("n150", "fast"),
        2,
        "~/tt-xla/venv/bin/python",
        "/localdev/me/tt-xla",
        datetime(2026, 11, 23, 18, tzinfo=UTC),
    )
    assert here == Host("here") and here.here and not wormhole.here


def test_without_a_file_there_are_no_hosts(tmp_path: Path) -> None:
    assert read_hosts(tmp_path / "hosts.toml") == ()


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('[hosts.a]\nssh = "m"\nslotz = 2\n', 3, "'slotz' is unknown"),
        ('\n[hosts.a]\nssh = "m"\nslots = 0\n', 4, "'slots' must be a whole number"),
        ('[hosts.a]\nssh = "m"\nslots = true\n', 3, "'slots' must be a whole number"),
        ('[hosts.a]\nssh = "m"\n[hosts.b]\nssh = "-oProxyCommand=x"\n', 4, "is not an ssh target"),
        ('[hosts.a]\nssh = "u@m:99999"\n', 2, "is not an ssh target"),
        ('[hosts.a]\nssh = "u@m; rm"\n', 2, "is not an ssh target"),
        ('[hosts.a]\nssh = ""\n', 2, "must be text on one line"),
        ("[hosts.a]\nslots = 1\n", 1, "'ssh' is missing"),
        ('[hosts.a]\nssh = "m"\nlocal = true\n', 3, "both 'ssh' and local = true"),
        ("[hosts.a]\nlocal = true\n[hosts.b]\nlocal = true\n", 4, "a and b are both this machine"),
        ("[hosts.a]\nlocal = 1\n", 2, "must be true or false"),
        ('[hosts.a]\nssh = "m"\nlabels = "n150"\n', 3, "must be a list of words"),
        ('[hosts.a]\nssh = "m"\nlabels = ["n 150"]\n', 3, "must be a list of words"),
        ('[hosts.a]\nssh = "m"\nexpires = 2026-11-23\n', 3, "must be a date and time"),
        ('[hosts.a]\nssh = "m"\nexpires = "4h"\n', 3, "must be a date and time"),
        ('[hosts.a]\nssh = "m"\ncheckout = "tt-xla"\n', 3, "must begin with / or ~/"),
        ('[hosts."a b"]\nssh = "m"\n', 1, "the name must be"),
        ('ssh = "m"\n', 1, "'ssh' is unknown"),
        ("hosts = 1\n", 1, "must hold tables"),
        ('[hosts.a]\nssh = "m\n', 2, "line 2"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(TTMatrixError) as caught:
        parse_hosts(text, FILE)
    assert f"line {line}" in caught.value.detail and problem in caught.value.detail


@pytest.mark.parametrize("target", ["m", "u@m", "u@m:22", "aus-wh-01.local:48396", "u@[::1]:2222"])
def test_targets(target: str) -> None:
    assert parse_hosts(f'[hosts.a]\nssh = "{target}"\n', FILE)[0].ssh == target


def test_a_change_leaves_other_tables_and_comments() -> None:
    wormhole, here = parse_hosts(SAMPLE, FILE)
    changed = with_host(SAMPLE, replace(wormhole, slots=1, python=""), FILE)
    assert "# the venv of tt-xla\n" in changed and "python" not in changed
    head, tail = SAMPLE.index("[hosts.wormhole]"), SAMPLE.index("\n# the container")
    assert changed.startswith(SAMPLE[:head]) and changed.endswith(SAMPLE[tail:])
    assert with_host(SAMPLE, Host("new", "m"), FILE) == SAMPLE + '\n[hosts.new]\nssh = "m"\n'
    assert parse_hosts(without_host(SAMPLE, "wormhole", FILE), FILE) == (here,)
    assert without_host(SAMPLE, "here", FILE).startswith(SAMPLE[:tail])


def test_what_only_a_person_can_change_is_refused() -> None:
    inline = 'hosts = {a = {ssh = "m"}}\n'
    with pytest.raises(TTMatrixError, match="Cannot change host a"):
        without_host(inline, "a", FILE)
    with pytest.raises(TTMatrixError, match="Cannot change host a"):
        with_host(inline, Host("a", "n"), FILE)


hosts = st.builds(
    Host,
    name=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,8}", fullmatch=True),
    ssh=st.sampled_from(["m", "u@m", "u@m:2222"]),
    labels=st.lists(st.sampled_from(["n150", "p150", "a.b", "x_y"]), unique=True).map(tuple),
    slots=st.integers(1, 256),
    python=st.sampled_from(["", "/usr/bin/python3", '/a "b" \\c']),
    expires=st.none()
    | st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)).map(lambda one: one.replace(microsecond=0, tzinfo=UTC)),
)


@given(st.lists(hosts, unique_by=lambda one: one.name, min_size=1), st.data())
def test_what_is_written_is_read_again_and_removed_again(wanted: list[Host], data: st.DataObject) -> None:
    text = "# first\n"
    for one in wanted:
        text = with_host(text, one, FILE)
    assert parse_hosts(text, FILE) == tuple(wanted)
    gone = data.draw(st.sampled_from(wanted))
    left = without_host(text, gone.name, FILE)
    assert parse_hosts(left, FILE) == tuple(one for one in wanted if one != gone)
    assert left.startswith("# first\n")


def test_a_wrong_file_is_not_changed(tmp_path: Path) -> None:
    file = tmp_path / "config" / "hosts.toml"
    file.parent.mkdir()
    file.write_text("[hosts.a]\n")
    with pytest.raises(TTMatrixError, match="Cannot read"):
        change_hosts(file, lambda text: with_host(text, Host("b", "m"), file))
    assert file.read_text() == "[hosts.a]\n"
