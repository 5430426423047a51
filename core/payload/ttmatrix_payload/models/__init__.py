# SPDX-License-Identifier: Apache-2.0
"""Load the model of a loader and run it on the CPU, phase by phase, and say what happens in a form for programs."""
