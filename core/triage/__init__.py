# SPDX-License-Identifier: Apache-2.0
"""Workflows from the name of a test to a reviewed change, as pure step machines."""
