# SPDX-License-Identifier: Apache-2.0
"""Whether a loader failed for want of a network, which says nothing about its model."""

from __future__ import annotations

import urllib.error
from collections.abc import Iterator

from ttmatrix_loader import Problem

_NAMES = frozenset({"ConnectionError", "ConnectError", "ConnectTimeout", "ReadTimeout", "NameResolutionError"})
_NAMES |= {"LocalEntryNotFoundError", "OfflineModeIsEnabled"}
"""Classes of requests, urllib3, httpx and huggingface_hub, none of which has to be installed."""
_TEXTS = ("<urlopen error", "Error downloading", "couldn't connect to 'http")
"""What torchvision and transformers say, whose errors do not lead to the one of the connection."""


def missing_download(error: BaseException | None) -> Problem | None:
    """What was not to be had, where `error` or what led to it says that a server was not reached."""
    for one in _chain(error):
        unreached = isinstance(one, urllib.error.URLError) and not isinstance(one, urllib.error.HTTPError)
        if unreached or type(one).__name__ in _NAMES or any(text in str(one) for text in _TEXTS):
            first = str(error).strip().partition("\n")[0]
            return Problem("no-network", f"What the loader downloads cannot be had here: {first}")
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
