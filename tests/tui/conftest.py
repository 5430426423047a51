# SPDX-License-Identifier: Apache-2.0
"""Pilots of the app wait for its event loop, not for a clock; apps share parsed style sheets."""

from tests.support import idle, stylesheets

idle.use()
stylesheets.use()
