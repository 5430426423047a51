# SPDX-License-Identifier: Apache-2.0
"""Compile options are read from upstream's files, as they are in the checkout."""

from pathlib import Path

import pytest

from core.sources import Checkout, CompileOption, Layer, OptionType, read_compile_options
from core.sources.compile_options import BACKEND, BUILT_IN, HEADER, PARSER, parse_backend, parse_header

HEADER_TEXT = """
enum class BackendRuntime { A };
struct CompileOptions {
  // A key, and no option.
  static inline const std::string key = "level";

  // How hard to try (0, 1, or 2) on all
  // of it. More of that.
  int level = 0;

  // The target. Valid values: "one", "two". Empty: none.
  std::optional<std::string> kv_dtype = std::nullopt;

  // Where it goes.
  BackendRuntime backend = BackendRuntime::A;

  // Enables a thing.
  // TODO(somebody): a note.
  std::optional<bool> thing = std::nullopt;

  static CompileOptions parse();
};
"""
PARSER_TEXT = """
options.kv_dtype = parseStringOption(
    given, "kv-dtype");
std::optional<BackendRuntime> parseBackendOption(
    const Map &given) {
    if (option_value == "default" || option_value == "flat") {}
"""
ASKING = """
    enable = options is None or options.get(
        "tt_enable_torch_fx_fusion_pass", True
    )
    if "tt_new_pass" in options:
        new = bool(options["tt_new_pass"])
"""


def test_fields_have_a_type_values_and_a_line_of_help() -> None:
    flag, number, text, of = OptionType.FLAG, OptionType.NUMBER, OptionType.TEXT, Layer.COMPILER
    assert parse_header(HEADER_TEXT, PARSER_TEXT) == [
        CompileOption("level", number, of, "How hard to try (0, 1, or 2) on all of it.", ("0", "1", "2")),
        CompileOption("kv_dtype", text, of, "The target.", ("one", "two"), "kv-dtype"),
        CompileOption("backend", text, of, "Where it goes.", ("default", "flat")),
        CompileOption("thing", flag, of, "Enables a thing."),
    ]


def test_without_the_files_the_built_in_options_are_there(tmp_path: Path) -> None:
    assert tuple(read_compile_options(Checkout(tmp_path)).values()) == BUILT_IN


def test_a_new_option_has_its_comment_as_help(tmp_path: Path) -> None:
    header = "struct CompileOptions {\n  // Fuses two (e.g. 3) things. More words.\n  bool fuse_all = true;\n};\n"
    for path, text in ((HEADER, header), (PARSER, '"fuse-all"'), (BACKEND, ASKING)):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    options = read_compile_options(Checkout(tmp_path))
    one = options["fuse_all"]
    assert (one.type, one.help, one.sent) == (OptionType.FLAG, "Fuses two (e.g. 3) things.", "fuse-all")
    assert [name for name, option in options.items() if option.layer is Layer.TORCH] == [
        "tt_enable_torch_fx_fusion_pass",
        "tt_new_pass",
    ]
    assert options["tt_new_pass"].help == "new pass"


@pytest.mark.parametrize("text", ["", "struct Other {};", "struct CompileOptions {"])
def test_a_header_without_options_has_none(text: str) -> None:
    assert parse_header(text, "") == []
    assert parse_backend(text) == []
