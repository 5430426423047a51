# SPDX-License-Identifier: Apache-2.0
"""core.runs.capsule: what goes in comes out, and nothing else is ever taken out."""

import io
import json
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.runs import Outcome, pack, unpack
from core.runs.capsule import MANIFEST, at_home
from core.runs.planning import CPU_PAYLOAD
from core.runs.store import Finished, RunRecord, RunStore, append_event, events_file
from tests.core.runs.conftest import MakeSpec


@pytest.fixture
def record(store: RunStore, make_spec: MakeSpec) -> RunRecord:
    spec = make_spec()
    directory = store.create(spec, '{"version": 1, "checkout": "abc"}')
    (directory / "output.log").write_text("head\n" + "x" * 3_000_000 + "\ntail\n")
    (directory / "junit.xml").write_text("<testsuites/>")
    (directory / "perf").mkdir()
    append_event(events_file(directory), Finished(9.0, Outcome.CRASH, 1.0, signal=11))
    return store.record(spec.run_id)


def test_what_goes_in_comes_out_with_the_log_cut_in_its_middle(record: RunRecord, tmp_path: Path) -> None:
    pack(record, tmp_path / "run.tar.gz")
    capsule = unpack(tmp_path / "run.tar.gz")
    assert capsule.spec == record.spec
    assert (capsule.outcome, capsule.summary) == ("crash", "ended by SIGSEGV")
    assert capsule.provenance["checkout"] == "abc"
    assert set(capsule.files) == {MANIFEST, "events.jsonl", "junit.xml", "output.log", "provenance.json"}
    log = capsule.files["output.log"]
    assert log.startswith(b"head\n")
    assert log.endswith(b"\ntail\n")
    assert b"bytes left out" in log
    assert len(log) < 1_200_000


def test_a_capsule_is_brought_to_the_places_of_this_machine(record: RunRecord, tmp_path: Path) -> None:
    there = record.directory
    argv = ("/old/python", str(CPU_PAYLOAD), f"--checkout={record.spec.cwd}", f"--junitxml={there}/junit.xml", "-x")
    moved = replace(record, spec=replace(record.spec, argv=argv, env={"OUT": f"{there}/perf"}))
    pack(moved, tmp_path / "run.tar.gz")
    spec = at_home(unpack(tmp_path / "run.tar.gz"), Path("/new/tt-xla"), Path("/new/python"), Path("/new/runs"))
    here = f"/new/runs/{record.spec.run_id}"
    new = ("/new/python", str(CPU_PAYLOAD), "--checkout=/new/tt-xla", f"--junitxml={here}/junit.xml", "-x")
    assert spec.argv == new
    assert (spec.env, spec.cwd) == ({"OUT": f"{here}/perf"}, Path("/new/tt-xla"))


def archive(file: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(file, "w:gz") as handle:
        for member, data in members:
            member.size = len(data)
            handle.addfile(member, io.BytesIO(data))
    return file


def named(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, link
    return member


@pytest.mark.parametrize(
    "member",
    [
        named("../../evil"),
        named("/etc/cron.d/evil"),
        named("output.log/../../evil"),
        named("output.log", tarfile.SYMTYPE, "/etc/passwd"),
        named("output.log", tarfile.LNKTYPE, "capsule.json"),
        named("junit.xml", tarfile.DIRTYPE),
        named("junit.xml", tarfile.FIFOTYPE),
        named("more.txt"),
    ],
)
def test_whatever_no_capsule_holds_is_refused(record: RunRecord, tmp_path: Path, member: tarfile.TarInfo) -> None:
    pack(record, tmp_path / "run.tar.gz")
    manifest = unpack(tmp_path / "run.tar.gz").files[MANIFEST]
    before = sorted(tmp_path.rglob("*"))
    bad = archive(tmp_path / "bad.tar.gz", (named(MANIFEST), manifest), (member, b""))
    with pytest.raises(TTMatrixError, match="is not a capsule"):
        unpack(bad)
    assert sorted(tmp_path.rglob("*")) == sorted([*before, bad])


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    bomb = archive(tmp_path / "bomb.tar.gz", (named("output.log"), b"\0" * (65 * 2**20)))
    with pytest.raises(TTMatrixError, match="is not a capsule") as caught:
        unpack(bomb)
    assert "too large" in caught.value.detail


@pytest.mark.parametrize(
    "manifest", ["", "[]", "{}", json.dumps({"version": 2}), json.dumps({"version": 1, "spec": {}})]
)
def test_a_manifest_that_says_nothing_is_refused(tmp_path: Path, manifest: str) -> None:
    file = archive(tmp_path / "x.tar.gz", (named(MANIFEST), manifest.encode()))
    with pytest.raises(TTMatrixError, match="is not a capsule"):
        unpack(file)


def test_what_is_no_archive_is_reported(tmp_path: Path, record: RunRecord) -> None:
    with pytest.raises(TTMatrixError, match="Cannot read"):
        unpack(tmp_path / "absent")
    (tmp_path / "text").write_text("x")
    with pytest.raises(TTMatrixError, match="text"):
        unpack(tmp_path / "text")
    pack(record, tmp_path / "cut")
    (tmp_path / "cut").write_bytes((tmp_path / "cut").read_bytes()[:200])
    with pytest.raises(TTMatrixError, match="cut"):
        unpack(tmp_path / "cut")
