# SPDX-License-Identifier: Apache-2.0
"""Read the testcases of a JUnit file as a stream: of a file of any size, only one is in memory at a time.

Input that would need more is rejected: a document type (it can hide a bomb), an endless tag or nesting. Of a very long
text only the beginning and the end are stored. A file that is damaged gives its testcases up to there.
"""

import codecs
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement
from xml.parsers import expat

MOST_CASES = 200_000
"""The most testcases in one file: ten times the tests that tt-xla has."""
MOST_TEXT = 2**20
"""Characters that are stored at the beginning of a text, and again at its end."""
_MOST_TAG = 16 * 2**20
"""The largest tag with its attributes, in bytes: the parser holds it completely, and scans it again with each piece."""
_MOST_DEPTH = 64
_TEXT_PIECE = 64 * 1024
_ROOTS = ("testsuites", "testsuite")
RESULTS = frozenset({"failure", "error", "skipped"})
"""The elements that say how a testcase ended."""
EARLIER = frozenset({"rerun", "flakyFailure", "flakyError", "rerunFailure", "rerunError"})
"""The elements for failures of a test that was repeated within its session, as several runners write them."""
_KEPT = RESULTS | EARLIER
_DECLARATION_BYTES = 1024
_ENCODING = re.compile(rb"""\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\0?\0", "utf-16-le"),
    (b"\0<\0?", "utf-16-be"),
)
_REFERENCE_BYTES = 16
_TO_CHARACTER = re.compile(rb"&#(?:x([0-9A-Fa-f]{1,8})|([0-9]{1,10}));")
_NO_CONTROLS = bytes(code if code >= 0x20 or code in (9, 10, 13) else 0x20 for code in range(256))
_NO_NONCHARACTERS = dict.fromkeys((0xFFFE, 0xFFFF), " ")
_WIDE = ("utf-16", "utf-32")
_PLAIN = bytes(range(0x20, 0x7F)) + b" ~{AA~}"
"""Bytes that mean something else than ASCII in encodings which could hide what a file says."""
_HIDING = frozenset({"utf-7", "unicode-escape", "raw-unicode-escape", "idna", "punycode"})
_OUTPUT = ("system-out", "system-err")


class RawCase(NamedTuple):
    """One testcase element with its position."""

    suite: Mapping[str, str]
    """The attributes of its testsuite."""
    session: int
    """The number of the testsuite in the file, from 1."""
    element: Element
    """The element with only its properties and its results."""


class Damaged(ValueError):
    """The XML ends too early, or is none from some place on; what came before is sound."""


def stream_cases(chunks: Iterable[bytes]) -> Iterator[RawCase]:
    """Every testcase of a JUnit file that comes in pieces, as soon as it is complete.

    Raises Damaged, possibly after some testcases, if the file is truncated, and ValueError if it is not a JUnit file.
    """
    reader = _Reader()
    for chunk in _in_utf8(chunks):
        yield from reader.feed(chunk)
    yield from reader.feed(b"", last=True)


def _in_utf8(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same document in UTF-8: another encoding is named by a mark at its beginning, or by its declaration."""
    rest, head = iter(chunks), b""
    for chunk in rest:
        head += chunk
        if len(head) >= _DECLARATION_BYTES or (b">" in head and head[0] == 0x3C):
            break
    encoding = _encoding(head)
    if encoding == "utf-8":
        yield from _allowed(chain((head,), rest))
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        yield decoder.decode(head).encode()
        for chunk in rest:
            yield decoder.decode(chunk).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeDecodeError as error:
        raise Damaged(f"it is not in {encoding}, as it says: {error.reason}") from error


def _allowed(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Text in UTF-8 in which what XML does not allow is replaced: programs write what was printed as it is."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    reference = b""
    for chunk in chunks:
        # A reference to a character may be at the end of a piece, and go on in the next.
        whole = reference + chunk
        start = whole.rfind(b"&", -_REFERENCE_BYTES)
        start = len(whole) if start < 0 or b";" in whole[start:] else start
        reference, piece = whole[start:], whole[:start].translate(_NO_CONTROLS)
        piece = piece if piece.isascii() else decoder.decode(piece).translate(_NO_NONCHARACTERS).encode()
        yield _TO_CHARACTER.sub(_character, piece) if b"&#" in piece else piece
    yield reference + decoder.decode(b"", final=True).encode()


def _character(found: re.Match[bytes]) -> bytes:
    code = int(found[1], 16) if found[1] else int(found[2])
    fine = code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000
    return found[0] if fine else b" "


def _encoding(head: bytes) -> str:
    """The name of the encoding of a document that begins with `head`. Raises ValueError if it cannot be read."""
    if mark := next((name for mark, name in _MARKS if head.startswith(mark)), ""):
        return mark
    declared = _ENCODING.match(head)
    name = declared[1].decode() if declared else "utf-8"
    try:
        found = codecs.lookup(name).name
        # A declaration that can be read as ASCII is not in UTF-16, though some programs write that.
        if found == "ascii" or found.startswith(_WIDE):
            return "utf-8"
        if found.replace("_", "-") not in _HIDING and _PLAIN.decode(name) == _PLAIN.decode("ascii"):
            return found
    except (LookupError, UnicodeError):
        pass
    raise ValueError(f"its encoding is {name}, which is not read")


class _Reader:
    """Tracks the elements from the root to the parser's position."""

    def __init__(self) -> None:
        # Whatever its declaration says: it has been decoded.
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.buffer_size = _TEXT_PIECE
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = _refuse_doctype
        self._fed = 0
        self._path: list[str] = []
        self._suites: list[tuple[Mapping[str, str], int]] = []
        self._sessions = 0
        self._case: Element | None = None
        self._properties: Element | None = None
        self._text = _Text()
        self._whole: list[RawCase] = []
        self._count = 0

    def feed(self, chunk: bytes, *, last: bool = False) -> Iterator[RawCase]:
        """The testcases that are completed by this piece, also if it is damaged behind them."""
        self._fed += len(chunk)
        damage = None
        try:
            self._parser.Parse(chunk, last)
        except expat.ExpatError as error:
            damage = Damaged(str(error)) if self._fed else ValueError("it is empty")
        whole, self._whole = self._whole, []
        yield from whole
        if damage is not None:
            raise damage
        if self._fed - self._parser.CurrentByteIndex > _MOST_TAG:
            raise ValueError(f"a tag of it has more than {_MOST_TAG:,} bytes")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        path = self._path
        if not path and name not in _ROOTS:
            raise ValueError(f"its root is <{name}>, not <testsuites>")
        if len(path) == _MOST_DEPTH:
            raise ValueError(f"its elements are nested more than {_MOST_DEPTH} deep")
        path.append(name)
        if name == "testsuite":
            self._sessions += 1
            self._suites.append((attributes, self._sessions))
        elif path[-2:] == ["testsuite", "testcase"]:
            self._begin(attributes)
        elif self._case is not None:
            self._within(self._case, name, attributes)

    def _begin(self, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MOST_CASES:
            raise ValueError(f"it has more than {MOST_CASES:,} testcases")
        self._case = Element("testcase", attributes)

    def _within(self, case: Element, name: str, attributes: dict[str, str]) -> None:
        parents = self._path[-3:-1]
        if name == "properties" and parents[-1] == "testcase":
            self._properties = SubElement(case, name)
        elif name == "property" and parents == ["testcase", "properties"] and self._properties is not None:
            SubElement(self._properties, name, attributes)
        elif name in _KEPT and parents[-1] == "testcase":
            SubElement(case, name, attributes)
            self._text = _Text()
            self._parser.CharacterDataHandler = self._text.add
        elif name in _OUTPUT and parents[-1] in EARLIER:
            self._parser.CharacterDataHandler = None

    def _end(self, name: str) -> None:
        path = self._path
        path.pop()
        if name == "testsuite":
            self._suites.pop()
        elif self._case is None:
            return
        elif name == "testcase" and path[-1] == "testsuite":
            self._whole.append(RawCase(*self._suites[-1], self._case))
            self._case = None
        elif name in _KEPT and path[-1] == "testcase":
            self._case[-1].text = self._text.whole
            self._parser.CharacterDataHandler = None
        elif name in _OUTPUT and path[-1] in EARLIER and path[-2] == "testcase":
            self._parser.CharacterDataHandler = self._text.add


class _Text:
    """A text that comes in pieces."""

    def __init__(self) -> None:
        self._head: list[str] = []
        self._tail: deque[str] = deque()
        self._room = MOST_TEXT
        self._size = 0
        self._left_out = 0

    def add(self, piece: str) -> None:
        if self._room > 0:
            self._head.append(piece)
            self._room -= len(piece)
            return
        self._tail.append(piece)
        self._size += len(piece)
        while self._size - len(self._tail[0]) >= MOST_TEXT:
            gone = len(self._tail.popleft())
            self._size -= gone
            self._left_out += gone

    @property
    def whole(self) -> str:
        gap = [f"\n... {self._left_out:,} characters left out ...\n"] if self._left_out else []
        return "".join([*self._head, *gap, *self._tail])


def _refuse_doctype(*_: object) -> None:
    raise ValueError("it declares a document type, which no JUnit file needs and which can hide an entity bomb")
