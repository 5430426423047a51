# SPDX-License-Identifier: Apache-2.0
"""The tables of an evidence store, and the upgrade of files of earlier versions."""

import secrets
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

VERSION = 4
_OF_CI = (
    # Runs, jobs and ends are JSON objects; their columns are what they are looked up by.
    """CREATE TABLE ci_runs (
        id INTEGER PRIMARY KEY, workflow INTEGER NOT NULL, name TEXT NOT NULL, fields TEXT NOT NULL
    )""",
    "CREATE TABLE ci_jobs (id INTEGER PRIMARY KEY, run INTEGER NOT NULL, fields TEXT NOT NULL)",
    "CREATE INDEX ci_jobs_by_run ON ci_jobs (run)",
    """CREATE TABLE ci_reports (
        job INTEGER PRIMARY KEY, reports INTEGER NOT NULL, tests INTEGER NOT NULL, cut INTEGER NOT NULL,
        performance INTEGER NOT NULL
    )""",
    "CREATE TABLE ci_deaths (job INTEGER PRIMARY KEY, fields TEXT NOT NULL)",
)
_WITHOUT_CI = 3
"""The version before the tables of CI, to which they are only added: nothing is copied."""
TABLES = (
    # `id` differs in each file, `serial` counts additions: together they show whether results have changed.
    "CREATE TABLE store (id TEXT NOT NULL, serial INTEGER NOT NULL)",
    "CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",
    """CREATE TABLE reports (
        id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, rank TEXT NOT NULL,
        attempt INTEGER NOT NULL, named INTEGER NOT NULL
    )""",
    # Fields that the results of one pytest session of a report share. All except numbers and `source`, which rarely
    # repeats, are ids of texts.
    """CREATE TABLE sessions (
        id INTEGER PRIMARY KEY, report INTEGER NOT NULL, origin TEXT NOT NULL, run INTEGER NOT NULL,
        host INTEGER NOT NULL, job INTEGER NOT NULL, source TEXT NOT NULL, "commit" INTEGER NOT NULL,
        models_commit INTEGER NOT NULL, profile INTEGER NOT NULL, earliest REAL NOT NULL, latest REAL NOT NULL
    )""",
    "CREATE INDEX sessions_by_report ON sessions (report)",
    "CREATE INDEX sessions_by_run ON sessions (run, job)",
    "CREATE INDEX sessions_by_time ON sessions (latest)",
    # Fields with few different values, as one JSON list: most results share one of a few hundred lists.
    "CREATE TABLE shapes (id INTEGER PRIMARY KEY, fields TEXT NOT NULL UNIQUE)",
    """CREATE TABLE cells (
        id INTEGER PRIMARY KEY, test TEXT NOT NULL, arch TEXT NOT NULL, function TEXT NOT NULL,
        changed INTEGER NOT NULL, UNIQUE (test, arch, function)
    )""",
    # `kind` is 1 for results that say something about the model, 0 for those that were not run, 2 for those that broke
    # before the model ran, 3 for results under another profile than the default. `attempts` is how many were folded
    # into the result, 0 if another attempt counts, NULL if there is only one.
    """CREATE TABLE results (
        cell INTEGER NOT NULL, kind INTEGER NOT NULL, at REAL NOT NULL, session INTEGER NOT NULL,
        number INTEGER NOT NULL, run INTEGER NOT NULL, shape INTEGER NOT NULL, reason INTEGER NOT NULL,
        raised INTEGER NOT NULL, seconds REAL NOT NULL, pcc, attempts INTEGER, op TEXT,
        PRIMARY KEY (cell, kind, at, session, number)
    ) WITHOUT ROWID""",
    "CREATE INDEX results_by_run ON results (run, cell)",
    *_OF_CI,
)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """A transaction, rolled back on any error; one writer at a time."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has already rolled back if the disk is full.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def version_of(connection: sqlite3.Connection) -> int:
    """The version of the tables; 0: no tables yet."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def upgrade(connection: sqlite3.Connection, migrations: Mapping[int, Callable[[sqlite3.Connection], None]]) -> None:
    """Upgrade the tables to VERSION. If another process has done it meanwhile, nothing is done.

    A migration gets a connection in which the tables of its version are renamed to `old_NAME`, beside new empty ones.
    """
    with transaction(connection):
        version = version_of(connection)
        if version == _WITHOUT_CI:
            for statement in _OF_CI:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")
        elif version < VERSION:
            old = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            indexes = "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
            for (name,) in connection.execute(indexes).fetchall():
                connection.execute(f'DROP INDEX "{name}"')
            for name in old:
                connection.execute(f'ALTER TABLE "{name}" RENAME TO "old_{name}"')
            for statement in TABLES:
                connection.execute(statement)
            connection.execute("INSERT INTO store VALUES (?, 0)", (secrets.token_hex(8),))
            if old:
                migrations[version](connection)
            for name in old:
                connection.execute(f'DROP TABLE "old_{name}"')
            connection.execute(f"PRAGMA user_version = {VERSION}")
