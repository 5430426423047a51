# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.analysis.code: places in bytes, and splices that move nothing else."""

import libcst as cst
import pytest
from hypothesis import given, strategies as st

from core.base.errors import TTMatrixError
from core.workflows.loader_code.analysis import (
    Code,
    Splice,
    constant,
    dotted,
    key_of,
    nodes,
    own_method,
    parameters,
    suite,
)

SOURCE = """import x

class A(B):
    def f(self, a, *, b=1):
        é = "é"; y = (1)  # ü
        return y

    # below


class B:
    def f(self): pass
    def g(self): pass
    def g(self, last): pass
"""


def test_text_and_lines() -> None:
    code = Code(SOURCE)
    names = [node for node in nodes(code.module) if isinstance(node, cst.Name) and node.value == "y"]
    assert [code.line(node) for node in names] == [5, 6]
    assert [code.text(node) for node in names] == ["y", "y"]
    assert [code.margin(node) for node in names] == [" " * 8, " " * 8]
    assert code.column(names[0]) == SOURCE.splitlines()[4].index("y")


def test_methods_of_bases_in_the_file() -> None:
    code = Code(SOURCE)
    found, last = code.method("A", "f"), code.method("A", "g")
    assert found is not None and code.line(found) == 4
    assert last is not None and [one.name.value for one in parameters(last)] == ["self", "last"]
    assert code.method("A", "h") is code.method("C", "f") is None
    assert own_method(code.classes["A"], "g") is None


def test_a_class_that_descends_from_itself() -> None:
    assert Code("class A(A): pass\n").method("A", "f") is None


def test_comments_below_a_block_belong_to_it() -> None:
    code = Code(SOURCE)
    method = code.method("A", "f")
    assert method is not None
    assert code.part(0, code.end_of_block(method)).endswith("    return y\n")
    deeper = Code("class A:\n    def f(self):\n        pass\n\n        # below\n\n    x = 1\n")
    found = deeper.method("A", "f")
    assert found is not None
    assert deeper.part(0, deeper.end_of_block(found)).endswith("# below\n")


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_nothing_spliced_changes_nothing(mark: str, newline: str) -> None:
    source = mark + SOURCE.replace("\n", newline)
    assert Code(source).spliced([]) == source


def test_splices_take_the_line_ends_of_the_file() -> None:
    code = Code("a = 1\r\nb = 2\r\n")
    assert code.spliced([Splice(7, 7, "x\n"), Splice(0, 1, "c")]) == "c = 1\r\nx\r\nb = 2\r\n"


@given(st.text(st.sampled_from("aé=1\n \t#\"'"), max_size=40))
def test_what_parses_is_put_out_as_it_was(source: str) -> None:
    try:
        code = Code(source)
    except TTMatrixError:
        return
    assert code.module.code == source and code.spliced([]) == source


@pytest.mark.parametrize(("source", "line"), [("a = 1\n\n ", 2), ("a = 1\n # x\n ", 2), ("\ufeffa = 1\n\n\n\t# x", 2)])
def test_what_the_parser_loses_is_refused(source: str, line: int) -> None:
    with pytest.raises(TTMatrixError, match="Cannot follow") as caught:
        Code(source)
    assert f"line {line}" in caught.value.detail


def test_no_python() -> None:
    with pytest.raises(TTMatrixError, match="Cannot follow") as caught:
        Code("x = 1\ndef (:\n")
    assert "line 2" in caught.value.detail


@pytest.mark.parametrize(
    ("text", "value"), [("'a' 'b'", "ab"), ("-3", -3), ("0x10", 16), ("x", None), ("1.0", None), ("b'a'", None)]
)
def test_constants(text: str, value: str | int | None) -> None:
    assert constant(cst.parse_expression(text)) == value


def test_names_and_keys() -> None:
    assert dotted(cst.parse_expression("self.a.b")) == "self.a.b"
    assert dotted(cst.parse_expression("f().b")) == ""
    subscripts = [cst.parse_expression(text) for text in ("a['k']", "a[1]", "a[1:2]", "a[1, 2]", "a[k]")]
    assert [key_of(one) for one in subscripts if isinstance(one, cst.Subscript)] == ["k", 1, None, None, None]


def test_blocks() -> None:
    code = Code(SOURCE)
    assert len(suite(code.classes["B"].body)) == 3
    one = code.method("B", "f")
    assert one is not None and suite(one.body) == ()
    assert code.statement(one) is one
    with pytest.raises(LookupError):
        code.statement(code.module)
