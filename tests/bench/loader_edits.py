# SPDX-License-Identifier: Apache-2.0
"""Remove code from real loaders and have it restored: python -m tests.bench.loader_edits CHECKOUT [-v]

An edit of dtypes is judged by running `load_inputs` with shadows (see `shadow`), before and after; registry lines
and overrides by where they are restored. And all loaders must be written unchanged after parsing.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from core.workflows.loader_code.analysis import Code, NoSite, Symptom
from core.workflows.loader_code.edits import (
    REGISTRY_FILE,
    SourceEdit,
    read_registry,
    register,
    unpack_override,
    unregister,
)
from core.workflows.loader_code.edits.dtype import dtype_site
from core.workflows.loader_code.edits.unpack import METHOD, Form, Selection
from tests.bench.mutations import Mutation, mutations
from tests.bench.shadow import input_dtypes

_TORCH = ast.dump(ast.parse("import torch").body[0])
_MODELS = Path("third_party/tt_forge_models")

PATH = "some/pytorch/loader.py"
"""Where each loader is taken to be, below the models root."""


def main(checkout: Path, *, verbose: bool) -> int:
    """Print how often the edit is the removed line, another one with the same effect, none, or wrong."""
    counts: Counter[str] = Counter()
    for path in sorted((checkout / _MODELS).rglob("loader.py")):
        source = path.read_bytes().decode()
        counts["read and put out again" if _is_put_out_again(source) else "WRONG"] += 1
        if path.parent.name != "pytorch":
            continue
        counts.update(override_goes_back(source))
        for mutation in mutations(source):
            verdict, detail = judge(source, mutation)
            counts[verdict] += 1
            if verdict == "WRONG" or verbose:
                print(
                    f"{path.relative_to(checkout / _MODELS)}:{mutation.line}: {verdict}: {mutation.missing}\n{detail}"
                )
    counts.update(registry_goes_back((checkout / _MODELS / REGISTRY_FILE).read_text(encoding="utf-8")))
    for verdict, count in counts.most_common():
        print(f"{count:5} {verdict}")
    return 1 if counts["WRONG"] else 0


def _is_put_out_again(source: str) -> bool:
    code = Code(source)
    return code.spliced([]) == source == code.module.code


def judge(source: str, mutation: Mutation) -> tuple[str, str]:
    """The judgement on one mutation, and the edit or the reason."""
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


def _verdict(source: str, mutation: Mutation, edit: SourceEdit, before: dict[str, dict[str, str]]) -> str:
    if ast.dump(ast.parse(edit.after)) == ast.dump(ast.parse(source)):
        return "found exactly"
    after = input_dtypes(edit.after)
    same = all(after[variant].get(name) == dtype for variant in before for name, dtype in before[variant].items())
    return "equivalent" if same and _one_statement(mutation.source, edit.after) else "WRONG"


def _one_statement(before: str, after: str) -> bool:
    """Whether one statement was added or changed, apart from an import that it may need."""
    old, new = list(_statements(ast.parse(before))), list(_statements(ast.parse(after)))
    new = [one for one in new if one != _TORCH or one in old]
    added = len(new) - len(old)
    start = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old))
    return old[start + (added == 0) :] == new[start + (added or 1) :] and added in (0, 1, 2)


def override_goes_back(source: str) -> Iterator[str]:
    """Whether a removed override is restored in its class without moving anything else."""
    lines = source.splitlines(keepends=True)
    for cls in (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and len(node.body) > 1):
        for one in cls.body:
            if isinstance(one, ast.FunctionDef) and one.name == METHOD and not one.decorator_list:
                without = "".join(lines[: one.lineno - 1] + lines[one.end_lineno or one.lineno :])
                found = unpack_override(
                    without, Selection("[0]", Form.TENSOR, "tuple", "the first"), path=PATH, cls=cls.name
                )
                yield "override back" if _is_back(without, found, cls.name) else "WRONG"


def _is_back(without: str, found: SourceEdit | NoSite, cls: str) -> bool:
    """Whether the method is the last one of the class, and the rest is unchanged, in its order."""
    if isinstance(found, NoSite):
        return False
    new = next(one for one in ast.parse(found.after).body if isinstance(one, ast.ClassDef) and one.name == cls)
    methods = [one for one in new.body if isinstance(one, ast.FunctionDef)]
    added = methods[-1]
    lines = found.after.splitlines(keepends=True)
    del lines[added.lineno - 2 : added.end_lineno]
    return added.name == METHOD and "".join(lines) == without


def registry_goes_back(source: str) -> Iterator[str]:
    """Whether each line of the registry is restored at its place."""
    for name, attribute in read_registry(source).items():
        gone = unregister(source, name)
        back = register(gone.after, name, attribute or "") if isinstance(gone, SourceEdit) else gone
        yield "registry line back" if isinstance(back, SourceEdit) and back.after == source else "WRONG"


def _statements(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield ast.dump(child) if not hasattr(child, "body") else type(child).__name__
        yield from _statements(child)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), verbose="-v" in sys.argv))
