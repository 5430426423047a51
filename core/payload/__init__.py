# SPDX-License-Identifier: Apache-2.0
"""What runs in the interpreter of the models: standard library, torch and pytest only, nothing of `core`."""
