# SPDX-License-Identifier: Apache-2.0
"""Pilots of the app wait for its event loop, not for a clock."""

from tests.support import idle

idle.use()
