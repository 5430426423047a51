# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that collects op tests from YAML and runs them against a CPU reference.

    PYTHONPATH=core/payload python -m pytest -p ttmatrix_payload.ops.plugin --ops-dir DIR [ID ...]

An id is `MODEL::CASE`. Manifests may also be named themselves, and a directory is searched for them. With pytest-xdist,
`--dist loadfile` keeps the cases of a model in one process. Needs Python 3.10, pytest, torch and ruamel.yaml or PyYAML.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import pytest
from _pytest.main import wrap_session

from .children import Server, ServerProblem
from .collecting import Catalogue, collectors
from .collection import SUFFIXES
from .item import SERVER, OpTest, ProblemTest
from .options import Options, add_options, read_options
from .results import DUP, SKIP, STATUSES
from .selection import apply_conditions, drop_duplicates, select, take_ids

CATALOGUE: pytest.StashKey[Catalogue] = pytest.StashKey()
IDS: pytest.StashKey[Sequence[str]] = pytest.StashKey()
"""Ids of the cases that the command line names."""
_DOCUMENT = "ttmatrix_op"
"""The attribute of reports with a result, which also arrives from workers of pytest-xdist."""


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> Any:
    if not is_asked_for(config):
        return None
    # Nothing runs, so there is nothing to distribute over processes.
    for name, value in (("dist", "no"), ("tx", []), ("numprocesses", None)):
        if hasattr(config.option, name):
            setattr(config.option, name, value)
    if config.option.list_cases_by_mark:
        config.option.markexpr = config.option.list_cases_by_mark
    return wrap_session(config, print_list)


def pytest_configure(config: pytest.Config) -> None:
    worker: Any = getattr(config, "workerinput", None)
    options = read_options(config, worker["workercount"] if worker else 1)
    config.stash[CATALOGUE] = Catalogue(options)
    given = config.args_source is config.ArgsSource.ARGS
    config.stash[IDS] = [*options.ids, *(take_ids(config) if given else [])]
    if options.directories and not given:
        # Otherwise pytest searches the working directory as well.
        config.args = []
    if worker:
        return
    config.pluginmanager.register(_Reporter(Results(options.results), config.stash[CATALOGUE]), "ttmatrix_ops_reporter")
    if getattr(config.option, "dist", "no") != "no":
        _check_files(options, config)
        _check_backend(options.settings.backend)


def pytest_report_header(config: pytest.Config) -> str:
    settings = config.stash[CATALOGUE].options.settings
    return f"ops: backend {settings.backend}" + (f" on {settings.device}" if settings.device else "")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if isinstance(collector, pytest.Session) and report.passed:
        catalogue = collector.config.stash[CATALOGUE]
        report.result = [*report.result, *collectors(collector, catalogue, catalogue.files())]
    return report


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    catalogue = parent.config.stash[CATALOGUE]
    named = file_path.suffix in SUFFIXES and parent.session.isinitpath(file_path)
    if not named and not catalogue.wants(file_path):
        return None
    return next(iter(collectors(parent, catalogue, catalogue.named(file_path))), None)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None, None, None]:
    """Apply names first, before other plugins; after -m and -k, apply conditions and remove duplicates."""
    catalogue = config.stash[CATALOGUE]
    if catalogue.broken and not hasattr(config, "workerinput"):
        raise pytest.UsageError(*catalogue.broken)
    chosen, others = select(items, catalogue.options, config.stash[IDS])
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = chosen
    yield
    apply_conditions(items, catalogue.options)
    drop_duplicates(items, catalogue.options)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    config = session.config
    runs = any(isinstance(item, OpTest) and not item.dup_of and item.skip_reason() is None for item in session.items)
    if not runs or config.option.collectonly:
        return
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    if capture:
        # Print the output of cases where pytest prints the output of tests.
        capture.resume_global_capture()
    try:
        server = Server(config.stash[CATALOGUE].options.settings)
        config.stash[SERVER] = server
        config.add_cleanup(server.close)
    except ServerProblem as error:
        if not hasattr(config, "workerinput"):
            raise pytest.UsageError(str(error)) from error
        config.stash[SERVER] = error
    finally:
        if capture:
            capture.suspend_global_capture(in_=False)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if isinstance(item, OpTest):
        item.judge(report)
    if isinstance(item, OpTest | ProblemTest) and call.when == "teardown":
        if isinstance(item, OpTest):
            item.user_properties += item.properties()
            report.user_properties = [*item.user_properties]
        setattr(report, _DOCUMENT, item.document())
    return report


class _Reporter:
    """Collects all results in one process."""

    def __init__(self, results: Results, catalogue: Catalogue) -> None:
        self._results = results
        self._catalogue = catalogue

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        document = getattr(report, _DOCUMENT, None)
        if document is not None:
            self._results.add(document)

    def pytest_sessionfinish(self) -> None:
        self._results.close()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._catalogue.warnings:
            terminalreporter.section("manifests")
            terminalreporter.write_line("\n".join(self._catalogue.warnings))
        if self._catalogue.options.show_skipped and self._results.skipped:
            terminalreporter.section("skipped cases")
            terminalreporter.write_line("\n".join(f"{id}: {reason}" for id, reason in self._results.skipped))
        if self._results.counts:
            terminalreporter.section("ops")
            terminalreporter.write_line(self._results.summary())


