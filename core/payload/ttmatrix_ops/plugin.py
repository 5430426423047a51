# SPDX-License-Identifier: Apache-2.0
"""The former name of the plugin for op tests, for commands that were written down: `pytest -p ttmatrix_ops.plugin`."""

pytest_plugins = ("ttmatrix_payload.ops.plugin",)
