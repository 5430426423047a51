# SPDX-License-Identifier: Apache-2.0
"""Give a loader class its own `unpack_forward_output`."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import libcst as cst

from core.base.text import printable
from core.workflows.loader_code.analysis import Code, NoSite, Splice, key_of, own_method, parsed, suite
from core.workflows.loader_code.edits.edit import EditKind, SourceEdit
from core.workflows.loader_code.edits.syntax import import_from_models, import_torch

METHOD = "unpack_forward_output"
"""Method of a loader class that returns the tensor for backward to start from."""


class Form(StrEnum):
    """How the selected part becomes one tensor."""

    TENSOR = "tensor"
    """It is a tensor already."""
    SUM = "sum"
    """A sequence of tensors: the sum of all their elements."""
    SUM_VALUES = "sum-values"
    """The same for the values of a mapping."""
    SUM_PARTS = "sum-parts"
    """The same for `parts`, each of which is a tensor."""
    SUM_NESTED = "sum-nested"
    """The same for all tensors of a nested structure, with upstream's `extract_tensors_recursive`."""
    SUM_GRADIENTS = "sum-gradients"
    """The same for those of them that require a gradient."""
    CONCAT = "concat"
    """A sequence of tensors, flattened and joined."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The part of a forward output that the loss depends on."""

    access: str
    """Python expression from the output to the part: `[0]`, `.logits`, `["dense_vecs"]`; empty: the whole output."""
    form: Form
    structure: str
    """Type and shapes of the output: `list[Tensor] of length 3, shapes ...`."""
    why: str
    """What is selected and what is left out, and why."""
    loss: str = ""
    """Which loss reads it, as a sentence; empty: not known yet."""
    parts: tuple[str, ...] = ()
    """Accesses of the tensors that are added up, for a `form` that needs them."""

    @property
    def label(self) -> str:
        """What is selected in a few words: `output[0]`, `sum of output.logits`, `output[0] + output[2]`."""
        if self.form is Form.SUM_PARTS:
            return " + ".join(f"output{part}" for part in self.parts)
        return f"output{self.access}" if self.form is Form.TENSOR else f"sum of output{self.access}"


_PARAMETER = "fwd_output"
_WIDTH = 88
_HELPER = ("tools.utils", "extract_tensors_recursive")


def has_override(source: str, *, cls: str = "ModelLoader") -> bool:
    """Whether class `cls`, or a base of it in this file, defines `unpack_forward_output`."""
    return parsed(source).method(cls, METHOD) is not None


def unpack_override(source: str, selection: Selection, *, path: str, cls: str = "ModelLoader") -> SourceEdit | NoSite:
    """Add the method after the last one of class `cls`, with its two-part docstring.

    Indentation and line ends are those of the file. If `form` needs upstream's helper and the file lacks it, its
    import is added after the last import from the models tree; `path` is that of the file, relative to the models root.
    NoSite where the class has the method already, or is not in this file. Raises TTMatrixError if the file is not valid
    Python.
    """
    code = parsed(source)
    if cls not in code.classes:
        return NoSite(f"there is no class {cls} in this file")
    found = code.classes[cls]
    if own_method(found, METHOD) is not None:
        return NoSite(f"{cls} has {METHOD} already")
    body = suite(found.body)
    if not body:
        return NoSite(f"{cls} has no block to add a method to")
    for access in (selection.access, *selection.parts):
        if not _is_access(access):
            return NoSite(f"{access!r} is not part of an output")
    method = _method(code, body, selection)
    splices = [method]
    if selection.form in (Form.SUM_NESTED, Form.SUM_GRADIENTS):
        added = import_from_models(code, *_HELPER, path)
        if isinstance(added, NoSite):
            return added
        splices += added
    elif selection.form is Form.CONCAT:
        splices += import_torch(code)
    after = code.spliced(splices)
    start = after.index(f"def {METHOD}", len(code.part(0, method.start)))
    summary = f"{cls} says which part of its output the loss reads"
    return SourceEdit(EditKind.OVERRIDE, after.count("\n", 0, start) + 1, summary, source, after)


def _is_access(text: str) -> bool:
    """Whether `text` is a chain of attributes and literal subscripts; the model determines the names in it."""
    try:
        node = cst.parse_expression(f"{_PARAMETER}{text}")
    except cst.ParserSyntaxError:
        return False
    while isinstance(node, cst.Attribute | cst.Subscript):
        if isinstance(node, cst.Subscript) and key_of(node) is None:
            return False
        node = node.value
    return isinstance(node, cst.Name) and node.value == _PARAMETER


def _method(code: Code, body: Sequence[cst.BaseStatement], selection: Selection) -> Splice:
    """The method after the last one of the class, else after everything else, with a blank line before it."""
    last = next((one for one in reversed(body) if isinstance(one, cst.FunctionDef)), body[-1])
    margin, step = code.margin(body[0]), code.module.default_indent
    inner = _body(selection, len(margin + step))
    lines = [f"def {METHOD}(self, {_PARAMETER}):", *(f"{step}{line}".rstrip() for line in inner)]
    text = "\n".join(f"{margin}{line}".rstrip() for line in lines)
    at = code.end_of_block(last)
    open_end = not code.part(0, at).endswith("\n")
    return Splice(at, at, f"\n\n{text}" if open_end else f"\n{text}\n")


def _body(selection: Selection, margin: int) -> list[str]:
    """The docstring and the statements, without indentation."""
    docstring = ['"""Give the part of the output that training starts from.', ""]
    for title, text in (
        ("Forward output structure:", selection.structure),
        ("What is selected and why:", " ".join(filter(None, (selection.why, selection.loss)))),
    ):
        docstring += [title, *(f"    {line}" for line in _wrapped(text, _WIDTH - margin - 4)), ""]
    return [*docstring[:-1], '"""', *_statements(selection, _WIDTH - margin)]


def _wrapped(text: str, width: int) -> list[str]:
    """Wrap text for the docstring; names and shapes come from the model and must not end it or act as escapes."""
    safe = printable(text).replace("\\", "/").replace('"""', "'''")
    return [
        line for part in safe.split("\n") for line in textwrap.wrap(part, max(width, 40), break_long_words=False)
    ] or ["-"]


def _statements(selection: Selection, width: int) -> list[str]:
    part = f"{_PARAMETER}{selection.access}"
    match selection.form:
        case Form.TENSOR:
            return [f"return {part}"]
        case Form.SUM:
            return [f"return sum(t.sum() for t in {part})"]
        case Form.SUM_VALUES:
            return [f"return sum(t.sum() for t in {part}.values())"]
        case Form.SUM_PARTS:
            return _sum_of([f"{_PARAMETER}{access}" for access in selection.parts], width)
        case Form.CONCAT:
            return [f"return torch.cat([t.flatten() for t in {part}])"]
        case Form.SUM_NESTED:
            return ["tensors = []", f"{_HELPER[1]}({part}, tensors)", "return sum(t.sum() for t in tensors)"]
        case Form.SUM_GRADIENTS:
            last = "return sum(t.sum() for t in tensors if t.requires_grad)"
            return ["tensors = []", f"{_HELPER[1]}({part}, tensors)", last]


def _sum_of(parts: Sequence[str], width: int) -> list[str]:
    """The sum on one line if there is room, else of a tuple with one line per part."""
    line = f"return {' + '.join(f'{part}.sum()' for part in parts)}"
    if len(line) <= width:
        return [line]
    return ["heads = (", *(f"    {part}," for part in parts), ")", "return sum(t.sum() for t in heads)"]
