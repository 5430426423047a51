# SPDX-License-Identifier: Apache-2.0
"""Changes of loader code: pure functions from source text to one edit, or to the reason why there is none."""
