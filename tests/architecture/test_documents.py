# SPDX-License-Identifier: Apache-2.0
"""JSON is read as a value of a type (`core.base.files`): a document without one has one reader, and a reason."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NOT_OURS = ("core/base/files/", "core/payload/", "core/demo/tree/")
_OTHERS = "others write it, and only a part of it is wanted"
_MAY = {
    "core/base/text.py": (1, "formats any JSON"),
    "core/evidence/github/transport.py": (1, _OTHERS),
    "core/kinds/benchmark.py": (2, _OTHERS),
    "core/matrix/view/saved.py": (1, "the columns have a key for each kind of rows"),
    "core/ops/chisel.py": (1, _OTHERS),
    "core/ops/op_by_op.py": (1, _OTHERS),
    "core/runs/case_results.py": (1, "lines of results of op cases, by the payload"),
    "core/runs/execution/packages.py": (1, _OTHERS),
    "core/runs/outcome.py": (1, "the last line of a run: `RunResult` has its fields"),
    "core/runs/planning/download_sizes.py": (1, _OTHERS),
    "core/runs/store/index.py": (1, "a result as it was stored: `RunResult` has its fields"),
    "core/runs/store/store.py": (1, _OTHERS),
    "core/sources/ci/preset_text.py": (1, _OTHERS),
    "core/sources/ci/presets.py": (1, _OTHERS),
    "core/sources/ci/runner.py": (1, _OTHERS),
    "core/sources/ci/triggers.py": (1, _OTHERS),
    "tui/commands/index.py": (1, "a line a command, without what it says nothing about"),
    "tui/hints.py": (1, "a list of names"),
    "tui/web/page_app.py": (1, _OTHERS),
}
"""How often a file may read JSON by itself, and why. The numbers may only fall."""


def _readings(file: Path) -> int:
    return sum(
        isinstance(node, ast.Attribute)
        and node.attr in ("load", "loads")
        and isinstance(node.value, ast.Name)
        and node.value.id == "json"
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
    )


def test_json_is_read_as_a_type_or_for_a_reason_and_ever_less() -> None:
    found = {
        name: count
        for top in ("core", "tui")
        for file in sorted((ROOT / top).rglob("*.py"))
        if not (name := file.relative_to(ROOT).as_posix()).startswith(_NOT_OURS) and (count := _readings(file))
    }
    allowed = {name: count for name, (count, _) in _MAY.items()}
    more = {name: count for name, count in found.items() if count > allowed.get(name, 0)}
    assert not more, f"read it with `core.base.files.decoded` or `read_as`, as a record: {more}"
    fewer = {name: found.get(name, 0) for name, count in allowed.items() if found.get(name, 0) < count}
    assert not fewer, f"lower the number in _MAY, so that it stays as low: {fewer}"


def test_what_results_share_in_the_store_is_read_in_one_place() -> None:
    readers = [file.name for file in (ROOT / "core").rglob("*.py") if "fields FROM shapes" in file.read_text("utf-8")]
    assert readers == ["store_rows.py"]
