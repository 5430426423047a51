# SPDX-License-Identifier: Apache-2.0
"""Install what a model requires for the time of its run, and put the environment back."""
