# SPDX-License-Identifier: Apache-2.0
"""The terminal UI: screens over one session. Everything it decides is decided in core."""
