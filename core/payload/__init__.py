# SPDX-License-Identifier: Apache-2.0
"""Scripts that run in the checkout's interpreter: standard library and torch only, nothing of `core`."""
