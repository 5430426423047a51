# SPDX-License-Identifier: Apache-2.0
"""Read one tensor from a file beside a manifest: only inside the allowed directory, no code, bounded size."""

from __future__ import annotations

import importlib
import importlib.util
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch

from .paths import resolve


class Place(NamedTuple):
    """Restrictions on the files that a manifest names."""

    manifest: Path
    """Names are relative to its directory."""
    root: Path
    """No file is read outside of this directory."""
    max_bytes: int
    """The largest size of a file."""


def load_tensor(place: Place, name: str, key: str) -> torch.Tensor:
    """The tensor called `key` in the file called `name`; without a key, the only one in the file.

    Raises ValueError if the name leads outside the root, the file is too large or holds no such tensor.
    """
    path = resolve(name, place.manifest, place.root)
    _check_size(path, path.stat().st_size, place.max_bytes)
    return _READERS[path.suffix](path, key, place.max_bytes)


def _check_size(path: Path, size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise ValueError(f"{path.name} holds {size} bytes, more than the {max_bytes} allowed")


def _torch(path: Path, key: str, max_bytes: int) -> torch.Tensor:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            _check_size(path, sum(one.file_size for one in archive.infolist()), max_bytes)
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ValueError(f"{path.name} is not read, as it holds more than tensors or is damaged: {text}") from error
    return _chosen(found, key, path)


def _numpy(path: Path, key: str, max_bytes: int) -> torch.Tensor:
    numpy: Any = importlib.import_module("numpy")
    # Map the file first: a header that claims more than the file holds then allocates nothing.
    try:
        mapped = numpy.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:
        raise ValueError(f"{path.name} is not read: it is no plain array, or is damaged") from error
    return _chosen(torch.from_numpy(numpy.array(mapped)), key, path)


def _safetensors(path: Path, key: str, max_bytes: int) -> torch.Tensor:
    if importlib.util.find_spec("safetensors") is None:
        raise ValueError(f"{path.name} needs safetensors: pip install safetensors")
    module: Any = importlib.import_module("safetensors.torch")
    try:
        found = module.load_file(path, device="cpu")
    except Exception as error:
        raise ValueError(f"{path.name} is not read, as it is damaged: {str(error).partition(chr(10))[0]}") from error
    return _chosen(found, key, path)


_READERS: Mapping[str, Callable[[Path, str, int], torch.Tensor]] = {
    ".pt": _torch,
    ".pth": _torch,
    ".npy": _numpy,
    ".safetensors": _safetensors,
}


def _chosen(found: Any, key: str, path: Path) -> torch.Tensor:
    if isinstance(found, Mapping):
        if not key and len(found) == 1:
            key = next(iter(found))
        if key not in found:
            names = ", ".join(sorted(map(str, found))[:10])
            raise ValueError(f"{path.name} has no {key or 'single tensor'}; it has {names}")
        found = found[key]
    elif key:
        raise ValueError(f"{path.name} is a single tensor and has no {key}")
    if not isinstance(found, torch.Tensor) or found.layout != torch.strided or found.is_quantized:
        raise ValueError(f"{path.name} holds no plain tensor")
    return found.detach()
