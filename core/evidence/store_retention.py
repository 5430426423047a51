# SPDX-License-Identifier: Apache-2.0
"""Retention: keep every change of ending, stage, cause or level of numbers; of old results like others, one a week."""

import sqlite3

from core.evidence.reasons import signature
from core.evidence.series import LEVEL
from core.evidence.store_rows import as_text, read_shapes

_WEEK = 604_800


def thin(connection: sqlite3.Connection, before: float, newest: int) -> int:
    """Remove results that are older than `before` and repeat others; returns how many. Needs a transaction.

    The `newest` results of each kind and cell stay, whatever their age.
    """
    connection.execute("CREATE TEMP TABLE endings (shape INTEGER PRIMARY KEY, ending TEXT)")
    endings = [(id, f"{one.ending} {one.stage}") for id, one in read_shapes(connection).items()]
    connection.executemany("INSERT INTO endings VALUES (?, ?)", endings)
    connection.execute("CREATE TEMP TABLE causes (text INTEGER PRIMARY KEY, cause TEXT)")
    causes = [(id, signature(as_text(text))) for id, text in connection.execute(_REASONS)]
    connection.executemany("INSERT INTO causes VALUES (?, ?)", causes)
    connection.execute(_REPEATED, {"before": before, "newest": newest, "week": _WEEK, "level": LEVEL})
    gone = connection.execute(f"DELETE FROM results WHERE ({_KEY}) IN (SELECT {_KEY} FROM repeated)").rowcount
    gone += connection.execute(_SUPERSEDED).rowcount
    connection.execute(f"DELETE FROM sessions WHERE NOT EXISTS (SELECT 1 FROM results WHERE {_OF_SESSION})")
    connection.execute(_UNUSED_TEXTS)
    connection.execute("DROP TABLE repeated")
    connection.execute("DROP TABLE endings")
    connection.execute("DROP TABLE causes")
    return gone


_REASONS = "SELECT id, text FROM texts WHERE id IN (SELECT reason FROM results UNION SELECT raised FROM results)"
_KEY = "cell, kind, at, session, number"
_OF_SESSION = "results.run = sessions.run AND results.session = sessions.id"
# Other attempts of a run are removed with the one that counts, and do not count as neighbours.
_REPEATED = f"""CREATE TEMP TABLE repeated AS SELECT {_KEY} FROM (
    SELECT *, row_number() OVER (PARTITION BY cell, kind, stretch ORDER BY pcc, at, session, number) AS from_lowest,
        row_number() OVER (PARTITION BY cell, kind, stretch ORDER BY pcc DESC, at, session, number) AS from_highest
    FROM (SELECT *, sum(said IS NOT earlier) OVER cells AS stretch FROM (
        SELECT {_KEY}, pcc, said, lag(said) OVER cells AS earlier, lead(said) OVER cells AS later,
            row_number() OVER (PARTITION BY cell, kind ORDER BY at DESC, session DESC, number DESC) AS place,
            lag(CAST(at / :week AS INTEGER)) OVER cells AS week
        FROM (SELECT {_KEY}, pcc, ending || ' ' || own.cause || char(10) || other.cause || char(10)
                || coalesce(CAST(pcc / :level AS INTEGER), '') AS said FROM results
            JOIN endings ON endings.shape = results.shape JOIN causes AS own ON own.text = reason
            JOIN causes AS other ON other.text = raised WHERE attempts IS NOT 0)
        WINDOW cells AS (PARTITION BY cell, kind ORDER BY at, session, number))
    WINDOW cells AS (PARTITION BY cell, kind ORDER BY at, session, number))
) WHERE at < :before AND place > :newest AND said = earlier AND said = later
    AND from_lowest > 1 AND from_highest > 1 AND week = CAST(at / :week AS INTEGER)"""
"""A level of numbers ends where the next number lies further off than :level, and that depends on the lowest and the
highest before and after: of each stretch these stay."""
# Without the attempt that counts, an earlier one would count in its place wherever the results are imported.
_SUPERSEDED = """DELETE FROM results WHERE attempts = 0 AND NOT EXISTS (
    SELECT 1 FROM results AS other JOIN sessions ON sessions.id = other.session
    WHERE other.run = results.run AND other.cell = results.cell AND other.attempts > 0
    AND job = (SELECT own.job FROM sessions AS own WHERE own.id = results.session))"""
_UNUSED_TEXTS = """DELETE FROM texts WHERE id NOT IN (
    SELECT reason FROM results UNION SELECT raised FROM results UNION SELECT run FROM results
    UNION SELECT run FROM sessions UNION SELECT host FROM sessions UNION SELECT job FROM sessions
    UNION SELECT "commit" FROM sessions UNION SELECT models_commit FROM sessions UNION SELECT profile FROM sessions)"""
