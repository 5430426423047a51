# SPDX-License-Identifier: Apache-2.0
"""The headless face: owns standard output, standard error and exit codes."""
