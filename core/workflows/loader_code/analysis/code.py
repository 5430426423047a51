# SPDX-License-Identifier: Apache-2.0
"""One parsed file of loader code: where its parts are, and how to insert text without moving anything else."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import zip_longest
from typing import TypeAlias

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper, ParentNodeProvider

from core.base.errors import TTMatrixError

WIDTH = 88
"""Line length of black, which upstream runs before each commit."""
STEP = "    "
_PARSED = 8
"""So many files stay parsed: those of one case."""


Statement: TypeAlias = cst.BaseStatement
_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Splice:
    """Put `text` in place of the bytes from `start` to `end`."""

    start: int
    end: int
    text: str


class Code:
    """A file of loader code. Offsets are those of its bytes as UTF-8; lines start at 1."""

    def __init__(self, source: str) -> None:
        """Raises TTMatrixError if `source` is not valid Python, independent of the version that runs us.

        Also if the parser drops part of the text, because offsets would be wrong: libcst drops empty lines and comments
        before a last line of white space.
        """
        self.source = source
        self._mark = _MARK if source.startswith(_MARK) else ""
        text = source.removeprefix(_MARK)
        try:
            parsed = cst.parse_module(text)
        except cst.ParserSyntaxError as error:
            where = f"line {error.raw_line}: {error.message}"
            raise TTMatrixError("Cannot follow the loader's code", where, "Fix its syntax first.") from error
        if parsed.code != text:
            pairs = zip_longest(parsed.code.splitlines(), text.splitlines())
            line = next((number for number, (read, written) in enumerate(pairs, 1) if read != written), 1)
            where = f"line {line}: the parser does not read all of what follows."
            hint = "Look for white space or comments with an odd indentation there, often at the end of the file."
            raise TTMatrixError("Cannot follow the loader's code", where, hint)
        wrapper = MetadataWrapper(parsed, unsafe_skip_copy=True)
        self.module = wrapper.module
        self._spans = wrapper.resolve(ByteSpanPositionProvider)
        self._parents: Mapping[cst.CSTNode, cst.CSTNode] = wrapper.resolve(ParentNodeProvider)
        self._bytes = source.encode()
        self.newline = parsed.default_newline
        self.functions = {one.name.value: one for one in self.module.body if isinstance(one, cst.FunctionDef)}
        self.classes = {one.name.value: one for one in self.module.body if isinstance(one, cst.ClassDef)}

    @cached_property
    def _shift(self) -> int:
        return len(self._mark.encode())

    def start(self, node: cst.CSTNode) -> int:
        return int(self._spans[node].start) + self._shift

    def end(self, node: cst.CSTNode) -> int:
        return self.start(node) + int(self._spans[node].length)

    def line(self, node: cst.CSTNode) -> int:
        return self._bytes.count(b"\n", 0, self.start(node)) + 1

    def last_line(self, node: cst.CSTNode) -> int:
        return self._bytes.count(b"\n", 0, self.end(node)) + 1

    def text(self, node: cst.CSTNode) -> str:
        """The node as written, without parentheses around it."""
        return self._bytes[self.start(node) : self.end(node)].decode()

    def column(self, node: cst.CSTNode) -> int:
        """Number of characters before the node on its line."""
        begin = self._bytes.rfind(b"\n", 0, self.start(node)) + 1
        return len(self._bytes[begin : self.start(node)].decode())

    def margin(self, node: cst.CSTNode) -> str:
        """The white space that the line of `node` begins with."""
        begin = self._bytes.rfind(b"\n", 0, self.start(node)) + 1
        line = self._bytes[begin : self.start(node)].decode()
        return line[: len(line) - len(line.lstrip())]

    def line_end(self, offset: int) -> int:
        """The offset behind the line break that follows `offset`, or the end of the file."""
        found = self._bytes.find(b"\n", offset)
        return len(self._bytes) if found < 0 else found + 1

    def line_start(self, offset: int) -> int:
        """The offset at which the line of `offset` begins."""
        return self._bytes.rfind(b"\n", 0, offset) + 1

    def end_of_block(self, node: cst.CSTNode) -> int:
        """The offset of the line after a compound statement and the comments that are indented below it."""
        end = self.end(node)
        at = end if self._bytes[end - 1 : end] == b"\n" else self.line_end(end)
        indent, ahead = len(self.margin(node)), at
        while ahead < len(self._bytes):
            after = self.line_end(ahead)
            line = self.part(ahead, after)
            if line.strip() and not (line.lstrip().startswith("#") and len(line) - len(line.lstrip()) > indent):
                break
            at, ahead = (after if line.strip() else at), after
        return at

    def end_of(self, mark: bytes, offset: int) -> int:
        """The offset behind the next `mark`, which must be there."""
        return self._bytes.index(mark, offset) + len(mark)

    def part(self, start: int, end: int) -> str:
        return self._bytes[start:end].decode()

    def spliced(self, splices: Sequence[Splice]) -> str:
        """The source with `splices`, which must not overlap, carried out; they take the line ends of the file."""
        data = self._bytes
        for splice in sorted(splices, key=lambda one: one.start, reverse=True):
            text = splice.text.replace("\n", self.newline).encode()
            data = data[: splice.start] + text + data[splice.end :]
        return data.decode()

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        return self._parents.get(node)

    def above(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes around `node`, nearest first."""
        while (parent := self._parents.get(node)) is not None:
            yield parent
            node = parent

    def statement(self, node: cst.CSTNode) -> Statement:
        """The nearest statement that is `node` or contains it."""
        for one in (node, *self.above(node)):
            if isinstance(one, cst.BaseStatement):
                return one
        raise LookupError("a node outside of every statement")

    def method(self, cls: str, name: str) -> cst.FunctionDef | None:
        """Method `name` of class `cls`, its own or of a base in this file."""
        for one in self._lineage(cls):
            if (found := own_method(one, name)) is not None:
                return found
        return None

    def _lineage(self, cls: str, above: frozenset[str] = frozenset()) -> Iterator[cst.ClassDef]:
        if cls in above or cls not in self.classes:
            return
        found = self.classes[cls]
        yield found
        for base in found.bases:
            if isinstance(base.value, cst.Name):
                yield from self._lineage(base.value.value, above | {cls})


