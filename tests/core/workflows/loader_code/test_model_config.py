# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.model_config: what the configuration is where `load_inputs` returns."""

import pytest

from core.workflows.loader_code import Start
from core.workflows.loader_code.analysis import Code, Returned, returned_by
from core.workflows.loader_code.model_config import start_token
from tests.support.loader_code import loader

TOKEN = "decoder_start_token_id"


def token(start: Start, *lines: str, more: str = "") -> str:
    code = Code(loader(*lines, "return x", more=more))
    found = returned_by(code, "ModelLoader", "load_inputs", "", [])
    assert isinstance(found, Returned)
    return start_token(code, "ModelLoader", found, start)


def model(*lines: str) -> str:
    return "\n    def load_model(self):\n" + "".join(f"        {line}\n" for line in lines)


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (["self.model = f()", "return self.model"], "self.model"),
        (["m = f()", "self.a = m", "return m"], "self.a"),
        (["self.a = m = f()", "self.b = m", "return m"], "self.b"),
        (["if a:", "    return self.a", "return self.a"], "self.a"),
        (["if a:", "    return self.a", "return self.b"], ""),
        (["return f()"], ""),
        (["m = f()", "return m"], ""),
        (["pass"], ""),
    ],
)
def test_the_model_that_stays(lines: list[str], kept: str) -> None:
    wanted = f"{kept}.config.{TOKEN}" if kept else "3"
    assert token(Start("config", 3), more=model(*lines)) == wanted


def test_a_configuration_that_is_read_for_something_else_does_not_tell_how_to_generate() -> None:
    read = "config = WhisperConfig.from_pretrained(a)"
    assert token(Start("config", 3), read) == f"config.{TOKEN}"
    assert token(Start("generation_config", 3), read) == "3"


def test_nothing_is_reported_where_nothing_is_known() -> None:
    assert token(Start("config", None)) == ""
