# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas of docs/schemas, made from the types of what is printed and stored: `python -m tests.reference docs`.

Like `msgspec.json.schema`, which has no unions of objects, no descriptions of fields, and no parts that files share.
"""

import ast
import dataclasses
import inspect
import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache, partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from msgspec import Meta, UnsetType, structs

from core import kinds
from core.base.files import As, Record
from core.base.settings import Profile, Settings
from core.cli import records
from core.cli.records.edits import Proposal
from core.cli.records.operations import Operation
from core.cli.records.rows import ViewsFile
from core.cli.records.runs import Result, ResultOfCases
from core.cli.records.stored import CaseLine
from core.evidence.verdicts import Policy
from core.evidence.verdicts.policy import PccPolicy, RetentionPolicy
from core.ops.bisected import Bisected
from core.runs import RunSpec
from core.runs.execution.supervisor import Exit
from core.runs.planning import Survey
from core.runs.planning.profiles import RUNNER_BACKENDS
from core.runs.spec import VERSION as SPEC_VERSION
from core.runs.store import Finished, Queued, Returned, Started
from tui.themes import THEMES

Schema = dict[str, Any]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
COMMON = "common"
_SIMPLE = {str: "string", Path: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}
_SHARE = Annotated[float, Meta(ge=0, le=1)]
_DURATION = Annotated[float, Meta(ge=0)]
_RARE_IN_SPEC = ("cases", "manifests", "prefix", "needs", "paths", "boards", "claims", "requirements")
_LIMITS = {"ge": "minimum", "le": "maximum", "pattern": "pattern"}
_LEAST = {"string": "minLength", "array": "minItems", "object": "minProperties"}


class Stored(NamedTuple):
    """A file, or a table in one, whose fields are those of a dataclass."""

    form: type
    ahead: Mapping[str, object] = {}
    """What is written before its fields."""
    rare: Collection[str] | None = ()
    """Fields that may be absent: they have their default, or the file is of an earlier version. None: any may."""
    narrow: Mapping[str, object] = {}
    """The forms of fields whose annotation is wider than what is taken or written."""
    inline: str = ""
    """The field that has its own fields written in its place."""


class Tables(NamedTuple):
    """A table of tables with names that a person chooses."""

    form: Stored


class Document(NamedTuple):
    """One schema: what it is of, and the type."""

    title: str
    """What prints it; that of a file begins with a capital letter or names the file."""
    form: object


DOCUMENTS: Mapping[str, Document] = {
    "capsule": Document("`capsule RUN --json`", records.PackedRun),
    "check": Document("`check --json`", records.Checked),
    "clusters": Document("`clusters --json`", Sequence[records.Cluster] | records.OperationsWritten),
    "clusters-issues": Document("`clusters --issues --json`", Sequence[records.CitedIssue]),
    "compare": Document("`compare --json`", records.RunsCompared),
    "compare-profiles": Document(
        "ttmatrix compare --profiles --json: tests under several profiles", records.ProfilesCompared
    ),
    "compare-runs": Document("`compare --runs --json`", Sequence[records.KnownRun]),
    "completion": Document("`completion SHELL --json`", records.Completion),
    "demo": Document("`demo DIR --headless --json`", records.DemoWalk),
    "doctor": Document("`doctor --json`", Sequence[records.Finding]),
    "doctor-explain": Document("`doctor --explain KIND --json`", records.FindingExplained),
    "doctor-kinds": Document("`doctor --kinds --json`", Sequence[records.FindingKind]),
    "edit": Document("`edit --json` and `apply --json`", records.Edited),
    "error": Document("Any command with --json that cannot do what it was asked", records.Failed),
    "evidence": Document(
        "`evidence --json`", records.Exported | Sequence[records.Imported] | records.StoreStats | records.Pruned
    ),
    "filecheck": Document(
        "ttmatrix filecheck --json: a pattern on a program; with --first the pattern that was written",
        records.PatternChecked | records.PatternWritten,
    ),
    "diff": Document("`diff --json`, `uplift --json`", records.StatesCompared),
    "diff-hours": Document("`diff --hours H --json`, `uplift --hours H --json`", records.TouchedTests),
    "grid": Document("`grid --json`", records.Grid),
    "history": Document("`history ID --json`", records.EntryHistory),
    "hosts": Document(
        "`hosts list --json`, and of `hosts add`, `hosts remove`, `hosts import`, `hosts up` and `hosts down`",
        Sequence[records.Host],
    ),
    "hosts-check": Document("`hosts check --json`", Sequence[records.HostChecked]),
    "ingest": Document("`ingest --json`", records.Ingested),
    "ir": Document(
        "ttmatrix ir --json: programs (list), ops by name or ops (ops), differences between programs (diff)",
        Sequence[records.Program | records.ProgramOps | records.OpInProgram | records.ProgramsCompared]
        | records.CodeRun,
    ),
    "jobs": Document("`jobs --json`", Sequence[records.CiJob]),
    "jobs-of-test": Document("`jobs ID --json`", records.JobsOfTest | records.JobsOfHandwritten),
    "list": Document("`list --json`", Sequence[records.Row]),
    "list-handwritten": Document("`list --kind handwritten --json`", Sequence[kinds.HandwrittenTest]),
    "list-views": Document("`list --views --json`", Sequence[records.NamedView]),
    "loaders": Document("`loaders --json`", Sequence[records.LoaderEdit] | Sequence[records.CheckedLoader]),
    "logs": Document("`logs RUN --json`", records.RunLog),
    "logs-artefacts": Document("`logs RUN --artefacts --json`", records.RunArtefacts),
    "logs-compare": Document("`logs RUN --compare RUN --json`", records.LogsCompared),
    "nightly": Document("`nightly --json`", records.Nightly),
    "nightly-artefacts": Document("`nightly --artefacts --json`, `--fetch`", Sequence[records.NightArtefact]),
    "nightly-job": Document("`nightly --job JOB --json`", records.NightJobTests),
    "operations": Document(
        "A file of operations, for `edit --apply FILE` and `apply FILE`; `clusters --cluster TEXT --set-reason|--attach`",
        Sequence[Operation],
    ),
    "ops-bisect": Document("`ops bisect --json`", Bisected),
    "ops-compare": Document("`ops compare --json`", records.BackendsCompared),
    "ops-extract": Document("`ops extract --json`", records.Extracted),
    "ops-list": Document("`ops list --json`", Sequence[kinds.OpCase]),
    "ops-models": Document("`ops models --json`", Sequence[records.OpModel]),
    "ops-of": Document("`ops of TEST --json`", records.OpsOfModel),
    "ops-report": Document("`ops report --json`", records.OpsReport),
    "ops-results": Document("`ops results --json`", Sequence[records.OpCaseResult]),
    "ops-run": Document("`ops run --json`", Sequence[records.OpCaseRun]),
    "pending": Document("`pending --json`: the changes after what was done", Sequence[records.PendingChange]),
    "perf": Document("ttmatrix perf --json: numbers of tests over time", Sequence[records.Performance]),
    "placeholders": Document("`placeholders --json`", Sequence[kinds.PlaceholderWithTests]),
    "plan": Document("`run --plan --json` and `rerun --plan --json`", Sequence[records.Planned]),
    "policy-of-checkout": Document("`policy --json`", records.PolicyOfCheckout),
    "pr": Document("`pr --json`", records.PullRequest),
    "profiles": Document(
        "ttmatrix profiles --json: the profiles of the settings and of the checkout, by name",
        Mapping[str, records.Profile],
    ),
    "profiles-options": Document(
        "ttmatrix profiles --options --json: the compile options of the checkout", Sequence[records.CompileOption]
    ),
    "proposals": Document("A file of proposals, for `apply FILE`", Sequence[Proposal]),
    "propose": Document("`propose --json` and `propose -o FILE`", Sequence[records.FullProposal]),
    "replay": Document("`replay FILE --json`", records.Replayed),
    "report": Document("`report --json`", records.Report),
    "runs": Document("`run`, `runs`, `cancel`, `rerun`, `queue` and `prune` with --json", Sequence[records.Run]),
    "serve": Document("`serve --json`", records.Served),
    "session": Document("`plan --json`", records.SessionPlan),
    "show": Document("`show ID --json`", records.ShownTest),
    "show-handwritten": Document("`show NODEID --json` of a hand-written test", kinds.ShownHandwritten),
    "show-row": Document("`show ID --json` of any other row, such as a benchmark", kinds.ShownOtherRow),
    "show-op": Document("`show MODEL::CASE --json`", kinds.ShownOpCase),
    "show-placeholder": Document("`show NAME --json` of a placeholder", kinds.PlaceholderWithTests),
    "since": Document("`since --json`", records.Since),
    "trend": Document("`trend --json`", records.EntryTrend),
    "triage": Document(
        "`triage ID --json`; with several ids a list of these",
        records.WorkflowReport | Annotated[Sequence[records.WorkflowReport], Meta(min_length=2)],
    ),
    "triage-sessions": Document(
        "`triage --json` without an id: the workflows that are open", Sequence[records.OpenWorkflow]
    ),
    "run-spec": Document(
        "spec.json in the directory of a run: what was planned",
        Stored(
            RunSpec,
            ahead={"version": Literal[SPEC_VERSION]},
            rare=("profile", "log_limit", "entry", *_RARE_IN_SPEC),
            narrow={"run_id": Annotated[str, Meta(pattern=r"^\d{8}-\d{6}-[0-9a-f]{6}$")]},
        ),
    ),
    "run-provenance": Document(
        "provenance.json in the directory of a run: what it met", Stored(Survey, ahead={"version": Literal[1]})
    ),
    "run-event": Document(
        "One line of events.jsonl in the directory of a run",
        (
            Stored(Queued, ahead={"version": Literal[1], "event": Literal["queued"]}),
            Stored(
                Started,
                ahead={"version": Literal[1], "event": Literal["started"]},
                rare=("tree", "place"),
                inline="supervisor",
            ),
            Stored(Returned, ahead={"version": Literal[1], "event": Literal["returned"]}, rare=("host_failed",)),
            Stored(
                Finished,
                ahead={"version": Literal[1], "event": Literal["finished"]},
                rare=("edited", "idle", "peak_memory", "packages"),
                narrow={"result": Result | ResultOfCases | None},
            ),
        ),
    ),
    "run-exit": Document(
        "exit.json in the directory of a run: how its process ended",
        Stored(Exit, ahead={"version": Literal[1]}, rare=("peak_memory",)),
    ),
    "run-results": Document("A line of results.jsonl in the directory of a run of op cases", CaseLine),
    "policy": Document(
        "The policy, a TOML file",
        Stored(
            Policy,
            rare=None,
            narrow={
                "minimum_runs": Annotated[int, Meta(ge=1)],
                "apply_grade": Annotated[int, Meta(ge=1, le=5)],
                "pcc": Stored(PccPolicy, rare=None, narrow=dict.fromkeys(("margin", "highest", "lowest"), _SHARE)),
                "retention": Stored(
                    RetentionPolicy, rare=None, narrow={"days": _DURATION, "newest": Annotated[int, Meta(ge=1)]}
                ),
                "keep": Mapping[str, Annotated[str, Meta(min_length=1)]],
            },
        ),
    ),
    "settings": Document(
        "settings.toml",
        Stored(
            Settings,
            rare=None,
            narrow={
                "backend": Literal[RUNNER_BACKENDS],
                "theme": Literal["auto", *THEMES],
                "keymap": Literal["vim", "emacs"],
                "notify": Literal["bell", "osc9", "off"],
                "profiles": Tables(
                    Stored(
                        Profile,
                        rare=None,
                        narrow={
                            "timeout": float,
                            "backend": Literal["", *RUNNER_BACKENDS],
                            "batch_size": Annotated[int, Meta(ge=1)],
                            "weights": Mapping[str, Literal["bfp_bf8", "bfp_bf4", "bf16"]],
                        },
                    )
                ),
            },
        ),
    ),
    "views": Document("The file views.json in the state directory", ViewsFile),
    "verdicts": Document("`verdicts --json`", Sequence[records.Judgement]),
}
"""By the name of the schema: `docs/schemas/NAME.json`."""


class _Writer:
    """Schemas of types. Records and named forms become definitions, which are referred to by name."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}
        self._forms: dict[str, object] = {}

    def schema(self, form: object) -> Schema:
        """The schema of any type that a field may have."""
        if isinstance(form, tuple):
            return self._of_file(form)
        origin, args = get_origin(form), get_args(form)
        if origin is Annotated:
            return self._annotated(args[0], args[1:])
        if origin in (Union, UnionType):
            return self._union([one for one in args if one is not UnsetType])
        if origin is Literal:
            return {"const": args[0]} if len(args) == 1 else {"enum": list(args)}
        if form in _SIMPLE:
            return {"type": _SIMPLE[form]}
        if isinstance(form, type) and issubclass(form, Enum):
            return self._named(
                _snake(form.__name__), form, lambda: {"enum": [one.value for one in form], **_about(form)}
            )
        if isinstance(form, type) and issubclass(form, Record):
            return self._named(_snake(form.__name__), form, lambda: self._record(form))
        if isinstance(form, type) and dataclasses.is_dataclass(form):
            return self._named(_snake(form.__name__), form, lambda: self._dataclass(form))
        return {} if form in (object, Any) else self._container(origin, args)

    def _record(self, form: type[Record]) -> Schema:
        found, closed = structs.fields(form), form.__struct_config__.forbid_unknown_fields
        names = {one.name: one.encode_name for one in found}
        return self._object(form, names, {one.name for one in found if one.required}, closed=closed)

    def _dataclass(self, form: type) -> Schema:
        names = {one.name: one.name for one in dataclasses.fields(form)}
        return self._object(form, names, {*names}, closed=True)

    def _of_file(self, form: tuple[object, ...]) -> Schema:
        if isinstance(form, Tables):
            return {"type": "object", "additionalProperties": self.schema(form.form)}
        if isinstance(form, Stored):
            name = _snake(form.form.__name__)
            return self._named(f"{name}_table" if form.rare is None else name, form, lambda: self._stored(form))
        return {"anyOf": [self.schema(one) for one in form]}

    def _stored(self, one: Stored) -> Schema:
        hints = get_type_hints(one.form, include_extras=True) | {**one.narrow}
        properties = {name: self.schema(form) for name, form in one.ahead.items()}
        rare = hints if one.rare is None else one.rare
        required = [*properties, *(name for name in hints if name not in rare and name != one.inline)]
        for name, form in hints.items():
            if name == one.inline:
                inner = self._stored(Stored(form))
                properties |= inner["properties"]
                required += inner["required"]
            else:
                properties[name] = self.schema(form) | _description(_meanings(one.form).get(name, ""))
        closed = {**({"required": required} if required else {}), "additionalProperties": False}
        return {**_about(one.form), "type": "object", "properties": properties, **closed}

    def _object(self, form: type, names: Mapping[str, str], required: Collection[str], *, closed: bool) -> Schema:
        """An object with these fields, by their names in the code with those in JSON."""
        hints, meanings = get_type_hints(form, include_extras=True), _meanings(form)
        properties = {}
        for name, written in names.items():
            properties[written] = {**self.schema(hints[name]), **_description(meanings.get(name, ""))}
        needed = [written for name, written in names.items() if name in required]
        more = {"additionalProperties": False} if closed else {}
        return {**_about(form), "type": "object", "properties": properties, "required": needed, **more}

    def _annotated(self, form: object, extras: Sequence[object]) -> Schema:
        found = self.schema(form)
        for extra in extras:
            if isinstance(extra, As):
                plain = partial(self.schema, extra.form)
                found = self._named(extra.name, extra.form, plain) if extra.name else plain()
            elif isinstance(extra, Meta):
                found |= {name: getattr(extra, key) for key, name in _LIMITS.items() if getattr(extra, key) is not None}
                if extra.min_length is not None:
                    found[_LEAST[found["type"]]] = extra.min_length
        return found

    def _union(self, forms: Sequence[object]) -> Schema:
        found = [self.schema(one) for one in forms]
        if all(one.keys() == {"type"} for one in found):
            types = [one["type"] for one in found]
            return {"type": types if len(types) > 1 else types[0]}
        return found[0] if len(found) == 1 else {"anyOf": found}

    def _container(self, origin: object, args: Sequence[object]) -> Schema:
        if origin is tuple and args[-1] is not Ellipsis:
            items = [self.schema(one) for one in args]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        if isinstance(origin, type) and issubclass(origin, Mapping):
            names = {} if args[0] is str else {"propertyNames": self.schema(args[0])}
            return {"type": "object", **names, "additionalProperties": self.schema(args[1])}
        if isinstance(origin, type) and issubclass(origin, Sequence):
            return {"type": "array", "items": self.schema(args[0])}
        raise TypeError(f"{origin} has no form in JSON")

    def _named(self, name: str, form: object, make: Callable[[], Schema]) -> Schema:
        if self._forms.setdefault(name, form) is not form:
            raise TypeError(f"{form} and {self._forms[name]} have one name: {name}")
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = make()
        return {"$ref": f"#/$defs/{name}"}


