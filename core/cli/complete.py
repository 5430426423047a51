# SPDX-License-Identifier: Apache-2.0
"""Completions of a word on the command line: argcomplete asks the parsers, this module asks the checkout.

The shell starts `ttmatrix` for every press of the Tab key, so only the command that is typed is imported.
"""

import argparse
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NoReturn, cast

import argcomplete
from argcomplete.completers import BaseCompleter, FilesCompleter

from core.base.errors import TTMatrixError
from core.base.text import one_line
from core.cli.console import Console
from core.cli.context import Context
from core.cli.parser import COMMANDS, build_parser
from core.matrix.query import complete
from core.matrix.view import read_saved
from core.runs.store import RunStore

_MOST_IDS = 60
"""More ids than this are offered up to their next slash, as a shell offers directories."""
_MOST_RUNS = 100
_FIELD = re.compile(r"\(*!?(?P<field>[a-z_]+):")


def answer_shell() -> NoReturn:
    """Write the completions of the word at the cursor to the shell, and end the process."""
    parser = build_parser(COMMANDS, os.environ.get("COMP_LINE", "").split())
    # The type asks for a subclass, argcomplete itself for any callable.
    argcomplete.autocomplete(parser, always_complete_options=False, default_completer=cast(BaseCompleter, _of_argument))
    raise AssertionError("argcomplete ends the process")


def _of_argument(
    *, prefix: str, action: argparse.Action, parser: argparse.ArgumentParser, parsed_args: argparse.Namespace
) -> Iterable[str]:
    """Values of any argument without choices, recognised by its metavar."""
    if action.metavar in _FILES:
        return list(FilesCompleter()(prefix=prefix, action=action, parser=parser, parsed_args=parsed_args))
    values = _VALUES.get(str(action.metavar))
    if values is None:
        return ()
    repo, arch = getattr(parsed_args, "repo", None), getattr(parsed_args, "arch", "")
    context = Context(repo, arch, Console(), lambda request: 0)
    try:
        return values(context, prefix)
    except TTMatrixError:
        # There is no checkout, or it cannot be read: nothing to offer.
        return ()
    finally:
        context.finish()


def _archs(context: Context, prefix: str) -> Iterable[str]:
    context.arch = ""
    return context.matrix.schema.archs


def _ids(context: Context, prefix: str) -> Iterable[str]:
    found = [id for id in context.matrix.ids if id.startswith(prefix)]
    if len(found) <= _MOST_IDS:
        return found
    return dict.fromkeys(id[: id.find("/", len(prefix)) + 1] or id for id in found)


def _query(context: Context, prefix: str) -> Mapping[str, str]:
    field = _FIELD.match(prefix)
    scope = context.scope(field["field"] if field else "")
    return {
        f"{prefix[: one.start]}{one.text}{prefix[one.end :]}": one_line(one.help)
        for one in complete(scope, prefix, len(prefix))
    }


def _runs(context: Context, prefix: str) -> Mapping[str, str]:
    records = [one for one in RunStore(context.paths.runs).records() if one.spec.run_id.startswith(prefix)]
    return {one.spec.run_id: one_line(f"{one.outcome or one.state} {one.spec.test_id}") for one in records[:_MOST_RUNS]}


def _views(context: Context, prefix: str) -> Mapping[str, str]:
    return {name: str(spec.query) for name, spec in read_saved(context.paths.views_file).all().items()}


_FILES = frozenset({"DIR", "FILE", "PATH", "XML"})
_VALUES: Mapping[str, Callable[[Context, str], Iterable[str]]] = {
    "ARCH": _archs,
    "ID": _ids,
    "QUERY": _query,
    "RUN": _runs,
    "VIEW": _views,
}
