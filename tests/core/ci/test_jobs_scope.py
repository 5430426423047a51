# SPDX-License-Identifier: Apache-2.0
"""What a job asks pytest for."""

from dataclasses import replace

import pytest

from core.ci import covers_models, job_problem
from core.ci.jobs import contains, covers
from core.domain.model import Function
from core.sources.ci import Job

JOB = Job(file="one.json", index=0, name="models", runs_on="n150", dir="./tests/runner")
ID = "resnet/pytorch-ResNet50-single_device-inference"


@pytest.mark.parametrize(
    "paths",
    [
        "./tests/runner/test_models.py::test_all_models_torch",
        "tests/runner/test_models.py",
        "./tests/runner/",
        "tests/runner/../runner",
        "tests",
        ".",
        "./tests/torch ./tests/runner",
    ],
)
def test_covered(paths: str) -> None:
    assert covers(paths, Function.TORCH)
    assert covers_models(paths)


@pytest.mark.parametrize(
    "paths",
    [
        "",
        "./tests/torch",
        "./tests/run",
        "./tests/runner/test_models",
        "./tests/runner/test_models.py::test_all_models",
        "./tests/runner::test_all_models_torch",
        "./tests/runner/test_models.py::test_all_models_torch[a]",
    ],
)
def test_not_covered(paths: str) -> None:
    assert not covers(paths, Function.TORCH)


def test_a_function_covers_itself_only() -> None:
    path = "./tests/runner/test_models.py::test_llms_torch"
    assert [function for function in Function if covers(path, function)] == [Function.LLM]


@pytest.mark.parametrize(
    "text", ["", "ResNet50", "test_models.py", "runner and torch", "push", "test_all_models_torch[resnet/"]
)
def test_contains(text: str) -> None:
    assert contains(replace(JOB, contains=text), Function.TORCH, ID, {"push"})


@pytest.mark.parametrize("text", ["ResNet101", "not push", "llms", "n150"])
def test_does_not_contain(text: str) -> None:
    assert not contains(replace(JOB, contains=text), Function.TORCH, ID, {"push"})


def test_problems_of_either_expression() -> None:
    assert job_problem(JOB) == ""
    assert job_problem(replace(JOB, test_mark="push and"))
    assert job_problem(replace(JOB, contains="(a"))
