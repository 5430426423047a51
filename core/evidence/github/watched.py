# SPDX-License-Identifier: Apache-2.0
"""HTTP requests that end: a server that sends nothing, or little, cannot hold one longer than it may take."""

import http.client
import socket
import ssl
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


class Overdue(Exception):
    """The request has taken longer than it may."""


class WatchedOpener:
    """Opens addresses over HTTP and HTTPS and nothing else: not files, not FTP. It follows no redirect."""

    def __init__(self) -> None:
        self._socket: socket.socket | None = None
        self._context: ssl.SSLContext | None = None
        watched = self

        class Plain(http.client.HTTPConnection):
            def connect(self) -> None:
                super().connect()
                watched._socket = self.sock

        class Secure(http.client.HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                watched._socket = self.sock

        class PlainHandler(urllib.request.HTTPHandler):
            def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
                return self.do_open(Plain, req)

        class SecureHandler(urllib.request.HTTPSHandler):
            def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
                # It takes 20 ms to make, and a local server needs none.
                watched._context = watched._context or ssl.create_default_context()
                return self.do_open(Secure, req, context=watched._context)

        self._opener = urllib.request.OpenerDirector()
        for handler in (
            urllib.request.ProxyHandler(),
            urllib.request.UnknownHandler(),
            PlainHandler(),
            SecureHandler(),
            urllib.request.HTTPDefaultErrorHandler(),
            _NoRedirects(),
            urllib.request.HTTPErrorProcessor(),
        ):
            self._opener.add_handler(handler)

    def end(self) -> None:
        """From another thread: break the connection."""
        if self._socket is not None:
            with suppress(OSError):
                # Another thread reads from it.
                self._socket.shutdown(socket.SHUT_RDWR)

    @contextmanager
    def open(
        self, request: urllib.request.Request, *, silence: float, whole: float
    ) -> Iterator[http.client.HTTPResponse]:
        """The answer, during the block. It ends by an error after `silence` seconds without a byte.

        Raises Overdue if answer and block together take more than `whole` seconds, and what urllib raises.
        """
        over = threading.Event()

        def end() -> None:
            over.set()
            self.end()

        timer = threading.Timer(whole, end)
        timer.daemon = True
        timer.start()
        try:
            with self._opener.open(request, timeout=silence) as answer:
                yield answer
        except Exception as error:
            if over.is_set():
                raise Overdue from error
            raise
        finally:
            timer.cancel()
            self._socket = None
        if over.is_set():
            raise Overdue


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Reports redirects as errors: urllib would send the token along."""

    def redirect_request(self, *_: Any) -> None:
        return None
