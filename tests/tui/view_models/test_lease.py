# SPDX-License-Identifier: Apache-2.0
"""The title's words about the time left, and when a warning is given."""

from datetime import UTC, datetime, timedelta

import pytest

from core.hosts import Lease
from tui.view_models.lease import lease_words

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("left", "title", "warning"),
    [
        (timedelta(hours=3, minutes=5), "3 h 5 min left", ""),
        (timedelta(minutes=30), "! 30 min left", "in less than 30 min."),
        (timedelta(minutes=6), "! 6 min left", "in less than 30 min."),
        (timedelta(seconds=299), "! 4 min left", "in less than 5 min."),
        (timedelta(0), "lease over", "has ended. No run starts"),
        (-timedelta(days=1), "lease over", "has ended. No run starts"),
    ],
)
def test_what_is_said(left: timedelta, title: str, warning: str) -> None:
    said = lease_words(Lease("box", NOW + left), NOW)
    assert said.title == title
    assert warning in said.warning and bool(said.warning) == bool(warning)
