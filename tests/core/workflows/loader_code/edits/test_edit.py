# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.edit: one change as data."""

from core.workflows.loader_code.edits import SourceEdit
from core.workflows.loader_code.edits.edit import EditKind


def test_the_diff_is_git_s() -> None:
    edit = SourceEdit(EditKind.CAST, 1, "cast", "a\nb\n", "a\nc\n")
    assert edit.diff("x/loader.py") == "--- a/x/loader.py\n+++ b/x/loader.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
