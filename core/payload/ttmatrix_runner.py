# SPDX-License-Identifier: Apache-2.0
"""The former name of the built-in runner, for commands that were written down: `pytest -p ttmatrix_runner`."""

pytest_plugins = ("ttmatrix_payload.runner",)
