# SPDX-License-Identifier: Apache-2.0
"""Joins loaders and entries into one immutable Matrix, and answers questions about it."""
