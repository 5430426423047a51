# SPDX-License-Identifier: Apache-2.0
"""What runs in the interpreter of the models. Needs the standard library, torch and pytest, and nothing of `core`."""
