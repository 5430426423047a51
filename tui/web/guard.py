# SPDX-License-Identifier: Apache-2.0
"""Who may open the app in a browser: requests of this machine that have the token.

A page of any site can send requests to a port of this machine. It cannot read the token, and its requests say where
they come from: `Origin`. A site that gives its own name the address of this machine (DNS rebinding) is found by `Host`.
"""

import hmac
import re
from typing import NamedTuple

_OWN_HOST = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?", re.IGNORECASE)
"""Any port: behind `ssh -L` the browser knows another one than the server."""


class Asked(NamedTuple):
    """What a request says of itself; empty: nothing."""

    host: str
    origin: str = ""
    token: str = ""
    """In the address."""
    cookie: str = ""
    websocket: bool = False


class Guard:
    """Refuses what is not sent by a page of ours, to a person who was given the token."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    def refusal(self, asked: Asked) -> str:
        """Why a request is refused; empty: it is not."""
        if not _OWN_HOST.fullmatch(asked.host):
            return "The host of the address is not this machine."
        own = f"http://{asked.host}".lower()
        if asked.origin.lower() != own and (asked.origin or asked.websocket):
            return "The request comes from another site."
        if not self.knows(asked.token) and not self.knows(asked.cookie):
            return "The token is missing or wrong. Open the address that `ttmatrix serve` has printed."
        return ""

    def knows(self, text: str) -> bool:
        """Whether a text is the token; how long that takes does not depend on how much of it is right."""
        return hmac.compare_digest(text.encode(errors="replace"), self._token)
