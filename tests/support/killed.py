# SPDX-License-Identifier: Apache-2.0
"""A commit that is killed."""

import sys
from pathlib import Path

from core.base.processes import run_command
from core.sources import Checkout
from tests.support.git import hook

_CLI = "import sys; from core.cli.dispatch import main; sys.exit(main(sys.argv[1:], lambda request: 0))"


def killed_in_hook(checkout: Checkout, operations: Path, ending: str) -> None:
    """`apply --commit`, killed by the pre-commit hook, after which git finishes by itself."""
    hook(checkout.root, "pre-commit", f"kill -9 $COMMITTER; {ending}")
    argv = ["sh", "-c", 'COMMITTER=$$ exec "$@"', "-", sys.executable, "-c", _CLI, "apply", str(operations), "--commit"]
    done = run_command([*argv, "--repo", str(checkout.root)], cwd=Path(__file__).parents[2])
    assert done.returncode == -9, done.stderr
    (checkout.root / ".git" / "hooks" / "pre-commit").unlink()