@lru_cache(_PARSED)
def parsed(source: str) -> Code:
    """As `Code(source)`; a workflow is replayed after each answer, and asks about the same files again each time."""
    return Code(source)


def own_method(cls: cst.ClassDef, name: str) -> cst.FunctionDef | None:
    """The method of that name; if a name is defined twice, the last one counts."""
    found = [one for one in cls.body.body if isinstance(one, cst.FunctionDef) and one.name.value == name]
    return found[-1] if found else None


def suite(body: cst.BaseSuite) -> Sequence[Statement]:
    """The statements of an indented block; none if the body follows the colon: nothing is ever inserted there."""
    return body.body if isinstance(body, cst.IndentedBlock) else ()


def parameters(function: cst.FunctionDef) -> list[cst.Param]:
    """All named parameters."""
    params = function.params
    return [*params.posonly_params, *params.params, *params.kwonly_params]


def dotted(node: cst.CSTNode) -> str:
    """`self.image` for a name or attributes of a name; empty for anything else."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute) and (above := dotted(node.value)):
        return f"{above}.{node.attr.value}"
    return ""


def constant(node: cst.CSTNode) -> str | int | None:
    """The value of a literal string or whole number."""
    if isinstance(node, cst.SimpleString | cst.ConcatenatedString):
        value = node.evaluated_value
        return value if isinstance(value, str) else None
    if isinstance(node, cst.Integer):
        return int(node.evaluated_value)
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        inner = constant(node.expression)
        return -inner if isinstance(inner, int) else None
    return None


def key_of(node: cst.Subscript) -> str | int | None:
    """The literal inside the subscript; None for another expression or a slice."""
    if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        return constant(node.slice[0].slice.value)
    return None


def nodes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """`node` and everything below it, in the order of the text."""
    yield node
    for child in node.children:
        yield from nodes(child)


@dataclass(frozen=True, slots=True)
class NoSite:
    """There is no allowed edit, or the code does not determine exactly one."""

    reason: str
    """One line for people, with lines of the file where that helps."""


def member_of(code: Code, variant: str) -> str:
    """The name of the enum member whose value is `variant`; empty where none is given or found."""
    for cls in code.classes.values() if variant else ():
        for statement in cls.body.body:
            match statement:
                case cst.SimpleStatementLine(
                    body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)]
                ) if constant(value) == variant:
                    return name
    return ""
