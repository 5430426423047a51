# SPDX-License-Identifier: Apache-2.0
"""Whether there is a network for what loaders download, and whether one failed for want of it: not its own fault."""

from __future__ import annotations

import os
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator

from ttmatrix_loader import Problem

_NAMES = frozenset(
    {"ConnectionError", "ConnectError", "ConnectTimeout", "ReadTimeout", "NameResolutionError", "ProxyError"}
)
_NAMES |= {"LocalEntryNotFoundError", "OfflineModeIsEnabled"}
"""Classes of requests, urllib3, httpx and huggingface_hub, none of which has to be installed."""
_TEXTS = ("<urlopen error", "Error downloading", "couldn't connect to 'http")
"""What torchvision and transformers say, whose errors do not lead to the one of the connection."""

_HUB = "https://huggingface.co"
_NOT_CACHED = f"trying to load it from '{_HUB}"
"""What transformers says of a file that it has not, whether the hub was asked or is not to be."""
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE")
"""What keeps the hubs' libraries from trying again and again; they read it once, as they are imported."""
_PATIENCE = 5.0
"""Seconds. Imports take longer, so that nobody waits for an answer that comes."""


class HubLook:
    """Looks in a thread, beside the imports of the beginning, whether the model hub is within reach."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._reached = False
        endpoint = urllib.parse.urlsplit(os.environ.get("HF_ENDPOINT") or _HUB)
        self._address = endpoint.hostname or "", endpoint.port or (80 if endpoint.scheme == "http" else 443)
        # Somebody has settled it, or a proxy alone knows what is within reach.
        settled = any(name in os.environ for name in _OFFLINE) or bool(urllib.request.getproxies())
        self._thread = None if settled else threading.Thread(target=self._look, daemon=True)
        if self._thread is not None:
            self._thread.start()

    def settle(self) -> bool:
        """Have the hubs' libraries read their caches alone where the hub is out of reach; returns whether it is so."""
        if self._thread is None:
            return False
        self._thread.join(max(0.0, self._begin + _PATIENCE - time.monotonic()))
        if self._reached:
            return False
        os.environ.update(dict.fromkeys(_OFFLINE, "1"))
        return True

    def _look(self) -> None:
        try:
            with socket.create_connection(self._address, _PATIENCE):
                self._reached = True
        except OSError:
            pass


def missing_download(error: BaseException | None) -> Problem | None:
    """What was not to be had, where `error` or what led to it says that a server was not reached."""
    offline = any(os.environ.get(name) == "1" for name in _OFFLINE)
    texts = (*_TEXTS, *([_NOT_CACHED] if offline else ()))
    for one in _chain(error):
        unreached = isinstance(one, urllib.error.URLError) and not isinstance(one, urllib.error.HTTPError)
        if unreached or type(one).__name__ in _NAMES or any(text in str(one) for text in texts):
            first = str(error).strip().partition("\n")[0]
            return Problem("no-network", f"What the loader downloads cannot be had here: {first}")
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
