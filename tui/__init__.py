# SPDX-License-Identifier: Apache-2.0
"""The terminal face: screens and widgets over `core`, and nothing that decides anything."""