def _check_files(options: Options, config: pytest.Config) -> None:
    """Raise UsageError for unreadable files here, so that not every worker reports it."""
    catalogue = Catalogue(options)
    named = (config.invocation_params.dir / one.partition("::")[0] for one in config.args)
    given = [file for path in named if path.suffix in SUFFIXES and path.is_file() for file in catalogue.named(path)]
    list(catalogue.read([*catalogue.files(), *given]))
    if catalogue.broken:
        raise pytest.UsageError(*catalogue.broken)


def _check_backend(name: str) -> None:
    """Raise UsageError for an unusable device here, so that workers do not report it for each case."""
    if name in ("xla", "tt"):
        # Imports torch, which this process does not need otherwise.
        from ..backend import BackendMissing
        from .backends import require

        try:
            require(name)
        except BackendMissing as error:
            raise pytest.UsageError(str(error)) from error


def is_asked_for(config: pytest.Config) -> bool:
    """Whether the command line asks for a list."""
    option = config.option
    return option.list_models or option.list_cases or option.list_cases_by_mark is not None


def print_list(config: pytest.Config, session: pytest.Session) -> None:
    """Collect, and print the requested list."""
    excluded: list[pytest.Item] = []
    config.pluginmanager.register(_Excluded(excluded), "ttmatrix_ops_excluded")
    session.perform_collect()
    option = config.option
    cases = [item for item in session.items if isinstance(item, OpTest)]
    for line in (
        *(_models(cases) if option.list_models else ()),
        *(map(_listed, cases) if option.list_cases or option.list_cases_by_mark else ()),
        *(_by_mark(cases) if option.list_cases_by_mark == "" else ()),
        *(_others(excluded) if option.show_excluded else ()),
    ):
        config.get_terminal_writer().line(line)


def _models(cases: Iterable[OpTest]) -> Iterator[str]:
    for model, of in _grouped((item.model, item) for item in cases).items():
        files = ", ".join(dict.fromkeys(str(item.path) for item in of))
        yield f"{model}: {len(of)} cases  ({files})"


def _by_mark(cases: Iterable[OpTest]) -> Iterator[str]:
    for mark, of in sorted(_grouped((mark, item) for item in cases for mark in item.case.marks or ("",)).items()):
        yield f"{mark or 'without a mark'}: {len(of)}"
        yield from (f"  {_listed(item)}" for item in of)


def _others(excluded: Iterable[pytest.Item]) -> Iterator[str]:
    cases = [item for item in excluded if isinstance(item, OpTest)]
    yield f"excluded: {len(cases)}"
    yield from (f"  {_listed(item)}" for item in cases)


def _listed(item: OpTest) -> str:
    reason = item.skip_reason()
    skipped = "" if reason is None else f"  [skip: {reason}]"
    double = f"  [dup of {item.dup_of}]" if item.dup_of else ""
    return f"{item.nodeid}::{item.case.op}  ({item.path}){skipped}{double}"


def _grouped(pairs: Iterable[tuple[str, OpTest]]) -> dict[str, list[OpTest]]:
    found: dict[str, list[OpTest]] = defaultdict(list)
    for name, item in pairs:
        found[name].append(item)
    return found


class _Excluded:
    """Receives the deselected items."""

    def __init__(self, items: list[pytest.Item]) -> None:
        self._items = items

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self._items += items


class Results:
    """The results of a session."""

    def __init__(self, path: Path | None) -> None:
        """With a `path`, each result is written there as a line of JSON as soon as it is known."""
        self._file: IO[str] | None = path.open("w", encoding="utf-8") if path else None
        self._verdicts: dict[str, str] = {}
        self._waiting: list[dict[str, Any]] = []
        self.counts: Counter[str] = Counter()
        self.skipped: list[tuple[str, str]] = []

    def add(self, document: dict[str, Any]) -> None:
        """Add one result. A duplicate takes the verdict of the case that represents it, which may arrive later."""
        status = document["status"]
        self.counts[status] += 1
        if status == DUP:
            self._waiting.append(document)
        else:
            self._verdicts[document["id"]] = status
            self._write({**document, "verdict": status})
        if status == SKIP:
            self.skipped.append((document["id"], document["message"]))
        for one in [one for one in self._waiting if one["dup_of"] in self._verdicts]:
            self._waiting.remove(one)
            self._write({**one, "verdict": self._verdicts[one["dup_of"]]})

    def close(self) -> None:
        """Write the remaining results: duplicates of cases that did not run."""
        for one in self._waiting:
            self._write({**one, "verdict": None})
        self._waiting.clear()
        if self._file:
            self._file.close()

    def summary(self) -> str:
        """The count of each status, in the order of the statuses."""
        return ", ".join(f"{self.counts[status]} {status}" for status in STATUSES if self.counts[status])

    def _write(self, document: dict[str, Any]) -> None:
        if self._file:
            self._file.write(json.dumps(document, allow_nan=False) + "\n")
            self._file.flush()
