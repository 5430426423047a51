# SPDX-License-Identifier: Apache-2.0
"""Everything ttmatrix knows and does, without a screen: `tui` and `core.cli` are the front ends of this package."""

__version__ = "0.1.0"
