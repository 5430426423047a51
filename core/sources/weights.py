# SPDX-License-Identifier: Apache-2.0
"""What a loader fetches through torch.hub, torchvision, timm and pytorchcv: weights beside the hub's.

From its syntax tree, for one variant: of branches on the variant's configuration only the one that is taken is read.
"""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from core.sources.configurations import Configuration, configurations_in
from core.sources.syntax import parse_python

_CONFIGURED = "self._variant_config"
_TORCHVISION, _PYTORCHCV = "torchvision.models", "pytorchcv.model_provider.get_model"
_HUB_LOAD, _TIMM = "torch.hub.load", "timm.create_model"
_FILES = (
    "torch.hub.load_state_dict_from_url",
    "torch.hub.download_url_to_file",
    "torch.utils.model_zoo.load_url",
)
_SIGNS = re.compile(
    r"hub\.load|load_state_dict_from_url|download_url_to_file|load_url|create_model|pytorchcv|torchvision\.models"
    r"|torchvision import [\w\s,(]*\bmodels"
)
"""Matches in the text of a loader that asks for weights: only its syntax tree says which."""
_GITHUB = "https://github.com/"
_ON_HUB = ("hf_hub:", "hf-hub:")
_DEEPEST = 20
_TEXT_METHODS: Mapping[str, Callable[..., str]] = {"lower": str.lower, "upper": str.upper, "replace": str.replace}


class Library(StrEnum):
    """Who fetches weights."""

    TORCH_HUB = "torch.hub"
    TORCHVISION = "torchvision"
    TIMM = "timm"
    PYTORCHCV = "pytorchcv"


class Weights(NamedTuple):
    """What one call fetches."""

    library: Library
    name: str
    """Of the model, as the library has it, or the address of a file; empty: only running the loader tells."""
    repository: str = ""
    """torch.hub: `owner/name` or `owner/name:ref` on GitHub, whose code is fetched, too."""
    member: str = ""
    """torchvision: which of the weights that it has for a model, such as `DEFAULT`; empty: those it had first."""
    pretrained: bool = True
    """Whether weights are fetched, beside the code of a repository."""

    @property
    def text(self) -> str:
        """The model and where it is from, in a line."""
        name = self.name or "(a name that is made as it runs)"
        return " ".join(filter(None, (self.library, self.repository, name, "" if self.pretrained else "(code)")))

    @property
    def on_hub(self) -> str:
        """The repository of the Hugging Face hub that timm takes such a name from; empty: the name leaves that open."""
        if self.library is not Library.TIMM:
            return ""
        named = next((self.name.removeprefix(one) for one in _ON_HUB if self.name.startswith(one)), "")
        return named or (f"timm/{self.name}" if "." in self.name else "")

    @property
    def address(self) -> str:
        """Of the file, where that is all that is fetched; empty: it has none."""
        return self.name if self.name.startswith(("http://", "https://")) else ""

    @property
    def page(self) -> str:
        """Of the repository; empty: there is none."""
        return f"{_GITHUB}{self.repository.partition(':')[0]}" if self.repository else ""


@lru_cache(maxsize=64)
def weights_of(source: str, variant: str) -> tuple[Weights, ...]:
    """What the loader with this text fetches for a variant, through libraries that have servers of their own.

    Nothing is run, and only this file is read. Empty where nothing is fetched so, or it is no Python.
    """
    if not _SIGNS.search(source):
        return ()
    try:
        tree = parse_python(source)
        return tuple(dict.fromkeys(_fetched(tree, configurations_in(tree).get(variant, {}))))
    except (SyntaxError, ValueError, RecursionError):
        return ()


def _fetched(tree: ast.Module, configuration: Configuration) -> Iterator[Weights]:
    imports = _imports(tree)
    attributes = _assignments(one for one in ast.walk(tree) if isinstance(one, ast.stmt))
    for function in (one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)):
        local = _assignments(one for one in ast.walk(function) if isinstance(one, ast.stmt))
        texts = _Texts(configuration, imports, {**attributes, **local})
        for call in _calls(function.body, texts):
            yield from _of_call(call, texts)


