# SPDX-License-Identifier: Apache-2.0
"""The calls that code reaches: those of branches that can be taken, with what is known of their arguments."""

from collections.abc import Callable
from pathlib import Path

import pytest

from core.python import CallGraph, Class, Function, Instance, Member, Opaque, Program, Resolver

Reach = Callable[..., list[object]]


@pytest.fixture
def reach(tmp_path: Path) -> Reach:
    """The arguments of `ask`, in the order in which `begin` reaches those calls; None: not known."""

    def run(source: str, **given: object) -> list[object]:
        (tmp_path / "code.py").write_text(source)
        program = Program(Resolver(tmp_path), lenient=True)
        begin = program.module_attribute("code.py", "begin")
        assert isinstance(begin, Function)
        graph = CallGraph(program, {"ask"})
        graph.start(begin, given=given)
        found = [one.argument(0, "name") for one in graph.calls() if one.name == "ask"]
        return [None if isinstance(one, Opaque) else one for one in found]

    return run


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("ask('a')", ["a"]),
        ("name = 'a' + 'b'\n    ask(name)", ["ab"]),
        ("name = 'a'\n    name = given\n    ask(name)", [None]),
        ("if given: ask('a')\n    else: ask('b')", ["a", "b"]),
        ("if size > 2: ask('a')\n    else: ask('b')", ["b"]),
        ("ask('a' if size else 'b')", ["a"]),
        ("while given: ask('a')", ["a"]),
        ("try: ask('a')\n    except ValueError: ask('b')", ["a", "b"]),
        ("[ask(one) for one in given]", [None]),
        ("other('c')\n    ask('a')", ["a", "c"]),
        ("other(given)", [None]),
        ("register(other)", [None]),
        ("TABLE['x']('d')", ["d", None]),
        ("return missing.first(other('e')).second", ["e"]),
        ("given.run('f')\n    Runs()", ["f"]),
        ("Runs(given).run('g')", ["g"]),
        ("raise ValueError(other('h'))", ["h"]),
    ],
)
def test_calls_with_their_arguments(reach: Reach, body: str, wanted: list[object]) -> None:
    source = f"""
def other(name): ask(name)
TABLE = {{"x": other}}
class Runs:
    def run(self, name): ask(name)
def begin(given, size=1):
    {body}
"""
    assert reach(source, given=Opaque("not known")) == wanted


LOADER = """
from enum import StrEnum
class Variant(StrEnum):
    BIG = "big"
    SMALL = "small"
SIZES = {"big": 8, "small": 1}
class Config:
    def __init__(self, name): self.name = name
class Base:
    def __init__(self, variant=None):
        self.variant = variant
        self.config = self.CONFIGS[variant]
class Loader(Base):
    CONFIGS = {Variant.BIG: Config("org/big"), Variant.SMALL: Config("org/small")}
    def __init__(self, variant=None, part=None):
        super().__init__(variant)
        self.part = part
        self.model = None
    def load(self):
        self.model = ask(self.config.name)
        if str(self.variant) == "big": ask("only/big")
        if self.part == "decoder": ask("only/decoder")
        if self.model is None: ask("either/way")
        ask(f"n{SIZES[self.variant]}")
"""


@pytest.mark.parametrize(
    ("variant", "wanted"),
    [("BIG", ["org/big", "only/big", "either/way", "n8"]), ("SMALL", ["org/small", "either/way", "n1"])],
)
def test_methods_of_an_instance_as_it_is_made(tmp_path: Path, variant: str, wanted: list[str]) -> None:
    (tmp_path / "code.py").write_text(LOADER)
    program = Program(Resolver(tmp_path), lenient=True)
    loader = program.module_attribute("code.py", "Loader")
    member = program.expressions.attribute(program.module_attribute("code.py", "Variant"), variant)
    assert isinstance(loader, Class) and isinstance(member, Member)
    graph = CallGraph(program, {"ask"})
    made = graph.instance(loader, {}, {"variant": member})
    assert isinstance(made, Instance)
    graph.start(loader.names["load"], made)
    assert [one.argument(0, "") for one in graph.calls() if one.name == "ask"] == wanted


def test_what_other_files_define_is_unknown_and_nothing_raises(tmp_path: Path) -> None:
    (tmp_path / "left.py").write_text("NAME = 'left'")
    (tmp_path / "code.py").write_text(
        "from left import NAME\nfrom absent import x\nclass A(Nothing):\n    b = missing\n"
    )
    whole = Program(Resolver(tmp_path, path=("",)))
    assert whole.module("code.py").raised is not None
    part = Program(Resolver(tmp_path, path=("",)), only={"code.py"}, lenient=True)
    assert part.module("code.py").raised is None
    assert isinstance(part.module_attribute("code.py", "NAME"), Opaque)
    assert isinstance(part.module_attribute("code.py", "A"), Class)
