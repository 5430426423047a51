# SPDX-License-Identifier: Apache-2.0
"""Reads a checkout as files: nothing in here imports a loader, runs a command or knows the matrix."""
