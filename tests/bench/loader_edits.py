# SPDX-License-Identifier: Apache-2.0
"""Take dtype handling out of real loaders and ask for it back: python -m tests.bench.loader_edits CHECKOUT [-v]

What an edit is worth is judged by running `load_inputs` among shadows (see `shadow`), before and after.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from core.triage.loader_code.dtype_site import dtype_site
from core.triage.loader_code.edit import Edit, NoSite
from core.triage.loader_code.symptom import Symptom
from tests.bench.mutations import Mutation, mutations
from tests.bench.shadow import input_dtypes

_MODELS = Path("third_party/tt_forge_models")


def main(checkout: Path, *, verbose: bool) -> int:
    """Print how often the edit is the line that was taken out, another one that does the same, none, or wrong."""
    counts: Counter[str] = Counter()
    for path in sorted((checkout / _MODELS).rglob("pytorch/loader.py")):
        source = path.read_text(encoding="utf-8")
        for mutation in mutations(source):
            verdict, detail = judge(source, mutation)
            counts[verdict] += 1
            if verdict == "WRONG" or verbose:
                print(
                    f"{path.relative_to(checkout / _MODELS)}:{mutation.line}: {verdict}: {mutation.missing}\n{detail}"
                )
    for verdict, count in counts.most_common():
        print(f"{count:5} {verdict}")
    return 1 if counts["WRONG"] else 0


def judge(source: str, mutation: Mutation) -> tuple[str, str]:
    """What became of one mutation, and the edit or the reason."""
    try:
        before, without = input_dtypes(source), input_dtypes(mutation.source)
    except Exception as error:  # noqa: BLE001 - a loader that does not run among shadows cannot be judged
        return "cannot be run", repr(error)
    variant = next((name for name in before if before[name] != without.get(name)), None)
    if variant is None:
        return "no effect on inputs", ""
    leaves = tuple(name for name in before[variant] if before[variant][name] != without[variant].get(name))
    found = dtype_site(mutation.source, Symptom(leaves), variant=variant)
    if isinstance(found, NoSite):
        return ("several inputs" if len(leaves) > 1 else "not found"), f"{leaves}: {found.reason}"
    return _verdict(source, mutation, found, before), found.diff("loader.py")


def _verdict(source: str, mutation: Mutation, edit: Edit, before: dict[str, dict[str, str]]) -> str:
    if ast.dump(ast.parse(edit.after)) == ast.dump(ast.parse(source)):
        return "found exactly"
    after = input_dtypes(edit.after)
    same = all(after[variant].get(name) == dtype for variant in before for name, dtype in before[variant].items())
    return "equivalent" if same and _one_statement(mutation.source, edit.after) else "WRONG"


def _one_statement(before: str, after: str) -> bool:
    """Whether one statement was added, or one has changed."""
    old, new = list(_statements(ast.parse(before))), list(_statements(ast.parse(after)))
    added = len(new) - len(old)
    start = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old))
    return old[start + (added == 0) :] == new[start + (added or 1) :] and added in (0, 1, 2)


def _statements(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield ast.dump(child) if not hasattr(child, "body") else type(child).__name__
        yield from _statements(child)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), verbose="-v" in sys.argv))
