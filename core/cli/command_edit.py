# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix edit`: apply a file of operations: print one diff and, when asked, write the YAML and commit it."""

import argparse

from core.cli.command_apply import add_options, apply
from core.cli.context import Context

_OPERATIONS = """a JSON list of operations; "file" (relative to test_config) is needed if the id is in several files:
  {"op": "set", "id": ID, "path": [FIELD], "value": VALUE}
  {"op": "unset", "id": ID, "path": [FIELD]}
  {"op": "add", "id": ID, "file": FILE, "value": {FIELD: VALUE, ...}}
  {"op": "remove", "id": ID}
  {"op": "rename", "id": ID, "to": ID}
  {"op": "move", "id": ID, "file": FILE, "to": FILE}
one item of a list, such as markers or supported_archs:
  {"op": "add", "id": ID, "path": [FIELD], "value": ITEM}
  {"op": "remove", "id": ID, "path": [FIELD], "value": ITEM}
  {"op": "rename", "id": ID, "path": [FIELD], "value": ITEM, "to": ITEM}
the whole override of one arch:
  {"op": "add", "id": ID, "path": ["arch_overrides", ARCH], "value": {FIELD: VALUE, ...}}
  {"op": "remove", "id": ID, "path": ["arch_overrides", ARCH]}
  {"op": "rename", "id": ID, "path": ["arch_overrides", ARCH], "to": ARCH}
a case of an op test, or with a model as id the defaults of its manifest; "file" is relative to the checkout:
  {"op": "set", "id": "MODEL::CASE", "path": [KEY], "value": VALUE}
  {"op": "unset", "id": "MODEL::CASE", "path": [KEY]}
  {"op": "add", "id": "MODEL::CASE", "file": FILE, "value": {"op": OP, "inputs": [...], ...}}
  {"op": "remove", "id": "MODEL::CASE"}
The path of a field in an override is ["arch_overrides", ARCH, FIELD]."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _OPERATIONS
    parser.add_argument(
        "--apply", required=True, metavar="FILE", help="a JSON list of operations or of proposals; - reads stdin"
    )
    parser.add_argument("--write", action="store_true", help="change the files; default: only print the diff")
    add_options(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    return apply(args.apply, args, context, writes=args.write)
