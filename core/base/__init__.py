# SPDX-License-Identifier: Apache-2.0
"""What every other package stands on: files, processes, locks, permissions, settings, text, errors."""