def schema_of(form: object) -> Schema:
    """The schema of one type."""
    return schemas({"one": Document("", form)})["one"]


def schemas(documents: Mapping[str, Document] = DOCUMENTS) -> dict[str, Schema]:
    """Every schema by its name, with `common`: the definitions that more than one of them uses."""
    writer = _Writer()
    roots = {name: writer.schema(one.form) for name, one in documents.items()}
    reached = {name: _reached(root, writer.definitions) for name, root in roots.items()}
    users: dict[str, set[str]] = defaultdict(set)
    for name, found in reached.items():
        for definition in found:
            users[definition].add(name)
    shared = {name for name, by in users.items() if len(by) > 1}
    made = {COMMON: _file(COMMON, "Parts that the other schemas share", {}, sorted(shared), writer, shared)}
    for name, root in roots.items():
        own = [one for one in reached[name] if one not in shared]
        made[name] = _file(name, documents[name].title, root, own, writer, shared)
    return made


def _file(name: str, title: str, root: Schema, own: Sequence[str], writer: _Writer, shared: set[str]) -> Schema:
    definitions = {one: _placed(writer.definitions[one], name, shared) for one in own}
    body = _placed(root, name, shared)
    # What is there once anyway is written where it is.
    if (reference := body.get("$ref", "")).startswith("#/$defs/"):
        body = definitions.pop(reference.rpartition("/")[2])
    head = {"$schema": _DIALECT, "$id": f"{name}.json", "title": title}
    return {**head, **body, **({"$defs": definitions} if definitions else {})}


