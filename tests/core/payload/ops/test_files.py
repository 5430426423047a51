# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.ops.files: tensors from files, and hostile files that execute nothing."""

import importlib
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
numpy: Any = pytest.importorskip("numpy")
files: Any = importlib.import_module("core.payload.ttmatrix_payload.ops.files")
tensors: Any = importlib.import_module("core.payload.ttmatrix_payload.ops.tensors")
cases: Any = importlib.import_module("core.payload.ttmatrix_payload.ops.cases")


@pytest.fixture
def place(tmp_path: Path) -> Any:
    root = tmp_path / "manifests"
    root.mkdir()
    return files.Place(root / "m.yaml", root, 10_000)


class Payload:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


def test_single_and_named_tensors_are_read(place: Any) -> None:
    value = torch.arange(4.0)
    torch.save(value, place.root / "one.pt")
    torch.save({"a.b": value, "c": value + 1}, place.root / "two.pth")
    numpy.save(place.root / "three.npy", value.numpy())
    assert files.load_tensor(place, "one.pt", "").equal(value)
    assert files.load_tensor(place, "two.pth", "a.b").equal(value)
    assert files.load_tensor(place, "three.npy", "").equal(value)
    with pytest.raises(ValueError, match=r"it has a\.b, c"):
        files.load_tensor(place, "two.pth", "x")
    with pytest.raises(ValueError, match="single tensor"):
        files.load_tensor(place, "one.pt", "x")


def test_shape_and_dtype_are_checked(place: Any) -> None:
    torch.save(torch.arange(4.0), place.root / "one.pt")

    def build(shape: tuple[int, ...], dtype: str) -> Any:
        return tensors.build(cases.Tensor(shape, dtype, init="file", file="one.pt"), 0, place)

    assert build((4,), "float32").tolist() == [0, 1, 2, 3]
    assert build((), "").tolist() == [0, 1, 2, 3], "a file alone is as it was saved"
    with pytest.raises(tensors.BuildError, match=r"has a shape of \[4\]"):
        build((2, 2), "float32")
    with pytest.raises(tensors.BuildError, match="holds float32"):
        build((4,), "float16")


@pytest.mark.parametrize("name", ["evil.pt", "evil.npy"])
def test_pickles_execute_nothing(place: Any, tmp_path: Path, name: str) -> None:
    payload = Payload(tmp_path / "executed")
    if name.endswith(".pt"):
        torch.save(payload, place.root / name)
    else:
        numpy.save(place.root / name, numpy.array([payload], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"no plain array|more than tensors"):
        files.load_tensor(place, name, "")
    (place.root / "plain.pt").write_bytes(pickle.dumps(payload))
    with pytest.raises(ValueError, match="more than tensors"):
        files.load_tensor(place, "plain.pt", "")
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize(
    "name",
    [
        "../secret.pt",
        "/etc/passwd.pt",
        "file:///x.pt",
        "http://host/x.pt",
        "link.pt",
        "away/secret.pt",
        "none.pt",
        "x.bin",
    ],
)
def test_nothing_outside_of_the_root_is_read(place: Any, tmp_path: Path, name: str) -> None:
    torch.save(torch.ones(2), tmp_path / "secret.pt")
    (place.root / "link.pt").symlink_to(tmp_path / "secret.pt")
    (place.root / "away").symlink_to(tmp_path)
    with pytest.raises((ValueError, OSError)):
        files.load_tensor(place, name, "")
    with pytest.raises(tensors.BuildError):
        tensors.build(cases.Tensor((), "", init="file", file=name), 0, place)


def test_files_that_hold_too_much_are_not_read(place: Any) -> None:
    torch.save(torch.zeros(20_000), place.root / "large.pt")
    with pytest.raises(ValueError, match="more than the 10000 allowed"):
        files.load_tensor(place, "large.pt", "")
    torch.save(torch.zeros(20_000), place.root / "stored.pt")
    with (
        zipfile.ZipFile(place.root / "stored.pt") as stored,
        zipfile.ZipFile(place.root / "packed.pt", "w", zipfile.ZIP_DEFLATED) as packed,
    ):
        for one in stored.infolist():
            packed.writestr(one.filename, stored.read(one))
    assert (place.root / "packed.pt").stat().st_size < 10_000
    with pytest.raises(ValueError, match="more than the 10000 allowed"):
        files.load_tensor(place, "packed.pt", "")


def test_a_header_that_claims_more_than_there_is_allocates_nothing(place: Any) -> None:
    numpy.save(place.root / "short.npy", numpy.zeros(8))
    data = (place.root / "short.npy").read_bytes().replace(b"(8,), }             ", b"(8000000000000,), } ")
    (place.root / "short.npy").write_bytes(data)
    with pytest.raises(ValueError, match="no plain array, or is damaged"):
        files.load_tensor(place, "short.npy", "")
