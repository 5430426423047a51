# SPDX-License-Identifier: Apache-2.0
"""The sizes of downloads, as reported by their servers: within a few seconds in total, or not at all."""

import http.client
import json
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from core.runs.planning.downloads import OFFLINE, Download, Kind

_HUB = "https://huggingface.co"
_SECONDS = 3.0
_AT_A_TIME = 8
_MOST_ASKED = 64
_LARGEST_ANSWER = 8 * 2**20
_WEIGHTS = (".safetensors", ".bin")
"""`from_pretrained` takes the files of the first of these kinds that a repository has."""
_FOREIGN = (".h5", ".msgpack", ".onnx", ".ot", ".gguf", ".pth", ".pt", ".tflite", ".mlmodel", *_WEIGHTS)
"""Weights, including those of other libraries."""

_ON_HUB = (Kind.CHECKPOINT, Kind.DATASET)

_known: dict[tuple[str, str], int | None] = {}
"""Answers of servers in this process; a plan is made again for each option that a person tries."""


def with_sizes(downloads: Sequence[Download], environ: Mapping[str, str], *, files: bool) -> list[Download]:
    """`downloads` with the sizes that their servers report; None if a server is not reached.

    Without `files`, only the hub and the package index are contacted, not the servers that the checkout names.
    """
    asked = [one for one in downloads if one.address or one.kind in _ON_HUB or (files and one.kind is Kind.FILE)]
    asked = [one for one in asked if one.size is None][:_MOST_ASKED]
    if not asked or environ.get(OFFLINE, "") not in ("", "0"):
        return list(downloads)
    hub = environ.get("HF_ENDPOINT") or _HUB
    deadline = time.monotonic() + _SECONDS
    with ThreadPoolExecutor(_AT_A_TIME) as threads:
        sizes = dict(zip(asked, threads.map(partial(_size, hub, deadline), asked), strict=True))
    return [replace(one, size=sizes.get(one, one.size)) for one in downloads]


def _size(hub: str, deadline: float, one: Download) -> int | None:
    address = one.address or (one.name if one.kind is Kind.FILE else "")
    key = (hub, address or one.name)
    left = deadline - time.monotonic()
    if key not in _known and left > 0:
        try:
            _known[key] = _of_file(address, left) if address else _of_repository(hub, one, left)
        except (OSError, ValueError, http.client.HTTPException, urllib.error.URLError):
            _known[key] = None
    return _known.get(key)


def _of_file(address: str, seconds: float) -> int | None:
    if address.startswith("file://"):
        return Path(unquote(urlsplit(address).path)).stat().st_size
    if not address.startswith(("http://", "https://")):
        return None
    request = urllib.request.Request(address, method="HEAD")
    with urllib.request.urlopen(request, timeout=seconds, context=_certificates()) as answer:
        return int(answer.headers["Content-Length"]) if answer.headers["Content-Length"] else None


@cache
def _certificates() -> ssl.SSLContext:
    """Read once: reading those of the system takes longer than a request."""
    return ssl.create_default_context()


def _of_repository(hub: str, one: Download, seconds: float) -> int | None:
    kind = "datasets" if one.kind is Kind.DATASET else "models"
    address = f"{hub.rstrip('/')}/api/{kind}/{quote(one.name)}?blobs=true"
    with urllib.request.urlopen(address, timeout=seconds, context=_certificates()) as answer:
        said = json.loads(answer.read(_LARGEST_ANSWER))
    listed = said.get("siblings") if isinstance(said, dict) else None
    files = {
        str(file.get("rfilename")): file["size"]
        for file in (listed if isinstance(listed, list) else ())
        if isinstance(file, dict) and isinstance(file.get("size"), int)
    }
    return sum(files.values() if one.kind is Kind.DATASET else _of_checkpoint(files).values()) or None


def _of_checkpoint(files: Mapping[str, int]) -> Mapping[str, int]:
    """The files of a model's repository that are downloaded: all except weights for other libraries."""
    own = next((ending for ending in _WEIGHTS if any(name.endswith(ending) for name in files)), "")
    return {name: size for name, size in files.items() if not name.endswith(_FOREIGN) or (own and name.endswith(own))}
