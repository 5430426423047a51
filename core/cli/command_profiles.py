# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix profiles`: the profiles that `run --profile` knows, and the compile options that they may have."""

import argparse

from core.base.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.base.files import plain
from core.base.settings import Profile
from core.cli import records
from core.cli.context import Context
from core.payload.ttmatrix_payload.models.compile_options import LEVELS
from core.runs.planning import find_profile, known_profiles, scalar_text
from core.sources import read_compile_options


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--options", action="store_true", help="list the compile options that this checkout knows, with their help"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    return _print_options(context) if args.options else _print_profiles(context)


def _print_options(context: Context) -> int:
    options = read_compile_options(context.checkout).values()
    if context.console.json:
        context.console.document([records.CompileOption(**plain(one)) for one in options])
        return EXIT_OK
    rows = ((one.name, ", ".join(one.values) or one.type, one.layer, one.help) for one in options)
    context.console.table(("option", "values", "of", "help"), rows)
    context.console.table(("level", "what optimization_level does"), ((str(one), what) for one, what in LEVELS.items()))
    return EXIT_OK


def _print_profiles(context: Context) -> int:
    """Check each profile; report a mistake in one and list the others anyway."""
    found = known_profiles(context.checkout, context.settings)
    mistakes = {name: error for name in found if (error := _mistake(name, context))}
    if context.console.json:
        said = {name: " ".join(filter(None, (error.title, error.hint))) for name, error in mistakes.items()}
        context.console.document(
            {name: records.Profile(**plain(one), mistake=said.get(name)) for name, one in found.items()}
        )
    elif found:
        own = context.settings.profiles
        rows = ((name, "settings" if name in own else "checkout", _said(one)) for name, one in sorted(found.items()))
        context.console.table(("profile", "from", "what it changes"), rows)
    else:
        context.console.note("no profiles; write [profiles.NAME] in the settings: see docs/profiles.md")
    for error in mistakes.values():
        context.console.note("\n  ".join(filter(None, (error.title, error.detail, error.hint))))
    return EXIT_FINDINGS if mistakes else EXIT_OK


def _mistake(name: str, context: Context) -> UsageError | None:
    try:
        find_profile(context.checkout, context.settings, name)
    except UsageError as error:
        return error
    return None


def _said(profile: Profile) -> str:
    """A profile in one line."""
    said = [f"backend={profile.backend}"] if profile.backend else []
    said += [f"batch_size={profile.batch_size}"] if profile.batch_size is not None else []
    said += [f"{name}={scalar_text(value)}" for name, value in profile.options.items()]
    said += [f"{pattern}={dtype}" for pattern, dtype in profile.weights.items()]
    said += ["dump"] if profile.dump else []
    said += [" ".join(profile.arguments)] if profile.arguments else []
    said += [f"{name}={value}" for name, value in profile.environment.items()]
    said += [f"prefix: {' '.join(profile.prefix)}"] if profile.prefix else []
    return ", ".join(said)
