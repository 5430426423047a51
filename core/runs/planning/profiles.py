# SPDX-License-Identifier: Apache-2.0
"""Profiles: those of the settings and of the checkout, checked, and as words of a command line.

A profile is named as `NAME`, `default` (none), or `NAME+optimization_level=2+batch_size=8`: that profile with some of
its values changed. So each value of a sweep has a complete name, wherever it is shown.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from core.base.errors import TTMatrixError, UsageError
from core.base.files import Malformed, is_there, read_text, toml_tables
from core.base.settings import DEFAULT_PROFILE, Profile, Scalar, Settings, read_profiles
from core.payload.ttmatrix_payload.models.compile_options import WEIGHT_DTYPES, CompileOptions
from core.sources import Checkout, CompileOption, Layer, OptionType, read_compile_options

REPOSITORY_FILES = ("ttmatrix-profiles.toml", ".ttmatrix/profiles.toml")
"""Places of shared profiles in the checkout; the first one that exists counts."""
RUNNER_BACKENDS = ("auto", "tt", "xla", "inductor", "eager")
"""The values of a profile's `backend`."""
BATCH_SIZE, BACKEND = "batch_size", "backend"
"""The fields of a profile that can be changed in its name, besides compile options."""
CHANGE = "+"

_TT_TORCH, _WEIGHTS = Path("python_package/tt_torch"), "weight_dtype.py"
"""tt-xla's package for torch, and its newer module that overrides dtypes of weights."""
_BF16 = "bf16"
_ON, _OFF = frozenset({"true", "1", "yes", "on"}), frozenset({"false", "0", "no", "off"})
"""How upstream's parser and TOML's authors write a flag."""
_SPELLINGS = {
    **dict.fromkeys(("bfp8", "bf8", "bfloat8", "bfloat8b", "bfp8b", "blockfloat8"), "bfpbf8"),
    **dict.fromkeys(("bfp4", "bf4", "bfloat4", "bfloat4b", "bfp4b", "blockfloat4"), "bfpbf4"),
    "bfloat16": _BF16,
}
"""Other names of dtypes, without anything but letters and digits: those of upstream's guide, of TT-NN and of torch."""
_WORDS = {"true": True, "false": False}


def known_profiles(checkout: Checkout, settings: Settings) -> Mapping[str, Profile]:
    """All profiles by name: those of the checkout's file, and those of the settings, which win.

    Raises TTMatrixError if the file of the checkout has a mistake.
    """
    return {**_shared(checkout), **settings.profiles}


def find_profile(checkout: Checkout, settings: Settings, name: str) -> Profile:
    """The profile called `name`, checked against the options of `checkout`.

    Raises UsageError if there is none, or if it sets an unknown option.
    """
    base, *changes = name.split(CHANGE)
    profile = _named(checkout, settings, base)
    if not (profile.compiles or profile.batch_size is not None or changes):
        return profile
    options = read_compile_options(checkout)
    for one in changes:
        field, equals, value = one.partition("=")
        if not (equals and value):
            raise UsageError(f"{one!r} in profile {name!r} changes nothing", hint=f"Write {base}{CHANGE}NAME=VALUE.")
        profile = _changed(profile, field, value)
    check(profile, options, name)
    plugin = checkout.root / _TT_TORCH
    if profile.weights and plugin.is_dir() and not (plugin / _WEIGHTS).is_file():
        what = f"Profile {name!r} has weights, and this checkout cannot override their dtypes"
        raise UsageError(what, f"There is no {plugin / _WEIGHTS}.", "Options for weights: ttmatrix profiles --options")
    return profile


def default_kind(checkout: Checkout, settings: Settings, names: Iterable[str]) -> str:
    """The default kind of runs under these profiles: `cpu`, or `device`, which compiles models.

    It is `device` if a profile sets something for the compiler, or if several are compared: only compiled models have
    times to compare. Raises as `find_profile` does.
    """
    profiles = {name: find_profile(checkout, settings, name) for name in names}
    return "device" if len(profiles) > 1 or any(one.compiles for one in profiles.values()) else "cpu"


def shown_name(name: str) -> str:
    """The name of a profile in lists."""
    return name or DEFAULT_PROFILE


def check(profile: Profile, options: Mapping[str, CompileOption], name: str) -> None:
    """Raise UsageError for the first value of `profile` that the compiler does not know."""
    if profile.backend and profile.backend not in RUNNER_BACKENDS:
        raise _bad(name, BACKEND, f"must be one of {', '.join(RUNNER_BACKENDS)}, not {profile.backend!r}")
    if profile.batch_size is not None and profile.batch_size < 1:
        raise _bad(name, BATCH_SIZE, f"must be at least 1, not {profile.batch_size}")
    for option, value in profile.options.items():
        if option not in options:
            near = difflib.get_close_matches(option, options, 1)
            hint = f"Did you mean {near[0]}? " if near else ""
            hint += "All: ttmatrix profiles --options"
            raise UsageError(f"Profile {name!r}: there is no compile option {option!r}", hint=hint)
        if wrong := _wrong(options[option], value):
            raise _bad(name, option, wrong, _hint(option, _meant(options[option], value)))
    for pattern, dtype in profile.weights.items():
        if dtype not in WEIGHT_DTYPES and dtype != _BF16:
            meant = _closest(dtype, (*WEIGHT_DTYPES, _BF16))
            what = f"must be {', '.join(WEIGHT_DTYPES)} or {_BF16}, not {dtype!r}"
            raise _bad(name, f"weights.{pattern}", what, _hint(f'"{pattern}"', meant))
        if "=" in pattern:
            raise _bad(name, f"weights.{pattern}", "is not a pattern of parameter names")


