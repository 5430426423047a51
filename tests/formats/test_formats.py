# SPDX-License-Identifier: Apache-2.0
"""Files that are on people's disks: each is read as what it was written from, and written again byte for byte."""

import io
import json
import sqlite3
import tarfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.processes import ProcessIdentity
from core.base.settings import load_settings
from core.edits import parse_operations, to_json
from core.edits.pending import codec as journal_lines, parse_proposals
from core.edits.pending.journal import Journal
from core.evidence.reports import JUnitReport
from core.evidence.store import EvidenceStore
from core.evidence.verdicts import policy_text
from core.evidence.verdicts.policy import parse_policy
from core.issues import IssueState, State, read_states
from core.matrix.view import change_saved, read_saved
from core.runs import pack, unpack
from core.runs.execution.supervisor import Exit, read_exit
from core.runs.leases import Lease, parse_leases, print_leases
from core.runs.planning import CPU_PAYLOAD
from core.runs.spec import spec_from_json, spec_to_json
from core.runs.store import Queue, Ticket, read_events, read_provenance
from core.runs.store.events import to_line
from core.runs.store.record import fold
from core.workflows import session
from core.workflows.loader_code.edits import edited_files, put
from tests.formats import values

DATA = Path(__file__).parent / "data"


def _text(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def _lines(name: str) -> list[str]:
    return _text(name).split("\n")[:-1]


def test_every_event_of_a_journal() -> None:
    header, *lines = _lines("journal.jsonl")
    assert journal_lines.header(values.JOURNAL_ROOT, values.JOURNAL_SERIAL) == header
    assert tuple(map(journal_lines.from_line, lines)) == values.JOURNAL
    assert list(map(journal_lines.to_line, values.JOURNAL)) == lines


def test_a_journal_is_taken_up(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(_text("journal.jsonl"), encoding="utf-8")
    journal = Journal(file, Path(values.JOURNAL_ROOT))
    assert (journal.problem, journal.notices) == (None, [])
    assert journal.state.pending.next_id == 10


def test_a_file_of_operations() -> None:
    assert parse_operations(_text("operations.json")) == values.OPERATIONS
    assert json.dumps(to_json(values.OPERATIONS)) + "\n" == _text("operations.json")


def test_a_file_of_proposals() -> None:
    first, second = parse_proposals(_text("proposals.json")).made
    assert first.change.ops == values.OPERATIONS[:2]
    assert (first.change.bases + second.change.bases, first.commit) == (
        values.CHANGE.bases[:1] + second.change.bases,
        "0123abcd",
    )
    assert first.lines == (values.ODD, "run 1 says so", "µ")
    assert [(base.id, base.fields) for base in second.change.bases] == [("gone", None)]


def test_the_spec_of_a_run() -> None:
    assert spec_from_json(_text("spec.json")) == values.SPEC
    assert spec_to_json(values.SPEC) == _text("spec.json")
    assert spec_from_json(_text("spec-early.json")) == values.EARLY_SPEC


def test_the_events_of_a_run() -> None:
    assert tuple(read_events(DATA / "events.jsonl")) == values.RUN_EVENTS
    assert list(map(to_line, values.RUN_EVENTS)) == _lines("events.jsonl")
    assert tuple(read_events(DATA / "events-early.jsonl")) == values.EARLY_RUN_EVENTS


def test_what_is_beside_a_run(tmp_path: Path) -> None:
    assert values.SURVEY.to_json() == _text("provenance.json")
    for name in ("provenance.json", "exit.json"):
        (tmp_path / name).write_text(_text(name), encoding="utf-8")
    assert read_provenance(tmp_path) == json.loads(_text("provenance.json"))
    assert read_exit(tmp_path) == Exit(1763710337.5, -11, "µµ")


def test_the_ticket_of_a_run(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    queue.put([Ticket("r", 1.5, -2, True)], {"B": "µ", "A": "x"})
    (environment,) = (tmp_path / "environments").glob("*.json")
    assert (tmp_path / "r.json").read_text(encoding="utf-8") == _text("ticket.json")
    assert environment.read_text(encoding="utf-8") == _text("environment.json")
    (ticket,) = Queue(tmp_path).tickets()
    assert ticket == Ticket("r", 1.5, -2, True, environment.stem)
    assert Queue(tmp_path).environment(ticket) == {"A": "x", "B": "µ"}


def test_leases() -> None:
    leases = [
        Lease(ProcessIdentity(4711, 123.45), frozenset({"a", "b"})),
        Lease(ProcessIdentity(1, 0.5), frozenset({"*"})),
    ]
    assert parse_leases((DATA / "claims.json").read_bytes()) == leases
    assert print_leases(leases) == _text("claims.json")


def test_the_manifest_of_a_capsule(tmp_path: Path) -> None:
    record = fold(values.SPEC, Path("/home/somebody/runs"), values.RUN_EVENTS)
    pack(record, tmp_path / "made.tgz")
    with tarfile.open(tmp_path / "made.tgz") as archive:
        found = archive.extractfile("capsule.json")
        assert found is not None
        made = found.read().decode()
    assert made.replace(str(CPU_PAYLOAD), "/payload/cpu_repro.py") == _text("capsule.json")
    with tarfile.open(tmp_path / "old.tgz", "w:gz") as archive:
        member = tarfile.TarInfo("capsule.json")
        member.size = len(_text("capsule.json").encode())
        archive.addfile(member, io.BytesIO(_text("capsule.json").encode()))
    capsule = unpack(tmp_path / "old.tgz")
    assert (capsule.spec, capsule.directory, capsule.payload) == (
        values.SPEC,
        record.directory,
        Path("/payload/cpu_repro.py"),
    )
    assert (capsule.outcome, capsule.summary) == ("crash", record.summary)


def _database(name: str, file: Path) -> Path:
    connection = sqlite3.connect(file)
    connection.executescript(_text(name))
    connection.close()
    return file


def test_a_store_of_evidence(tmp_path: Path) -> None:
    for name in ("evidence-1.sql", "evidence-2.sql", "evidence-3.sql", "evidence.sql"):
        store = EvidenceStore(_database(name, tmp_path / name))
        assert tuple(store.observations()) == values.OBSERVATIONS
    report = JUnitReport("d1", "/nightly/x.xml", "nightly", 1, True, False, values.OBSERVATIONS, Counter())
    EvidenceStore(tmp_path / "new").add([report])
    connection = sqlite3.connect(tmp_path / "new")
    connection.execute("UPDATE store SET id = 'i'")
    assert "\n".join(["PRAGMA user_version = 4;", *connection.iterdump()]) + "\n" == _text("evidence.sql")
    connection.close()


def test_a_store_of_evidence_that_is_older(tmp_path: Path) -> None:
    store = EvidenceStore(_database("evidence-early.sql", tmp_path / "old"))
    assert tuple(store.observations()) == values.EARLY_OBSERVATIONS


def test_the_session_of_a_workflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 1763710335.25)
    fields = {**values.CASE.target.fields, **values.CASE_AS_READ}
    begun = session.start(
        tmp_path, "dtype-bfloat16", replace(values.CASE, target=replace(values.CASE.target, fields=fields))
    )
    begun.begin_runs(["20261121-073215-ab12cd"])
    begun.close(applied=True)
    journal = begun.directory / "journal.jsonl"
    assert journal.read_text(encoding="utf-8") == _text("session.jsonl")
    journal.write_text(_text("session.jsonl"), encoding="utf-8")
    found = session.resume(tmp_path, values.TEST)
    assert found is not None
    assert found.state.case == values.CASE
    assert (found.name, found.began, found.closed, found.applied) == ("dtype-bfloat16", begun.began, True, True)


def test_the_record_of_a_loader_edit(tmp_path: Path) -> None:
    (tmp_path / "000001.json").write_text(_text("edit.json"), encoding="utf-8")
    (edited,) = edited_files(tmp_path)
    assert (edited.path, edited.edit) == (Path("/models/loader.py"), values.EDIT)
    loader = tmp_path / "loader.py"
    loader.write_text(values.EDIT.before, encoding="utf-8")
    put(loader, values.EDIT, tmp_path / "kept")
    made = (tmp_path / "kept" / "000001.json").read_text(encoding="utf-8")
    assert made.replace(str(loader.resolve()), "/models/loader.py") == _text("edit.json")


def test_saved_views(tmp_path: Path) -> None:
    assert read_saved(DATA / "views.json") == values.VIEWS
    change_saved(tmp_path / "views.json", lambda _: values.VIEWS)
    assert (tmp_path / "views.json").read_text(encoding="utf-8") == _text("views.json")


def test_what_is_known_of_issues() -> None:
    assert list(read_states(DATA / "issues.json").values()) == [
        IssueState("tenstorrent/tt-xla#1", State.CLOSED, "A µ", "2026-01-02", "2026-02-03"),
        IssueState("o/r#2", State.MISSING, asked="2026-02-03"),
    ]


def test_settings_and_policy() -> None:
    assert load_settings(DATA / "settings.toml") == values.SETTINGS
    assert parse_policy(_text("policy.toml"), "policy.toml") == values.POLICY
    assert policy_text(values.POLICY) == _text("policy.toml")