def _imports(tree: ast.Module) -> Mapping[str, str]:
    """By name that the file uses, what it means: `models` is `torchvision.models`. Imports of functions count, too."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found |= {one.asname: one.name for one in names if one.asname}
            case ast.ImportFrom(module=str(module), names=names, level=0):
                found |= {one.asname or one.name: f"{module}.{one.name}" for one in names}
    return found


def _assignments(statements: Iterator[ast.stmt]) -> dict[str, ast.expr]:
    """What is assigned once, by the text of its target; what is assigned again is not known."""
    found: dict[str, list[ast.expr]] = {}
    for node in statements:
        match node:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
                found.setdefault(ast.unparse(target), []).append(value)
            case ast.AnnAssign(target=ast.Name() | ast.Attribute() as target, value=ast.expr() as value):
                found.setdefault(ast.unparse(target), []).append(value)
    return {name: values[0] for name, values in found.items() if len({ast.unparse(one) for one in values}) == 1}


@dataclass(frozen=True, slots=True)
class _Texts:
    """What expressions of a function come to, as texts: constants, and what the configuration of the variant has."""

    configuration: Configuration
    imports: Mapping[str, str]
    assigned: Mapping[str, ast.expr]

    def text(self, node: ast.expr | None, depth: int = 0) -> str | None:
        """None: only running the loader tells."""
        if node is None or depth > _DEEPEST:
            return None
        match node:
            case ast.Constant(value=value):
                return str(value)
            case ast.JoinedStr(values=parts):
                texts = [self.text(one, depth + 1) for one in parts]
                return None if None in texts else "".join(one or "" for one in texts)
            case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                return self.text(value, depth + 1)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                first, second = self.text(left, depth + 1), self.text(right, depth + 1)
                return None if first is None or second is None else first + second
            case ast.Call(func=ast.Attribute(value=of, attr=method), args=given, keywords=[]):
                return self._method(method, [self.text(one, depth + 1) for one in (of, *given)])
            case ast.Name() | ast.Attribute():
                return self._named(node, depth)
        return None

    def _method(self, name: str, given: Sequence[str | None]) -> str | None:
        if name not in _TEXT_METHODS or None in given:
            return None
        try:
            return _TEXT_METHODS[name](*given)
        except TypeError:
            return None

    def _named(self, node: ast.Name | ast.Attribute, depth: int) -> str | None:
        text = self.full(node, depth)
        if text.startswith(f"{_CONFIGURED}."):
            return self.text(self.configuration.get(text.removeprefix(f"{_CONFIGURED}.")), depth + 1)
        if (value := self.assigned.get(text)) is not None:
            return self.text(value, depth + 1)
        # A member of an enumeration, such as `ModelSource.TIMM`, is its own text.
        return text if text.rpartition(".")[2].isupper() and "." in text else None

    def full(self, node: ast.expr, depth: int = 0) -> str:
        """What a name or an attribute means in full: `torchvision.models.resnet50`; else its text."""
        if depth > _DEEPEST:
            return ""
        match node:
            case ast.Attribute(value=value, attr=name):
                return f"{self.full(value, depth + 1)}.{name}"
            case ast.Name(id=name) if name in self.imports:
                return self.imports[name]
            case ast.Name(id=name) if isinstance(assigned := self.assigned.get(name), ast.Attribute | ast.Call):
                text = self.full(assigned, depth + 1)
                return text if text == _CONFIGURED or text.startswith(_TORCHVISION) else name
            case ast.Call(func=ast.Name(id="getattr"), args=[of, name, *_]):
                return f"{self.full(of, depth + 1)}.{self.text(name, depth + 1) or ''}"
        return ast.unparse(node)

    def decide(self, test: ast.expr) -> bool | None:
        """Whether a condition holds; None: only running the loader tells."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                decided = self.decide(operand)
                return None if decided is None else not decided
            case ast.BoolOp(op=op, values=values):
                decisive = isinstance(op, ast.Or)
                found = [self.decide(one) for one in values]
                return decisive if decisive in found else None if None in found else not decisive
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._compare(left, op, right)
        return None

    def _compare(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool | None:
        first = self.text(left)
        match operator, right:
            case ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot(), _:
                second = self.text(right)
                same = None if first is None or second is None else first == second
                return same if same is None or isinstance(operator, ast.Eq | ast.Is) else not same
            case ast.In(), ast.List(elts=some) | ast.Tuple(elts=some) | ast.Set(elts=some):
                items = [self.text(one) for one in some]
                return None if first is None or None in items else first in items
        return None


def _calls(body: Sequence[ast.stmt], texts: _Texts) -> Iterator[ast.Call]:
    """The calls of statements, without those in branches that the variant does not take."""
    for node in body:
        if isinstance(node, ast.If):
            decided = texts.decide(node.test)
            yield from _calls([] if decided is False else node.body, texts)
            yield from _calls([] if decided is True else node.orelse, texts)
            continue
        inner = [part for name in ("body", "orelse", "finalbody") for part in getattr(node, name, ())]
        inner += [part for handler in getattr(node, "handlers", ()) for part in handler.body]
        yield from _calls([one for one in inner if isinstance(one, ast.stmt)], texts)
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr | ast.withitem):
                yield from (one for one in ast.walk(part) if isinstance(one, ast.Call))


def _of_call(call: ast.Call, texts: _Texts) -> Iterator[Weights]:
    given = {word.arg: word.value for word in call.keywords if word.arg}
    first, second = (*call.args, None, None)[:2]
    function = texts.full(call.func)
    asked = texts.text(given.get("pretrained")) != "False" if "pretrained" in given else None
    if function == _HUB_LOAD and texts.text(given.get("source")) != "local":
        repository = texts.text(first or given.get("repo_or_dir"))
        name = texts.text(second or given.get("model")) or ""
        if repository is None or "/" in repository:
            yield Weights(Library.TORCH_HUB, name, repository or "", pretrained=asked is not False)
    elif function in _FILES:
        yield Weights(Library.TORCH_HUB, texts.text(first or given.get("url")) or "")
    elif function == _TIMM and asked:
        yield Weights(Library.TIMM, texts.text(first or given.get("model_name")) or "")
    elif function == _PYTORCHCV and asked:
        yield Weights(Library.PYTORCHCV, texts.text(first or given.get("name")) or "")
    elif function.startswith(f"{_TORCHVISION}."):
        member = _member(given.get("weights"), texts)
        if member or asked:
            yield Weights(Library.TORCHVISION, function.rpartition(".")[2], member=member)


def _member(weights: ast.expr | None, texts: _Texts) -> str:
    """Which weights of a model an argument names: `DEFAULT` of `X_Weights.DEFAULT`, of a variable, of a text."""
    if weights is None or texts.text(weights) == "None":
        return ""
    if isinstance(weights, ast.Name):
        weights = texts.assigned.get(weights.id, weights)
    return weights.attr if isinstance(weights, ast.Attribute) else texts.text(weights) or "DEFAULT"


def other_weights(source: str, variant: str) -> tuple[Weights, ...]:
    """As `weights_of`, without what is known to come from the Hugging Face hub, which `hub_names` has."""
    return tuple(one for one in weights_of(source, variant) if not one.on_hub)
