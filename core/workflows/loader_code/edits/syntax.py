# SPDX-License-Identifier: Apache-2.0
"""Add one argument to a call, in the layout that its author chose, and add imports."""

import sys
from collections.abc import Iterator

import libcst as cst

from core.python import Imported
from core.sources import models_resolver
from core.workflows.loader_code.analysis import STEP, WIDTH, Code, NoSite, Splice, Statement, dotted, suite

_NAMES = models_resolver("")
"""Only for names: which files there are does not matter."""


def add_argument(code: Code, call: cst.Call, text: str) -> Splice:
    """The change that adds `text`; it preserves a trailing comma and a layout of one argument per line."""
    close = code.end(call) - 1
    if not call.args:
        return Splice(close, close, text)
    last = call.args[-1]
    at = code.end(last)
    comma = isinstance(last.comma, cst.Comma)
    at = code.end_of(b",", at) if comma else at
    missing, wanted = ("", ",") if comma else (",", "")
    if (margin := _line_each(code, call)) is not None and (end := code.line_end(at)) <= close:
        # After the whole line, so that a comment on it stays with its argument.
        rest = code.part(at, end).replace("\r\n", "\n")
        return Splice(at, end, f"{missing}{rest}{margin}{text}{wanted}\n")
    added = f"{missing} {text}{wanted}"
    line = code.part(code.line_start(at), code.line_end(at)).rstrip("\r\n")
    if len(line) + len(added) <= WIDTH or code.line(call.func) != code.last_line(call) or code.part(at, close).strip():
        return Splice(at, at, added)
    return _broken_up(code, call, text)


def _broken_up(code: Code, call: cst.Call, text: str) -> Splice:
    """The arguments on a line of their own, or one per line if that is too long."""
    margin = code.margin(call)
    given = [code.part(code.start(arg), code.end(arg)) for arg in call.args] + [text]
    one_line = f"{margin}{STEP}{', '.join(given)}"
    lines = one_line if len(one_line) <= WIDTH else "\n".join(f"{margin}{STEP}{arg}," for arg in given)
    start = code.start(call.args[0])
    return Splice(start, code.end(call) - 1, f"\n{lines}\n{margin}")


def _line_each(code: Code, call: cst.Call) -> str | None:
    """The white space before each argument, if each has a line of its own; else None."""
    starts = [code.start(arg) for arg in call.args]
    begin = code.line_start(starts[-1])
    before = code.part(begin, starts[-1])
    each = len({code.line_start(start) for start in starts}) == len(starts)
    alone = len(starts) == 1 and not isinstance(call.args[-1].comma, cst.Comma)
    return before if each and not before.strip() and not alone else None


def import_from_models(code: Code, module: str, name: str, path: str) -> list[Splice] | NoSite:
    """The import of `name` from `module` (dotted, below the models root); nothing if the file has it already.

    The line goes after the last import from the models tree and is written like it: with as many dots, or with the
    tree's full name. `path` is that of the file, relative to the models root.
    """
    known = list(_from_models(code, path))
    for _, imported in known:
        if any(alias.evaluated_alias is None and alias.evaluated_name == name for alias in _aliases(imported)):
            return []
    for _, imported in known:
        if (splice := _extended(code, imported, _prefix(imported, path) + module, name)) is not None:
            return [splice]
    if known:
        statement, imported = known[-1]
        prefix = _prefix(imported, path)
    else:
        found = [one for one in code.module.body if _is_import(one)]
        if not found:
            return NoSite("the file imports nothing, so there is no place for an import")
        statement, prefix = found[-1], "." * (path.count("/") + 1)
    at = code.line_end(code.end(statement))
    return [Splice(at, at, f"from {prefix}{module} import {name}\n")]


def import_torch(code: Code, function: cst.FunctionDef | None = None) -> list[Splice]:
    """The import of `torch`; nothing if the file has it, or `function` has it throughout.

    The line goes before the first import that is not of the standard library, else after the last one.
    """
    inner = suite(function.body) if function is not None else ()
    if any(_binds_torch(one) for one in (*code.module.body, *inner)):
        return []
    imports = [one for one in code.module.body if _is_import(one)]
    foreign = [one for one in imports if not _is_of_python(one)]
    gap = ""
    if foreign:
        at = code.line_start(code.start(foreign[0]))
        # Those of the models tree are a group of their own.
        gap = "\n" if _is_relative(foreign[0]) else ""
    elif imports:
        at = code.line_end(code.end(imports[-1]))
    else:
        return [_first_import(code)]
    return [Splice(at, at, f"import torch\n{gap}")]


def _is_relative(statement: cst.BaseStatement) -> bool:
    assert isinstance(statement, cst.SimpleStatementLine)
    return isinstance(one := statement.body[0], cst.ImportFrom) and bool(one.relative)


def _first_import(code: Code) -> Splice:
    """An import for a file that has none: after the docstring, else at the top."""
    first = code.module.body[0] if code.module.body else None
    if isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr):
        at = code.line_end(code.end(first))
        return Splice(at, at, "\nimport torch\n")
    at = code.line_start(code.start(first)) if first is not None else 0
    return Splice(at, at, "import torch\n\n")


def _binds_torch(statement: cst.BaseStatement) -> bool:
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    imports = [one for one in statement.body if isinstance(one, cst.Import)]
    names = [alias for one in imports for alias in one.names if alias.asname is None]
    return any(alias.evaluated_name.partition(".")[0] == "torch" for alias in names)


def _is_of_python(statement: cst.BaseStatement) -> bool:
    """Whether the statement imports from the standard library, including `__future__`."""
    assert isinstance(statement, cst.SimpleStatementLine)
    match statement.body[0]:
        case cst.Import(names=[alias, *_]):
            return alias.evaluated_name.partition(".")[0] in sys.stdlib_module_names
        case cst.ImportFrom(module=cst.BaseExpression() as module, relative=()):
            return dotted(module).partition(".")[0] in sys.stdlib_module_names
    return False


def _extended(code: Code, imported: cst.ImportFrom, module: str, name: str) -> Splice | None:
    """Add the name to an existing import from `module`, as it is written, if the line has room."""
    if "." * len(imported.relative) + _module(imported) != module or imported.lpar is not None:
        return None
    end = code.end(imported)
    line = code.part(code.line_start(end), code.line_end(end)).rstrip()
    return Splice(end, end, f", {name}") if len(line) + len(name) + 2 <= WIDTH and "#" not in line else None


def _from_models(code: Code, path: str) -> Iterator[tuple[Statement, cst.ImportFrom]]:
    """The imports from files above the loader's own directory, at the top level."""
    for statement in code.module.body:
        match statement:
            case cst.SimpleStatementLine(body=[cst.ImportFrom() as imported]):
                if _prefix(imported, path):
                    yield statement, imported


def _prefix(imported: cst.ImportFrom, path: str) -> str:
    """The prefix of the models root in an import: dots, or the tree's name; empty for an import from elsewhere."""
    written = _module(imported)
    found = _NAMES.module(path, Imported(len(imported.relative), written))
    within = (found or "").replace("/", ".")
    if not within or not written.endswith(within):
        return ""
    return "." * len(imported.relative) + written.removesuffix(within)


def _module(imported: cst.ImportFrom) -> str:
    return "" if imported.module is None else dotted(imported.module)


def _aliases(imported: cst.ImportFrom) -> list[cst.ImportAlias]:
    return [] if isinstance(imported.names, cst.ImportStar) else list(imported.names)


def _is_import(statement: cst.BaseStatement) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[0], cst.Import | cst.ImportFrom)
