# SPDX-License-Identifier: Apache-2.0
"""Command-line arguments that choose a model of a checkout, shared by the scripts."""

from __future__ import annotations

import argparse
from pathlib import Path


def model_parser(description: str) -> argparse.ArgumentParser:
    """A parser of these arguments; a script adds its own."""
    parser = argparse.ArgumentParser(description=description)
    add = parser.add_argument
    add("--checkout", type=path, required=True, help="root of a tt-xla checkout")
    add("--loader", required=True, help="loader directory below the models root: llama/causal_lm/pytorch")
    add("--variant", help="value of the variant, as in the test id")
    add("--phase", choices=("default", "llm_decode", "llm_prefill"), default="default")
    add("--seq-len", type=int, help="tokens, for llm_prefill")
    add("--batch-size", type=int, help="default: the loader's own, in training 2")
    add("--class", dest="class_name", help="loader class; default: the one the phase needs")
    return parser


def path(text: str) -> Path:
    """A path of the command line, absolute."""
    return Path(text).resolve()