def compile_options(profile: Profile, checkout: Checkout, name: str, artefacts: Path) -> CompileOptions:
    """The compile options of `profile`, which must be checked, under the names the compiler uses.

    `{artefacts}` in values becomes the directory of the run.
    """
    known = read_compile_options(checkout) if profile.options else {}
    values: dict[str, str] = {}
    torch: dict[str, bool] = {}
    for option, value in profile.options.items():
        if known[option].layer is Layer.TORCH:
            torch[option] = bool(value)
        else:
            values[known[option].sent] = scalar_text(value).replace("{artefacts}", str(artefacts))
    return CompileOptions(values, torch, profile.weights, name, profile.batch_size)


def scalar_text(value: Scalar) -> str:
    """A value as the compiler's parser reads it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def sweep(bases: Iterable[str], field: str, values: Iterable[str]) -> list[str]:
    """The name of each of `bases` with each of these values of `field`."""
    return [f"{base or DEFAULT_PROFILE}{CHANGE}{field}={value}" for base in bases for value in values]


def _named(checkout: Checkout, settings: Settings, name: str) -> Profile:
    if name in ("", DEFAULT_PROFILE):
        return Profile()
    if name in settings.profiles:
        return settings.profiles[name]
    known = known_profiles(checkout, settings)
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise UsageError(
            f"No profile {name!r}",
            f"Profiles: {', '.join(sorted(known)) or 'none'}.",
            f"{hint}Write [profiles.{name}] in the settings, or in {REPOSITORY_FILES[0]} of the checkout.",
        )
    return known[name]


def _shared(checkout: Checkout) -> Mapping[str, Profile]:
    for file in (checkout.root / name for name in REPOSITORY_FILES):
        if is_there(file):
            try:
                raw = toml_tables(read_text(file))
            except Malformed as error:
                raise TTMatrixError(f"Cannot read profiles from {file}", str(error), "Correct or remove it.") from error
            if odd := raw.keys() - {"profiles"}:
                hint = "Write [profiles.NAME]."
                raise TTMatrixError(f"{file} has {', '.join(sorted(odd))}, and may have profiles only", hint=hint)
            return read_profiles(raw.get("profiles", {}), file)
    return {}


def _changed(profile: Profile, field: str, value: str) -> Profile:
    if field == BATCH_SIZE:
        if not value.isdecimal():
            raise UsageError(f"{BATCH_SIZE} must be a whole number, not {value!r}")
        return replace(profile, batch_size=int(value))
    if field == BACKEND:
        return replace(profile, backend=value)
    read: Scalar = _WORDS.get(value.lower(), int(value) if value.isdecimal() else value)
    return replace(profile, options={**profile.options, field: read})


def _wrong(option: CompileOption, value: Scalar) -> str:
    """What is wrong with a value of an option; empty: nothing."""
    match option.type:
        case OptionType.FLAG if not isinstance(value, bool):
            return f"must be true or false, not {value!r}"
        case OptionType.NUMBER if type(value) is not int:
            return f"must be a whole number, not {value!r}"
        case OptionType.TEXT if not isinstance(value, str):
            return f"must be a text, not {value!r}"
    if option.values and scalar_text(value) not in option.values:
        return f"must be one of {', '.join(option.values)}, not {scalar_text(value)}"
    return ""


def _meant(option: CompileOption, value: Scalar) -> Scalar | None:
    """The value that is meant by another spelling, as guides and other tools have it; None: unknown."""
    text = scalar_text(value).strip().lower()
    match option.type:
        case OptionType.FLAG:
            return True if text in _ON else False if text in _OFF else None
        case OptionType.NUMBER:
            return int(text) if text.isdecimal() and text in (option.values or (text,)) else None
    return _closest(text, option.values)


def _closest(text: str, values: Iterable[str]) -> str | None:
    """The one of `values` that is spelled differently, or nearly so; None: there is none."""
    known = {_bare(one): one for one in values}
    bare = _SPELLINGS.get(_bare(text), _bare(text))
    near = difflib.get_close_matches(bare, known, 1, cutoff=0.75)
    return known.get(bare) or (known[near[0]] if near else None)


def _bare(text: str) -> str:
    return "".join(one for one in text.lower() if one.isalnum())


def _hint(field: str, meant: Scalar | None) -> str:
    """How to write it in a profile; empty: it is not known what is meant."""
    if meant is None:
        return ""
    written = scalar_text(meant) if isinstance(meant, bool | int) else f'"{meant}"'
    return f"Write {field} = {written}."


def _bad(name: str, field: str, what: str, hint: str = "") -> UsageError:
    return UsageError(f"Profile {name!r}: {field} {what}", hint=hint)
