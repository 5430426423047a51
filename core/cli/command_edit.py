# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix edit`: operations from a file become one diff and, when asked, the new content of the YAML and a commit."""

import argparse

from core.cli.applying import add_options, apply
from core.cli.context import Context

_OPERATIONS = """a JSON list of operations; "file" (relative to test_config) is needed where an id stands in several:
  {"op": "set", "id": ID, "path": [FIELD], "value": VALUE}
  {"op": "unset", "id": ID, "path": [FIELD]}
  {"op": "add", "id": ID, "file": FILE, "value": {FIELD: VALUE, ...}}
  {"op": "remove", "id": ID}
  {"op": "rename", "id": ID, "to": ID}
  {"op": "move", "id": ID, "file": FILE, "to": FILE}
one item of a list such as markers, supported_archs:
  {"op": "add", "id": ID, "path": [FIELD], "value": ITEM}
  {"op": "remove", "id": ID, "path": [FIELD], "value": ITEM}
  {"op": "rename", "id": ID, "path": [FIELD], "value": ITEM, "to": ITEM}
all that one arch overrides:
  {"op": "add", "id": ID, "path": ["arch_overrides", ARCH], "value": {FIELD: VALUE, ...}}
  {"op": "remove", "id": ID, "path": ["arch_overrides", ARCH]}
  {"op": "rename", "id": ID, "path": ["arch_overrides", ARCH], "to": ARCH}
In an override a FIELD is "arch_overrides", ARCH, FIELD."""

_WAIT_SECONDS = 5.0
"""How long another writer is waited for."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _OPERATIONS
    parser.add_argument("--apply", required=True, metavar="FILE", help="a JSON list of operations; - reads stdin")
    parser.add_argument("--write", action="store_true", help="change the files; without it nothing is touched")
    add_options(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    return apply(args.apply, args, context, writes=args.write)
