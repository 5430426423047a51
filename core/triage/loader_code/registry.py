# SPDX-License-Identifier: Apache-2.0
"""The registry of output classes in upstream's `training_utils.py`, read without importing it."""

from collections.abc import Iterator, Mapping

import libcst as cst

from core.triage.loader_code.code import Code, Splice, Statement, constant, dotted
from core.triage.loader_code.edit import Edit, EditKind, NoSite

REGISTRY_FILE = "training_utils.py"
"""Relative to the models root."""
_BY_ATTRIBUTE, _BY_HANDLER = "_register_attr", "_register_handler"


def read_registry(source: str) -> Mapping[str, str | None]:
    """The attribute each output class is represented by; None: a handler of its own.

    Raises TTMatrixError where the file is no Python, as the functions below do.
    """
    return {name: attribute for _, name, attribute in _lines(Code(source))}


def register(source: str, output_class: str, attribute: str) -> Edit | NoSite:
    """Add `_register_attr("<class>", "<attribute>")` at its alphabetical place, whatever the case of letters.

    NoSite where the class is registered, where nothing is, or where names are given that are no identifiers.
    """
    code = Code(source)
    lines = list(_lines(code))
    if not output_class.isidentifier() or not attribute.isidentifier():
        return NoSite(f"{output_class!r} and {attribute!r} cannot be registered: they are no names")
    for line, name, known in lines:
        if name == output_class:
            return NoSite(
                f"{name} is registered already (line {code.line(line)}), as {known or 'a handler of its own'}"
            )
    if not lines:
        return NoSite(f"{REGISTRY_FILE} registers no class by {_BY_ATTRIBUTE}")
    after = [line for line, name, _ in lines if _place(name) < _place(output_class)]
    before = [line for line, name, _ in lines if _place(name) > _place(output_class)]
    # Behind its predecessors, so that a line out of order draws no others with it.
    at = code.line_start(code.start(before[0])) if before else code.line_end(code.end(after[-1]))
    text = f'{_BY_ATTRIBUTE}("{output_class}", "{attribute}")\n'
    if not code.part(0, at).endswith("\n"):
        text = "\n" + text.removesuffix("\n")
    summary = f"register {output_class} by its {attribute}"
    number = code.part(0, at).count("\n") + 1 + text.startswith("\n")
    return Edit(EditKind.REGISTER, number, summary, source, code.spliced([Splice(at, at, text)]))


def unregister(source: str, output_class: str) -> Edit | NoSite:
    """Take the line of `output_class` out. NoSite where there is none."""
    code = Code(source)
    for line, name, attribute in _lines(code):
        if name == output_class and attribute is not None:
            start, end = code.line_start(code.start(line)), code.line_end(code.end(line))
            summary = f"take the handler of {name} out: its {attribute} is no tensor"
            return Edit(EditKind.UNREGISTER, code.line(line), summary, source, code.spliced([Splice(start, end, "")]))
    return NoSite(f"no line of {REGISTRY_FILE} registers an attribute of {output_class}")


def _lines(code: Code) -> Iterator[tuple[Statement, str, str | None]]:
    """Each statement that registers a class, with the class and the attribute."""
    for statement in code.module.body:
        match statement:
            case cst.SimpleStatementLine(body=[cst.Expr(value=cst.Call(func=function, args=[one, other]))]):
                name, attribute = constant(one.value), constant(other.value)
                if dotted(function) == _BY_ATTRIBUTE and isinstance(name, str) and isinstance(attribute, str):
                    yield statement, name, attribute
                elif dotted(function) == _BY_HANDLER and isinstance(name, str):
                    yield statement, name, None


def _place(name: str) -> tuple[str, str]:
    return name.casefold(), name
