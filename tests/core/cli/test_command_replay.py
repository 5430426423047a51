# SPDX-License-Identifier: Apache-2.0
"""`replay`: shows first, and repeats the run on request."""

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from core.runs.capsule import MANIFEST
from core.sources import Checkout
from tests.support.cli import call
from tests.support.tree import sample

FAILS = "alpha/pytorch-org/name-single_device-training"


@pytest.fixture
def capsule(runnable: Checkout, tmp_path: Path) -> Path:
    (done,) = call("run", FAILS, "--kind", "cpu", "--wait", "--json", "--repo", runnable.root).json
    call("capsule", done["run"], "-o", tmp_path / "x.tar.gz")
    return tmp_path / "x.tar.gz"


def test_the_plan_is_shown_and_nothing_is_started(capsule: Path, runnable: Checkout) -> None:
    called = call("replay", capsule, "--repo", runnable.root)
    first, *_, command = called.out.splitlines()
    assert first.startswith(f"{FAILS}: fail bfloat16 forward")
    assert command.startswith(f"cd {runnable.root} && ")
    assert "Nothing was started" in called.err
    assert len(call("runs", "--json").json) == 1


def test_what_differs_here_is_reported_and_the_run_is_of_this_checkout(capsule: Path, tmp_path: Path) -> None:
    other = sample(tmp_path / "other")
    python = tmp_path / "python"
    python.write_text(python.read_text().replace('"torch": "2.9.0"', '"torch": "2.10.0"'))
    document = call("replay", capsule, "--repo", other.root, "--json").json
    assert document["differences"] == [{"what": "torch", "there": "2.9.0", "here": "2.10.0"}]
    assert document["plan"]["cwd"] == str(other.root)
    assert f"--checkout={other.root}" in document["plan"]["argv"]
    started = call("replay", capsule, "--start", "--yes", "--wait", "--json", "--repo", other.root)
    assert (started.code, started.json[0]["outcome"]) == (1, "fail")
    assert "differs: torch was 2.9.0, is 2.10.0" in started.err


def tampered(capsule: Path, **changes: Any) -> Path:
    """The capsule with another spec, as a malicious sender might have made it."""
    with tarfile.open(capsule) as archive:
        found = {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]
    manifest = json.loads(found[MANIFEST])
    manifest["spec"] |= changes
    found[MANIFEST] = json.dumps(manifest).encode()
    file = capsule.with_name("tampered.tar.gz")
    with tarfile.open(file, "w:gz") as archive:
        for name, data in found.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return file


def test_nothing_of_an_archive_is_executed(capsule: Path, runnable: Checkout, tmp_path: Path) -> None:
    """Its command and its environment are only shown; what runs is planned here."""
    mark = tmp_path / "pwned"
    evil = tampered(capsule, argv=["/bin/sh", "-c", f"touch {mark}"], env={"LD_PRELOAD": "/tmp/evil.so"}, cwd="/")
    document = call("replay", evil, "--repo", runnable.root, "--json").json
    assert "LD_PRELOAD" not in document["plan"]["env"]
    told = [(one["what"], one["there"], one["here"]) for one in document["differences"]]
    assert ("argument", f"touch {mark}", "") in told
    assert ("variable", "LD_PRELOAD=/tmp/evil.so", "") in told
    assert ("argument", "", f"--checkout={runnable.root}") in told
    started = call("replay", evil, "--start", "--yes", "--wait", "--repo", runnable.root)
    assert (started.code, mark.exists()) == (1, False)
    assert "differs: variable was LD_PRELOAD=/tmp/evil.so, is absent" in started.err


def test_what_is_not_known_here_is_refused(capsule: Path, runnable: Checkout) -> None:
    unknown: dict[str, dict[str, Any]] = {
        "evil": {"test_id": "../../evil/pytorch-x-single_device-training"},
        "of the unknown kind 'shell'": {"kind": "shell"},
        "The capsule has a run of 4 cases: m::a, m::b, m::c, ...\nttmatrix ops run ID... --backend eager": {
            "kind": "op",
            "arch": "eager",
            "report": "cases",
            "cases": "m::a\nm::b\nm::c\nm::d",
            "manifests": ["tests/op_manifests/m.yaml"],
        },
        "--collect-only": {"arch": "--collect-only"},
        "No profile 'unknown'": {"profile": "unknown"},
    }
    for said, change in unknown.items():
        called = call("replay", tampered(capsule, **change), "--start", "--yes", "--repo", runnable.root)
        assert (called.code, said in called.err) == (64, True), called.err
        assert len(call("runs", "--json").json) == 1


def test_a_start_wants_a_yes(capsule: Path, runnable: Checkout) -> None:
    words = ("replay", capsule, "--start", "--repo", runnable.root)
    headless = call(*words)
    assert headless.code == 64
    assert "add --yes" in headless.err
    assert call(*words, "--json").code == 64
    for answer, count in (("", 1), ("n\n", 1), ("yes\n", 2)):
        called = call(*words, typed=answer)
        assert "Start it? [y/N]" in called.err
        assert len(call("runs", "--json").json) == count
    assert call(*words, "--plan").out.startswith(f"cd {runnable.root} && ")


def test_a_profile_is_that_of_this_machine(runnable: Checkout, tmp_path: Path, own_home: Path) -> None:
    settings = own_home / "config/settings.toml"
    before = settings.read_text()
    settings.write_text(before + '[profiles.p]\nenvironment = {DEPTH = "1"}\n')
    (done,) = call("run", FAILS, "--kind", "cpu", "--profile", "p", "--wait", "--json", "--repo", runnable.root).json
    call("capsule", done["run"], "-o", tmp_path / "x.tar.gz")
    settings.write_text(before + '[profiles.p]\nenvironment = {DEPTH = "2"}\n')
    document = call("replay", tmp_path / "x.tar.gz", "--json", "--repo", runnable.root).json
    assert document["plan"]["env"]["DEPTH"] == "2"
    assert {"what": "variable", "there": "DEPTH=1", "here": ""} in document["differences"]
    assert {"what": "variable", "there": "", "here": "DEPTH=2"} in document["differences"]


def test_no_capsule(runnable: Checkout, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("x")
    assert call("replay", tmp_path / "text", "--repo", runnable.root).code == 2
    assert call("replay", tmp_path / "absent", "--repo", runnable.root).code == 2
