# SPDX-License-Identifier: Apache-2.0
"""Who may open the app in a browser."""

import pytest

from tui.web.guard import Asked, Guard

TOKEN = "the-token-of-this-server"
GUARD = Guard(TOKEN)


@pytest.mark.parametrize(
    "asked",
    [
        Asked("127.0.0.1:8470", token=TOKEN),
        Asked("127.0.0.1:8470", cookie=TOKEN),
        Asked("localhost:9000", cookie=TOKEN),
        Asked("[::1]:8470", "http://[::1]:8470", cookie=TOKEN, websocket=True),
        Asked("LOCALHOST:8470", "http://localhost:8470", cookie=TOKEN, websocket=True),
        Asked("localhost", token=TOKEN, cookie="of another server"),
    ],
)
def test_a_page_of_ours_with_the_token_is_let_in(asked: Asked) -> None:
    assert GUARD.refusal(asked) == ""


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (Asked("127.0.0.1:8470"), "token"),
        (Asked("127.0.0.1:8470", token=TOKEN[:-1]), "token"),
        (Asked("127.0.0.1:8470", token=TOKEN + "x"), "token"),
        (Asked("127.0.0.1:8470", cookie="ü\ud800"), "token"),
        (Asked("", token=TOKEN), "host"),
        (Asked("rebound.example:8470", token=TOKEN), "host"),
        (Asked("127.0.0.1.rebound.example:8470", token=TOKEN), "host"),
        (Asked("rebound.example@127.0.0.1:8470", token=TOKEN), "host"),
        (Asked("127.0.0.1:8470", "http://other.example", cookie=TOKEN, websocket=True), "another site"),
        (Asked("127.0.0.1:8470", "http://127.0.0.1:9000", cookie=TOKEN, websocket=True), "another site"),
        (Asked("127.0.0.1:8470", "https://127.0.0.1:8470", cookie=TOKEN, websocket=True), "another site"),
        (Asked("127.0.0.1:8470", "null", cookie=TOKEN), "another site"),
        (Asked("127.0.0.1:8470", cookie=TOKEN, websocket=True), "another site"),
    ],
)
def test_everything_else_is_refused_with_the_reason(asked: Asked, why: str) -> None:
    assert why in GUARD.refusal(asked)
