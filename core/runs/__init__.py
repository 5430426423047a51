# SPDX-License-Identifier: Apache-2.0
"""Plans a run as data, executes it detached from us, and reads what it left in its directory."""
