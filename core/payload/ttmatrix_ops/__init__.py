# SPDX-License-Identifier: Apache-2.0
"""Op tests from YAML: read manifests of single torch ops, and run their cases against a CPU reference.

The modules that read (`cases`, `reading`, `literals`, `conditions`, `names`, `digest`) need the standard library alone,
and `core.ops` reads manifests with them. Those that run need torch, and `plugin` needs pytest and PyYAML or
ruamel.yaml: `pytest -p ttmatrix_ops.plugin`, with the directory above this one on the import path.
"""
