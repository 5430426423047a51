# SPDX-License-Identifier: Apache-2.0
"""From operations to text to a commit: intentions are the truth, text is derived from them."""
