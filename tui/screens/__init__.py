# SPDX-License-Identifier: Apache-2.0
"""One screen a file."""
