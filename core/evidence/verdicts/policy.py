# SPDX-License-Identifier: Apache-2.0
"""How much evidence is enough and what must not be changed: one TOML file, the repository's or the person's own."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import Malformed, is_there, read_text, toml_tables
from core.base.settings import TableError, table_values
from core.base.text import toml_text
from core.evidence.series import FLAKINESS_RESULTS

REPOSITORY_FILES = ("ttmatrix-policy.toml", ".ttmatrix/policy.toml")
"""Places of the policy in a repository; the first one that exists counts, before the person's own."""


@dataclass(frozen=True, slots=True)
class PccPolicy:
    """How thresholds are derived from measured numbers (docs/rules.md 5.3)."""

    margin: float = 0.004
    """How far above a threshold the lowest number must be."""
    highest: float = 0.99
    """No threshold is raised above it: it is the default of an entry."""
    lowest: float = 0.9
    """No threshold is lowered below it: such a result is wrong, not imprecise."""


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """How long results that only repeat their neighbours are stored; every change of outcome stays."""

    days: float = 0.0
    """Older ones are removed, except one a week; 0: all stay, unless `ttmatrix evidence prune` is run."""
    newest: int = 50
    """So many of the newest results of a cell stay, whatever their age."""
    fetched_days: float = 90.0
    """Logs and artefacts of CI that were fetched longer ago, and not read since, are removed; 0: none for its age."""
    fetched_gib: float = 4.0
    """The oldest of them beyond this size are removed; 0: none for its size. What is being read stays."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules for verdicts and proposals."""

    minimum_runs: int = 3
    """With fewer results, nothing shows that an entry is true; what contradicts it is shown from the first one on."""
    window: int = 10
    """How many of the newest results of a cell count."""
    apply_grade: int = 3
    """The least grade of a proposal that `ttmatrix apply` takes by itself, from 1 to 5; a person may accept any."""
    grace_days: float = 7.0
    """Days after a change of its status in which a promotion has the lowest grade; what turns red does not wait."""
    require_issue: bool = False
    """Whether a proposal that expects a failure must link to an issue in its reason."""
    archs: tuple[str, ...] = ()
    """Archs that must agree before an entry is stale on all; empty: every arch that the entry supports."""
    must_pass: tuple[str, ...] = ()
    """Ids, or patterns of them, that no proposal may expect to fail."""
    cpu_counts_as_device: bool = False
    """Whether results that ttmatrix's own runner made on a CPU count as those of a device: only in the sample checkout.
    """
    ignored_hosts: tuple[str, ...] = ()
    """Machines whose results do not count."""
    pcc: PccPolicy = PccPolicy()
    retention: RetentionPolicy = RetentionPolicy()
    keep: Mapping[str, str] = field(default_factory=dict)
    """The reason why an entry is pinned, by id or pattern."""

    def pinned(self, id: str) -> str:
        """Why the entry of `id` is pinned; empty: it is not."""
        return self.keep.get(id) or next((why for pattern, why in self.keep.items() if fnmatchcase(id, pattern)), "")

    @property
    def retained(self) -> int:
        """How many of the newest results of a cell must stay, so that no verdict and no flakiness changes."""
        return max(self.retention.newest, self.window, self.minimum_runs, FLAKINESS_RESULTS)

    def must(self, id: str) -> bool:
        """Whether `id` must not be expected to fail."""
        return any(fnmatchcase(id, pattern) for pattern in self.must_pass)


@dataclass(frozen=True, slots=True)
class LoadedPolicy:
    """A policy and the file it was read from."""

    policy: Policy
    file: Path | None
    """None: there is no file, so the defaults apply."""


def find_policy(root: Path, own: Path) -> LoadedPolicy:
    """The policy of the checkout at `root`, else the one in `own`, else the defaults.

    Raises TTMatrixError if the file has a mistake: a partly understood policy must not be applied.
    """
    for file in (*(root / name for name in REPOSITORY_FILES), own):
        if is_there(file):
            return LoadedPolicy(parse_policy(read_text(file), str(file)), file)
    return LoadedPolicy(Policy(), None)


def parse_policy(text: str, name: str) -> Policy:
    """The policy in `text`; `name` is its place, for messages. Raises TTMatrixError."""
    try:
        raw = toml_tables(text)
    except Malformed as error:
        raise TTMatrixError(f"The policy in {name} cannot be read", str(error), "Fix or remove it.") from error
    nested = {key: raw.pop(key, {}) for key in _NESTED}
    for key, values in nested.items():
        if not isinstance(values, dict):
            raise _mistake(name, f"{key} must be a table, not {values!r}")
    prefix = ""
    try:
        policy = replace(Policy(), **table_values(raw, Policy))
        prefix = "pcc."
        policy = replace(policy, pcc=PccPolicy(**table_values(nested["pcc"], PccPolicy)))
        prefix = "retention."
        policy = replace(policy, retention=RetentionPolicy(**table_values(nested["retention"], RetentionPolicy)))
    except TableError as error:
        raise _mistake(name, f"{prefix}{error}", error.hint) from error
    if not all(why.strip() for why in policy.keep.values()):
        raise _mistake(name, "keep must be a table of ids with a reason each")
    _check_ranges(policy, name)
    return policy


def policy_text(policy: Policy) -> str:
    """`policy` as TOML, which `parse_policy` reads back."""
    plain = [f"{one.name} = {_toml(getattr(policy, one.name))}" for one in fields(Policy) if one.name not in _TABLES]
    nested = []
    for name in _NESTED:
        table = getattr(policy, name)
        nested += ["", f"[{name}]", *(f"{one.name} = {_toml(getattr(table, one.name))}" for one in fields(table))]
    keep = [f"{_toml(id)} = {_toml(why)}" for id, why in policy.keep.items()]
    return "\n".join([*plain, *nested, "", "[keep]", *keep, ""])


_NESTED = ("pcc", "retention")
_TABLES = (*_NESTED, "keep")


def _check_ranges(policy: Policy, name: str) -> None:
    pcc = policy.pcc
    wrong = {
        "minimum_runs must be at least 1": policy.minimum_runs < 1,
        "window must be at least minimum_runs": policy.window < policy.minimum_runs,
        "apply_grade must lie between 1 and 5": not 1 <= policy.apply_grade <= 5,
        "grace_days must not be negative": not policy.grace_days >= 0,
        "retention.days must not be negative": not policy.retention.days >= 0,
        "retention.fetched_days must not be negative": not policy.retention.fetched_days >= 0,
        "retention.fetched_gib must not be negative": not policy.retention.fetched_gib >= 0,
        "retention.newest must be at least 1": policy.retention.newest < 1,
        "pcc.margin must lie between 0 and 1": not 0 <= pcc.margin < 1,
        "pcc.lowest and pcc.highest must lie between 0 and 1, in this order": not 0 <= pcc.lowest <= pcc.highest <= 1,
    }
    for message, holds in wrong.items():
        if holds:
            raise _mistake(name, message)


def _mistake(name: str, message: str, hint: str = "") -> TTMatrixError:
    return TTMatrixError(f"The policy in {name} has a mistake", message, hint or "A complete one: ttmatrix policy")


def _toml(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return toml_text(value)
        case tuple():
            return f"[{', '.join(map(_toml, value))}]"
    return repr(value)
