# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that discovers and runs the models of a tt-forge-models tree and reports as tt-xla's runner does.

    PYTHONPATH=core/payload python -m pytest -p ttmatrix_payload.runner --models-root DIR --test-config DIR [--arch A]

Needs Python 3.10, pytest, torch and ruamel.yaml or PyYAML, and for JAX models jax and flax. Ids, markers, outcomes
and JUnit properties are upstream's; `tests/runner/test_models.py`, which node ids begin with, need not exist. Where it
does, add `--noconftest`: upstream's conftest files declare the same options.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from dataclasses import fields
from typing import Any

import pytest

from ..jax.devices import Pjrt
from .collection import Catalogue, collector
from .expectations import BadExpectation, read_expectations
from .forking import run_forked
from .harness import HARNESS, Harness
from .item import ModelTest
from .markers import known_markers
from .models import problem_document
from .options import add_forked, add_options, ignored, read_options
from .selection import Selection, take_arguments

CATALOGUE: pytest.StashKey[Catalogue] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser) -> None:
    add_forked(early_config, parser)


def pytest_configure(config: pytest.Config) -> None:
    if config.option.help:
        return
    options = read_options(config)
    try:
        expectations = read_expectations(options.test_config)
    except BadExpectation as error:
        raise pytest.UsageError(str(error)) from error
    selection = Selection(everything=True)
    rest: list[str] = []
    if config.args_source is config.ArgsSource.ARGS:
        selection, rest = take_arguments(config.args, config.invocation_params.dir)
    # Other arguments are collected as usual.
    config.args = rest
    config.stash[CATALOGUE] = Catalogue(options, expectations, selection)
    config.stash[HARNESS] = Harness(options, config)
    # A loader may look for devices when it is imported, which fixes their number.
    Pjrt.prepare()
    own = {str(name) for entry in expectations.entries.values() for name in _marker_texts(entry)}
    for line in (*known_markers(), *sorted(own)):
        config.addinivalue_line("markers", line)
    # Registered last, so that it runs before pytest-forked if that is installed.
    config.pluginmanager.register(_Forking(), "ttmatrix_runner_forking")


def begin_session(session: pytest.Session) -> None:
    """Import the backends once for the runs that are forked from this process (see `plugins.session`)."""
    harness = session.config.stash[HARNESS]
    harness.choose_backends(item.case for item in session.items if isinstance(item, ModelTest))


def begin_run(config: pytest.Config) -> None:
    """Take the options anew: this process is that of another run from now on (see `plugins.session`)."""
    options, new = config.stash[HARNESS].options, read_options(config)
    for field in fields(options):
        # Everything that was collected refers to these options.
        object.__setattr__(options, field.name, getattr(new, field.name))


class _Forking:
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        if not isinstance(item, ModelTest) or not item.config.stash[HARNESS].options.forked:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in run_forked(item):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if isinstance(collector, pytest.Session) and report.passed:
        report.result = [*report.result, _module(collector)]
    return report


def _module(session: pytest.Session) -> pytest.Collector:
    return collector(session, session.config.stash[CATALOGUE])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    ours = [item for item in items if isinstance(item, ModelTest)]
    if not config.pluginmanager.hasplugin("ttmatrix_payload.plugins.session"):
        # In a session, a test that is not there says so when it runs alone.
        config.stash[CATALOGUE].check_names()
    excluded = {item for item in ours if item.expectation.status == "EXCLUDE_MODEL"}
    if excluded:
        config.hook.pytest_deselected(items=[*excluded])
        items[:] = [item for item in items if item not in excluded]


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    if not session.config.option.collectonly:
        harness = session.config.stash[HARNESS]
        harness.choose_backends(item.case for item in session.items if isinstance(item, ModelTest))
        # Not captured, unlike the output of a test: also the log of a passing test shows it.
        terminal = session.config.pluginmanager.getplugin("terminalreporter")
        for line in harness.ignored() if terminal else ():
            terminal.write_line(line)


def pytest_report_header(config: pytest.Config) -> list[str]:
    options = config.stash[HARNESS].options
    header = [f"models: {options.models_root}", f"expectations: {options.test_config}, arch: {options.arch or 'none'}"]
    header += [f"profile: {options.compile_options.profile}"] if options.compile_options.profile else []
    return [*header, *(f"{name} has no effect: this is ttmatrix's runner" for name in ignored(config))]


def pytest_sessionfinish(session: pytest.Session) -> None:
    catalogue = session.config.stash[CATALOGUE]
    if catalogue.options.import_problems is not None:
        text = json.dumps(problem_document(catalogue.problems), indent=2) + "\n"
        catalogue.options.import_problems.write_text(text, encoding="utf-8")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    problems = config.stash[CATALOGUE].problems
    if problems:
        terminalreporter.section(f"loaders that cannot be imported: {len(problems)}")
        for problem in problems:
            terminalreporter.line(str(problem))


def _marker_texts(entry: Any) -> Sequence[str]:
    found = entry.get("markers") or ()
    overrides = (entry.get("arch_overrides") or {}).values()
    return [
        *((found,) if isinstance(found, str) else found),
        *(one for over in overrides for one in _marker_texts(over)),
    ]
