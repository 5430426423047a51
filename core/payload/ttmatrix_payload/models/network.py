# SPDX-License-Identifier: Apache-2.0
"""Whether loaders can download, and whether a loader failed only because there was no network."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator

from .loader import Problem

_NAMES = frozenset(
    {"ConnectionError", "ConnectError", "ConnectTimeout", "ReadTimeout", "NameResolutionError", "ProxyError"}
)
_NAMES |= {"LocalEntryNotFoundError", "OfflineModeIsEnabled"}
"""Classes of requests, urllib3, httpx and huggingface_hub, none of which has to be installed."""
_TEXTS = ("<urlopen error", "Error downloading", "couldn't connect to 'http")
"""Messages of torchvision and transformers, whose errors are not chained to the connection's error."""

_HUB = "https://huggingface.co"
_NOT_CACHED = f"trying to load it from '{_HUB}"
"""Message of transformers for a missing file, whether the hub was asked or must not be asked."""
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE")
"""Variables that stop the hubs' libraries from retrying; the libraries read them once, when imported."""
_HERE = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "::")
"""Names of this machine, on which processes of a model may talk to each other."""
_PATIENCE = 5.0
"""Seconds. Imports take longer, so nobody waits for an answer that arrives."""


class HubLook:
    """Checks in a thread, in parallel with the first imports, whether the model hub is reachable."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._reached = False
        endpoint = urllib.parse.urlsplit(os.environ.get("HF_ENDPOINT") or _HUB)
        self._address = endpoint.hostname or "", endpoint.port or (80 if endpoint.scheme == "http" else 443)
        # The variable is set already, or only a proxy knows what is reachable.
        settled = any(name in os.environ for name in _OFFLINE) or bool(urllib.request.getproxies())
        self._thread = None if settled else threading.Thread(target=self._look, daemon=True)
        if self._thread is not None:
            self._thread.start()

    def settle(self) -> bool:
        """Make the hubs' libraries use only their caches if the hub is unreachable; returns whether that is so."""
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


def say_connections() -> None:
    """Print each server that is connected to, before the wait for it begins: once, as a line of the log."""
    said: set[str] = set()

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "socket.getaddrinfo":
            host = arguments[0]
            name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
            if host and name not in said and name not in _HERE:
                said.add(name)
                os.write(1, f"network: connecting to {name}\n".encode())

    sys.addaudithook(hook)


def missing_download(error: BaseException | None) -> Problem | None:
    """The download that failed, if `error` or one of its causes says that a server was not reached; else None."""
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
