# SPDX-License-Identifier: Apache-2.0
"""Pilots of the app wait for its event loop, not for a clock; apps share parsed style sheets."""

import pytest

from tests.support import idle, stylesheets
from tui.app.notifications import LastingNotification

idle.use()
stylesheets.use()


@pytest.fixture(autouse=True)
def notifications_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep messages, so that a test that looks late on a busy machine still finds them."""
    monkeypatch.setattr(LastingNotification, "has_expired", False)
