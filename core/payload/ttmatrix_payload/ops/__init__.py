# SPDX-License-Identifier: Apache-2.0
"""Op tests from YAML: read manifests of single torch ops, and run their cases against a CPU reference.

Reading needs only the standard library and a YAML library; this package exports that part, and `core.ops` uses it.
Running needs torch, and `plugin` needs pytest: `pytest -p ttmatrix_payload.ops.plugin`, with the
directory that holds `ttmatrix_payload` on the import path.
"""

from .cases import Case, Correction, DeviceName, DtypeName, FormatName, How, Manifest, Problem, Raises, Tensor, Value
from .collection import Duplicate, File, Row, duplicates, find_files, read_files, rows
from .conditions import BACKEND_VARIABLE, context as condition_context, evaluate as condition_holds, skip_reason
from .digest import digest as case_digest
from .dtypes import dtype_name
from .load import MOST_BYTES, read_file, read_text
from .names import OpKind, kind_of
from .nodes import near_key
from .reading import CASE_KEYS, SETTING_KEYS
from .sizes import estimate, tensors_of
from .tokens import NotRead
from .writing import NotWritable, added

__all__ = [
    "BACKEND_VARIABLE",
    "CASE_KEYS",
    "MOST_BYTES",
    "SETTING_KEYS",
    "Case",
    "Correction",
    "DeviceName",
    "DtypeName",
    "Duplicate",
    "File",
    "FormatName",
    "How",
    "Manifest",
    "NotRead",
    "NotWritable",
    "OpKind",
    "Problem",
    "Raises",
    "Row",
    "Tensor",
    "Value",
    "added",
    "case_digest",
    "condition_context",
    "condition_holds",
    "dtype_name",
    "duplicates",
    "estimate",
    "find_files",
    "kind_of",
    "near_key",
    "read_file",
    "read_files",
    "read_text",
    "rows",
    "skip_reason",
    "tensors_of",
]
