# SPDX-License-Identifier: Apache-2.0
"""Artefacts on demand: bounded, resumed, unpacked where `ir` opens them, removed by the policy and never while read."""

import io
import os
import stat
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from core.base.errors import TTMatrixError
from core.base.settings import paths
from core.evidence.github import (
    Artefact,
    Expired,
    InUse,
    Transport,
    artefact_directory,
    artefacts,
    fetch_artefact,
    retain_fetched,
)
from core.sources import Checkout
from tests.support.ci_night import Night, ingest
from tests.support.cli import call
from tests.support.github_server import TOKEN, Answer, GitHub, reached
from tests.support.tree import sample

hub = pytest.fixture(reached)
MODULE = b'module {\n  func.func @main() {\n    %0 = "ttnn.add"() : () -> ()\n  }\n}\n'
NAME = "ir-dumps-a1b2-1.0-n150-n150_and_nightly-20001"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def artefact(hub: GitHub, data: bytes, id: int = 7) -> Artefact:
    hub.archives[id] = data
    return Artefact(id, NAME, len(data), False, f"{hub.api}/repos/team/tt-xla/actions/artifacts/{id}/zip")


def zipped(files: dict[str, bytes], **modes: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        for name, mode in modes.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, "/etc/passwd")
    return out.getvalue()


def test_an_ir_dump_of_ci_opens_in_ir(hub: GitHub, checkout: Checkout) -> None:
    night = Night(hub, 20)
    job = night.models("n150", {"a/b": "pass"})
    hub.add_artefact(
        20, 9, f"ir-dumps-a1b2-1.0-n150-x-{job}", {"alexnet/ttnn_g0.mlir": MODULE, "alexnet/ttir_g0.mlir": MODULE}
    )
    hub.add_artefact(20, 10, f"ir-dumps-a1b2-1.1-n150-x-{job + 1}", {"x.mlir": MODULE}, expired=True)
    ingest(checkout)
    assert not any("artifacts/9/zip" in path for _, path, _ in hub.asked), "not before it is asked for"
    listed = call("nightly", "--artefacts", "--json", "--repo", checkout.root).json
    assert [(one["job"], one["expired"], one["programs"], one["directory"]) for one in listed if one["programs"]] == [
        (job, False, True, None), (job + 1, True, True, None)
    ]  # fmt: skip
    done = call("nightly", "--fetch", f"x-{job}", "--json", "--repo", checkout.root)
    (one,) = done.json
    assert done.code == 0
    programs = call("ir", "list", one["directory"], "--json", "--repo", checkout.root).json
    assert [(program["stage"], program["name"]) for program in programs] == [
        ("ttir", "alexnet/ttir_g0.mlir"), ("ttnn", "alexnet/ttnn_g0.mlir")
    ]  # fmt: skip
    (ops,) = call("ir", "ops", f"{one['directory']}:ttnn_g0", "--json", "--repo", checkout.root).json
    assert ops["ops"]["ttnn.add"] == 1
    before = len([path for _, path, _ in hub.asked if "artifacts/9/zip" in path])
    call("nightly", "--fetch", f"x-{job}", "--repo", checkout.root)
    assert len([path for _, path, _ in hub.asked if "artifacts/9/zip" in path]) == before, "it is here"
    gone = call("nightly", "--fetch", "ir-dumps", "--repo", checkout.root)
    assert gone.code == 1 and "expired" in gone.err
    assert call("nightly", "--fetch", "nothing of it", "--repo", checkout.root).code == 64


def test_a_download_that_broke_off_goes_on_where_it_was(hub: GitHub, tmp_path: Path) -> None:
    data = zipped({"a.mlir": os.urandom(3_000_000)})
    one, place = artefact(hub, data), tmp_path / "run" / NAME
    hub.faults["blobs:"] = [Answer(body=data, cut=2_000_000)]
    fetch_artefact(Transport(TOKEN), one, place)
    assert (place / "a.mlir").stat().st_size == 3_000_000
    assert int(hub.begun[-1]) >= 1_000_000
    assert not list(place.parent.glob("*.part")) and not list(place.parent.glob("*.zip"))


def test_what_was_interrupted_is_gone_on_with_by_the_next_call(hub: GitHub, tmp_path: Path) -> None:
    data = zipped({"a.mlir": os.urandom(3_000_000)})
    one, place = artefact(hub, data), tmp_path / "run" / NAME
    github, seen = Transport(TOKEN), []

    def stop(done: int, _: int) -> None:
        seen.append(done)
        if done > 1_000_000:
            github.stop()

    with pytest.raises(TTMatrixError):
        fetch_artefact(github, one, place, stop)
    assert not place.exists()
    again: list[int] = []
    fetch_artefact(Transport(TOKEN), one, place, lambda done, total: again.append(done))
    assert again[0] > seen[-1] - 1 and (place / "a.mlir").is_file()


@pytest.mark.parametrize("status", [404, 410])
def test_one_that_has_expired(hub: GitHub, tmp_path: Path, status: int) -> None:
    one = artefact(hub, zipped({"a": b"x"}))
    hub.faults["/zip"] = [Answer(status)]
    with pytest.raises(Expired):
        fetch_artefact(Transport(TOKEN), one, tmp_path / "run" / NAME)


