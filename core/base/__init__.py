# SPDX-License-Identifier: Apache-2.0
"""What all other packages use: files, processes, locks, permissions, settings, text, errors."""
