# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix completion`: the shell code that completes ttmatrix's command lines.

argcomplete asks the program itself at each press of the Tab key, so ids, runs and the values of query fields are those
of the current checkout; a static script, such as shtab's, cannot know them. No other command imports argcomplete.
"""

import argparse

from argcomplete.shell_integration import shellcode

from core.base.errors import EXIT_OK
from core.cli import records
from core.cli.context import Context
from core.cli.parser import PROGRAM

_SHELLS = ("bash", "zsh", "fish")
_HOW = f"""to use it now:
  bash, zsh   eval "$({PROGRAM} completion bash)"     (zsh: after compinit)
  fish        {PROGRAM} completion fish | source
to use it in every shell, put that line into ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish.
The Tab key then completes commands, options, test ids, run ids, saved views and queries
(status:<Tab> lists the values of the field)."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _HOW
    parser.add_argument("shell", choices=_SHELLS, help="the shell to print the code for")


def execute(args: argparse.Namespace, context: Context) -> int:
    code = shellcode([PROGRAM], shell=args.shell)
    if context.console.json:
        context.console.document(records.Completion(shell=args.shell, code=code))
    else:
        context.console.line(code.rstrip("\n"))
    return EXIT_OK
