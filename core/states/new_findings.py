# SPDX-License-Identifier: Apache-2.0
"""What a change adds to the findings of a checkout, against the state that it starts from."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.base.errors import TTMatrixError, UsageError
from core.domain.model import Finding
from core.sources import WORK_TREE, Checkout, Git
from core.states.differing import findings_between
from core.states.presets import renamed_presets
from core.states.state import State, States

_BASE_VARIABLE = "GITHUB_BASE_REF"
"""In a workflow for a pull request: the branch that it is for."""
_TRUNKS = ("origin/HEAD", "origin/main", "origin/master", "main", "master")


@dataclass(frozen=True, slots=True)
class Base:
    """The commit that a change is compared with."""

    commit: str
    name: str
    """As a person knows it."""
    notes: tuple[str, ...] = ()
    """What cannot be known with it."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What is there now and not at the base."""

    base: Base
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = field(default=())
    """What could not be known."""


def read_base(checkout: Checkout, revision: str, environ: Mapping[str, str]) -> Base:
    """The commit to compare with: where the branch that is checked out left `revision`.

    Empty: the branch that a pull request is for, as a workflow of GitHub says it; else the upstream branch; else that
    of origin. Raises UsageError or TTMatrixError that says how to get a base if there is none.
    """
    git = Git(checkout.root)
    name = revision or _upstream(git, environ)
    if not name:
        raise _no_base(git)
    tip = git.named(name)
    fork = git.attempt("merge-base", tip, "HEAD")
    if fork.returncode == 0 and (commit := fork.stdout.decode().split()):
        return Base(commit[0], name)
    if git.is_shallow():
        note = (
            f"The clone is shallow: where this branch left {name} is not known, so {name} itself is the base."
            f" A mistake that {name} has fixed since counts as new here"
        )
        return Base(tip, name, (note,))
    return Base(tip, name, (f"HEAD and {name} have no commit in common: {name} itself is the base",))


def _upstream(git: Git, environ: Mapping[str, str]) -> str:
    wanted = environ.get(_BASE_VARIABLE, "")
    names = ([f"origin/{wanted}", wanted] if wanted else []) + [*_followed(git), *_TRUNKS]
    for name in names:
        if git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").returncode == 0:
            return name
    return "HEAD^" if git.parent("HEAD") else ""


def _followed(git: Git) -> list[str]:
    """The upstream branch of the present one, unless that is only the present one where it was pushed."""
    found = git.attempt("rev-parse", "--abbrev-ref", "HEAD", "@{upstream}")
    own, _, upstream = found.stdout.decode().partition("\n")
    return [upstream.strip()] if found.returncode == 0 and upstream.partition("/")[2].strip() != own else []


def _no_base(git: Git) -> TTMatrixError:
    if git.is_shallow():
        return TTMatrixError(
            "There is nothing to compare with",
            "The clone is shallow and has a single commit.",
            "Bring a commit and name it: git fetch --depth=1 origin main && ttmatrix check --base FETCH_HEAD",
        )
    return UsageError("There is nothing to compare with", "No branch main, and no upstream.", "Give --base REV.")


def check_against(states: States, base: Base) -> Checked:
    """What the work tree adds against `base`; where its models are not here, with those of now in their place."""
    before, notes = _state(states, base)
    now = states.at(WORK_TREE)
    new = findings_between(before.findings, now.findings)[0]
    presets = now.matrix.checkout.relative(now.matrix.checkout.presets)
    if any(one.file.startswith(f"{presets}/") for one in new):
        renamed = renamed_presets(before.jobs, now.jobs)
        new = findings_between(before.findings, now.findings, renamed)[0]
    return Checked(base, new, (*base.notes, *notes))


def _state(states: States, base: Base) -> tuple[State, tuple[str, ...]]:
    try:
        return states.at(base.commit), ()
    except UsageError:
        raise
    except TTMatrixError as error:
        checkout = states.cache.checkout
        models = Git(checkout.models)
        if not models.own_root():
            raise
        head = models.head_commit()
        where = checkout.relative(checkout.models)
        note = f"{error.title}: what changed below {where} is not known to be new. {error.hint}".rstrip()
        return states.at(base.commit, head), (note,)
