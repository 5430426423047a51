# SPDX-License-Identifier: Apache-2.0
"""Access to the app in a browser: only requests from this machine that have the token.

A page of any site can send requests to a port of this machine. It cannot read the token, and its requests tell
their origin in `Origin`. A site that points its own name at this machine (DNS rebinding) is detected by `Host`.
"""

import hmac
import re
from typing import NamedTuple

_OWN_HOST = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?", re.IGNORECASE)
"""Any port: behind `ssh -L` the browser's port differs from the server's."""


class Asked(NamedTuple):
    """Properties of a request; empty: not given."""

    host: str
    origin: str = ""
    token: str = ""
    """From the address."""
    cookie: str = ""
    websocket: bool = False


class Guard:
    """Refuses requests that do not come from a page of ours, opened by a person who has the token."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    def refusal(self, asked: Asked) -> str:
        """Why a request is refused; empty if it is not."""
        if not _OWN_HOST.fullmatch(asked.host):
            return "The host of the address is not this machine."
        own = f"http://{asked.host}".lower()
        if asked.origin.lower() != own and (asked.origin or asked.websocket):
            return "The request comes from another site."
        if not self.knows(asked.token) and not self.knows(asked.cookie):
            return "The token is missing or wrong. Open the address that `ttmatrix serve` has printed."
        return ""

    def knows(self, text: str) -> bool:
        """Whether a text is the token, compared in constant time."""
        return hmac.compare_digest(text.encode(errors="replace"), self._token)