def _placed(value: Any, file: str, shared: set[str]) -> Any:
    """A schema whose references to shared definitions lead to the file that has them."""
    if isinstance(value, dict):
        placed = {key: _placed(one, file, shared) for key, one in value.items()}
        if "$ref" in value and file != COMMON and value["$ref"].rpartition("/")[2] in shared:
            placed["$ref"] = f"{COMMON}.json{value['$ref']}"
        return placed
    return [_placed(one, file, shared) for one in value] if isinstance(value, list) else value


def _reached(schema: Schema, definitions: Mapping[str, Schema]) -> dict[str, None]:
    """The definitions that a schema needs, in the order in which it comes to them."""
    found: dict[str, None] = {}

    def follow(value: object) -> None:
        if isinstance(value, dict):
            if "$ref" in value and (name := value["$ref"].rpartition("/")[2]) not in found:
                found[name] = None
                follow(definitions[name])
            for one in value.values():
                follow(one)
        elif isinstance(value, list):
            for one in value:
                follow(one)

    follow(schema)
    return found


def _about(form: type) -> Schema:
    return _description(_one_line(inspect.cleandoc(form.__doc__ or "")))


def _description(text: str) -> Schema:
    return {"description": text} if text else {}


def _meanings(form: type) -> dict[str, str]:
    """What the fields of a record mean: the text below each, here or in a class that it extends."""
    found: dict[str, str] = {}
    for one in reversed(form.__mro__):
        if one.__module__.startswith("core."):
            found |= _written(one.__module__).get(one.__name__, {})
    return found


@cache
def _written(module: str) -> dict[str, dict[str, str]]:
    """By class and attribute of a module, the text below the attribute."""
    tree = ast.parse(Path(str(sys.modules[module].__file__)).read_text(encoding="utf-8"))
    return {one.name: dict(_texts(one)) for one in tree.body if isinstance(one, ast.ClassDef)}


def _texts(form: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for one, below in zip(form.body, form.body[1:], strict=False):
        match one, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, _one_line(text)


def _one_line(text: str) -> str:
    """Of a docstring, for readers of JSON."""
    return re.sub(r"\bNone\b", "null", " ".join(textwrap.dedent(text).split()))


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