def test_names_that_lead_out_and_links_are_left_out(hub: GitHub, tmp_path: Path) -> None:
    files = {"../../out.mlir": b"x", "/etc/out.mlir": b"x", "a/../../out.mlir": b"x", "..\\out.mlir": b"x"}
    files |= {"a b/\x1b[2J\x07.mlir": b"y", "x" * 5_000 + ".mlir": b"z", ".": b"", "good.mlir": b"x"}
    data = zipped(files, link=stat.S_IFLNK | 0o777, pipe=stat.S_IFIFO | 0o600)
    place = tmp_path / "run" / NAME
    fetch_artefact(Transport(TOKEN), artefact(hub, data), place)
    found = [one for one in place.rglob("*") if not one.is_dir()]
    assert {one.relative_to(place).parts[0] for one in found} >= {"good.mlir", "a b"}
    assert all(one.name.isprintable() and not one.is_symlink() for one in found)
    assert not list(tmp_path.glob("out.mlir")) and not (place / "link").exists() and not (place / "pipe").exists()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"<html>no archive</html>", "not a readable archive"),
        (zipped({"a": b"x" * 5_000})[:-40], "not a readable archive"),
        (zipped({"bomb.mlir": b"\0" * (64 * 2**20)}), "times its size"),
        (zipped({f"{number}.mlir": b"" for number in range(300)}), "at most 200 are unpacked"),
    ],
    ids=["a page", "half", "a bomb", "too many"],
)
def test_what_is_no_dump_is_refused(
    hub: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, why: str
) -> None:
    monkeypatch.setattr(artefacts, "_LEAST_UNPACKED", 2**20)
    monkeypatch.setattr(artefacts, "_MOST_MEMBERS", 200)
    place = tmp_path / "run" / NAME
    with pytest.raises(TTMatrixError) as error:
        fetch_artefact(Transport(TOKEN), artefact(hub, data), place)
    assert why in error.value.detail
    assert not place.exists() and not list(place.parent.glob("*.unpacking")) and not list(place.parent.glob("*.zip"))


def test_one_that_is_too_large_is_not_asked_for(hub: GitHub, tmp_path: Path) -> None:
    one = Artefact(1, NAME, artefacts.MOST_BYTES + 1, False, f"{hub.api}/x")
    with pytest.raises(TTMatrixError, match="Not read"):
        fetch_artefact(Transport(TOKEN), one, tmp_path / "run" / NAME)
    assert not hub.asked


_FETCHES = r"""
import re, sys
from pathlib import Path
from core.evidence.github import Transport, fetch_artefact
from core.evidence.github import Artefact
api, size, place = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
fetch_artefact(Transport("x", api=api), Artefact(7, "x", size, False, f"{api}/repos/team/tt-xla/actions/artifacts/7/zip"), place)
print(len(list(place.rglob("*.mlir"))), int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


@pytest.mark.slow("it packs and unpacks 1 GB")
def test_500_dumps_take_little_memory(hub: GitHub, tmp_path: Path) -> None:
    line = b"    %0 = ttnn.add : tensor<32x32xbf16>\n" * 50_000
    data = zipped({f"m{number}/ttnn.mlir": line for number in range(500)})
    artefact(hub, data)
    words = [sys.executable, "-c", _FETCHES, hub.api, str(len(data)), str(tmp_path / "run" / NAME)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[4])
    files, megabytes = map(int, done.stdout.split())
    assert files == 500 and megabytes < 200


def test_retention_removes_what_is_old_or_too_much_and_never_what_is_read(tmp_path: Path) -> None:
    logs, dumps, now = tmp_path / "logs", tmp_path / "dumps", time.time()
    logs.mkdir()
    for number in range(4):
        file = logs / f"{number}.log"
        file.write_bytes(b"x" * 2**20)
        (logs / f"{number}.part").touch()
        os.utime(file, (now - number * 86_400, now - number * 86_400))
        directory = dumps / "nightly-1" / f"ir-dumps-1.{number}-x"
        directory.mkdir(parents=True)
        (directory / "a.mlir").write_bytes(b"x" * 2**20)
        os.utime(directory, (now - number * 86_400, now - number * 86_400))
    reading = [InUse(logs / "3.log"), InUse(dumps / "nightly-1" / "ir-dumps-1.3-x")]
    for place in (logs / "3.log", dumps / "nightly-1" / "ir-dumps-1.3-x"):
        os.utime(place, (now - 9 * 86_400, now - 9 * 86_400))
    assert retain_fetched(logs, dumps, 1.5, 0, now) == 2, "two are old, and two more are being read"
    assert sorted(one.name for one in logs.glob("*.log")) == ["0.log", "1.log", "3.log"]
    assert not (logs / "2.part").exists()
    for one in reading:
        one.close()
    assert retain_fetched(logs, dumps, 1.5, 0, now) == 2
    assert retain_fetched(logs, dumps, 0, 3 / 1024, now) == 1, "the oldest of four beyond 3 MiB"
    assert retain_fetched(logs, dumps, 0, 0, now) == 0
    assert retain_fetched(tmp_path / "none", tmp_path / "none", 1, 1, now) == 0


def test_ingest_removes_by_the_policy(hub: GitHub, checkout: Checkout) -> None:
    Night(hub, 20).models("n150", {"a/b": "pass"}, report=False, log="Killed")
    words = "ingest", "--from-github", "--repository", "team/tt-xla", "--json", "--repo", checkout.root
    call(*words)
    (file,) = paths().evidence.glob("*-logs/*.log")
    (checkout.root / "ttmatrix-policy.toml").write_text("[retention]\nfetched_days = 30\n")
    os.utime(file, (1, 1))
    Night(hub, 21).models("n150", {"a/b": "pass"})
    assert "removed 1 old logs and artefacts" in call(*words).err
    assert not file.exists()


def test_where_it_is(tmp_path: Path) -> None:
    found: Any = artefact_directory(tmp_path / "x.db", "o/n", "nightly-1", "../a\x1b/b")
    assert found.parent.parent.parent == tmp_path and found.name == ".._a_b"
