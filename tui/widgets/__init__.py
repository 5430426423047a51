# SPDX-License-Identifier: Apache-2.0
"""One widget a file: takes data, posts messages, never reaches for services."""
