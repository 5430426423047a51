# SPDX-License-Identifier: Apache-2.0
"""Put one more argument behind those of a call, as its author lays arguments out."""

import libcst as cst

from core.triage.loader_code.code import Code, Splice

WIDTH = 88
"""What black, which upstream runs before each commit, keeps lines within."""
STEP = "    "


def add_argument(code: Code, call: cst.Call, text: str) -> Splice:
    """The change that adds `text`; a comma at the end, and a line for each argument, are kept up."""
    close = code.end(call) - 1
    if not call.args:
        return Splice(close, close, text)
    last = call.args[-1]
    at = code.end(last)
    comma = isinstance(last.comma, cst.Comma)
    at = code.end_of(b",", at) if comma else at
    missing, wanted = ("", ",") if comma else (",", "")
    if (margin := _line_each(code, call)) is not None and (end := code.line_end(at)) <= close:
        # Behind the whole line, so that a comment on it stays with its argument.
        rest = code.part(at, end).replace("\r\n", "\n")
        return Splice(at, end, f"{missing}{rest}{margin}{text}{wanted}\n")
    added = f"{missing} {text}{wanted}"
    line = code.part(code.line_start(at), code.line_end(at)).rstrip("\r\n")
    if len(line) + len(added) <= WIDTH or code.line(call.func) != code.last_line(call) or code.part(at, close).strip():
        return Splice(at, at, added)
    return _broken_up(code, call, text)


def _broken_up(code: Code, call: cst.Call, text: str) -> Splice:
    """The arguments on a line of their own, or on one each where that is too long."""
    margin = code.margin(call)
    given = [code.part(code.start(arg), code.end(arg)) for arg in call.args] + [text]
    one_line = f"{margin}{STEP}{', '.join(given)}"
    lines = one_line if len(one_line) <= WIDTH else "\n".join(f"{margin}{STEP}{arg}," for arg in given)
    start = code.start(call.args[0])
    return Splice(start, code.end(call) - 1, f"\n{lines}\n{margin}")


def _line_each(code: Code, call: cst.Call) -> str | None:
    """The white space before each argument, where each has a line of its own."""
    starts = [code.start(arg) for arg in call.args]
    begin = code.line_start(starts[-1])
    before = code.part(begin, starts[-1])
    each = len({code.line_start(start) for start in starts}) == len(starts)
    alone = len(starts) == 1 and not isinstance(call.args[-1].comma, cst.Comma)
    return before if each and not before.strip() and not alone else None
