# SPDX-License-Identifier: Apache-2.0
"""Export and import a store as one file: CSV, or Parquet if pyarrow is installed. A row is a result as it was reported.

Each row has the digest of its report, so that importing a file again changes nothing.
"""

import csv
import importlib
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from core.base.errors import TTMatrixError, UsageError
from core.base.files import Malformed, decoded, opened, plain
from core.base.optional_packages import require_extra
from core.domain.model import BringupStatus, Function, Status
from core.evidence.observation import CaseNumbers, Ending, Observation, Origin
from core.evidence.store_rows import StoredReport

CSV, PARQUET = ".csv", ".parquet"
_BATCH = 20_000
_MOST_CHARACTERS = 2**24
"""The largest field of a CSV file; reasons are one line."""
_MOST_ATTEMPTS = 10**9
"""More than the attempts of any CI run, and a number that every store can hold."""


def _flag(text: Any) -> bool:
    if text not in (True, False, "true", "false"):
        raise ValueError(f"{text!r} is neither true nor false")
    return text in (True, "true")


def _attempt(text: Any) -> int:
    if not 0 <= (number := int(text)) <= _MOST_ATTEMPTS:
        raise ValueError(f"{number} is not between 0 and {_MOST_ATTEMPTS:,}")
    return number


def _texts(text: Any) -> tuple[str, ...]:
    return tuple(decoded(text, list[str])) if text else ()


def _case(text: Any) -> CaseNumbers | None:
    return decoded(text, CaseNumbers) if text else None


@dataclass(frozen=True, slots=True)
class _Column:
    """One column: how its value is read, and its Arrow type."""

    name: str
    read: Callable[[Any], Any]
    arrow: str = "string"
    optional: bool = False
    """Empty means no value."""
    write: Callable[[Any], Any] = lambda value: value


def _optional(name: str, read: Callable[[Any], Any], arrow: str = "string") -> _Column:
    return _Column(name, read, arrow, optional=True)


_REPORT = (
    _Column("digest", str),
    _Column("rank", str),
    _Column("attempt", _attempt, "int64"),
    _Column("named", _flag, "bool_"),
)
_RESULT = (
    _Column("test_id", str),
    _Column("function", Function, write=str),
    _Column("arch", str),
    _Column("origin", Origin, write=str),
    _Column("run", str),
    _Column("when", float, "float64"),
    _Column("host", str),
    _Column("ending", Ending, write=str),
    _Column("expected", Status, write=str),
    _Column("forced", _flag, "bool_"),
    _Column("stage", BringupStatus, write=str),
    _Column("reason", str),
    _Column("seconds", float, "float64"),
    _optional("pcc", float, "float64"),
    _optional("pcc_required", float, "float64"),
    _optional("pcc_checked", _flag, "bool_"),
    _Column("shortcut", _flag, "bool_"),
    _Column("guidance", _texts, write=lambda some: json.dumps(some) if some else ""),
    _optional("signal", int, "int64"),
    _Column("attempts", int, "int64"),
    _Column("job", str),
    _Column("source", str),
    _Column("commit", str),
    _Column("models_commit", str),
    _Column("raised", str),
    _Column("op", _case, write=lambda one: "" if one is None else json.dumps(plain(one))),
    _Column("profile", str),
)
_COLUMNS = (*_REPORT, *_RESULT)
_NAMES = [one.name for one in _COLUMNS]


def write_file(file: Path, reports: Iterable[StoredReport]) -> int:
    """Write all results of `reports` to `file`, atomically; returns how many there are. Raises TTMatrixError."""
    count = 0

    def counting() -> Iterator[list[Any]]:
        nonlocal count
        for row in _rows(reports):
            count += 1
            yield row

    write = {CSV: _write_csv, PARQUET: _write_parquet}[_kind(file)]
    part = file.with_name(f".{file.name}.part")
    try:
        write(part, counting())
        part.replace(file)
    except OSError as error:
        raise TTMatrixError("The results cannot be written", f"{file}: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
    return count


def read_file(file: Path) -> Iterator[StoredReport]:
    """The reports in `file`, as written by `write_file`. Raises TTMatrixError that names the first wrong row."""
    read = {CSV: _read_csv, PARQUET: _read_parquet}[_kind(file)]
    seen: set[str] = set()
    try:
        numbered = enumerate(read(file), 2)
        for digest, group in groupby(numbered, key=lambda item: item[1][0]):
            rows = list(group)
            if digest in seen:
                raise ValueError(
                    f"row {rows[0][0]}: the rows of a report must follow each other; sort the file by digest"
                )
            seen.add(digest)
            yield _report([_typed(at, row) for at, row in rows])
    except OSError as error:
        raise _unreadable(file, error.strerror or str(error)) from error
    except (ValueError, csv.Error, Malformed) as error:
        raise _unreadable(file, str(error)) from error


def _kind(file: Path) -> str:
    suffix = file.suffix.lower()
    if suffix not in (CSV, PARQUET):
        raise UsageError(f"Not a name for a table: {file.name}", "It must end in .csv or .parquet")
    return suffix


def _unreadable(file: Path, why: str) -> TTMatrixError:
    return TTMatrixError("The file cannot be imported", f"{file}: {why}", "ttmatrix evidence export writes such files.")


def _rows(reports: Iterable[StoredReport]) -> Iterator[list[Any]]:
    for report in reports:
        shared = [report.digest, report.rank, report.attempt, report.named]
        for one in report.observations:
            yield [*shared, *(column.write(getattr(one, column.name)) for column in _RESULT)]


def _typed(at: int, row: Sequence[Any]) -> list[Any]:
    values: list[Any] = []
    for column, value in zip(_COLUMNS, row, strict=True):
        if column.optional and value in (None, ""):
            values.append(None)
            continue
        try:
            values.append(column.read("" if value is None else value))
        except (ValueError, TypeError, Malformed) as error:
            raise ValueError(f"row {at}, {column.name}: {error}") from error
    return values


def _report(rows: Sequence[Sequence[Any]]) -> StoredReport:
    digest, rank, attempt, named = rows[0][: len(_REPORT)]
    return StoredReport(digest, rank, attempt, named, tuple(Observation(*row[len(_REPORT) :]) for row in rows))


def _write_csv(file: Path, rows: Iterable[list[Any]]) -> None:
    with file.open("w", newline="", encoding="utf-8", errors="surrogatepass") as out:
        writer = csv.writer(out)
        writer.writerow(_NAMES)
        writer.writerows([_as_text(value) for value in row] for row in rows)


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def _read_csv(file: Path) -> Iterator[list[Any]]:
    csv.field_size_limit(_MOST_CHARACTERS)
    with io.TextIOWrapper(opened(file), newline="", encoding="utf-8", errors="surrogatepass") as lines:
        reader = csv.reader(lines, strict=True)
        head = next(reader, [])
        if missing := [name for name in _NAMES if name not in head]:
            raise ValueError(f"row 1: there is no column {missing[0]}")
        # Others may have added columns, and the order of columns does not matter.
        pick = itemgetter(*(head.index(name) for name in _NAMES))
        for at, row in enumerate(reader, 2):
            if len(row) != len(head):
                raise ValueError(f"row {at}: {len(row)} fields instead of {len(head)}")
            yield list(pick(row))


def _arrow(module: str) -> Any:
    require_extra("parquet", "Parquet needs pyarrow", "use a name with .csv")
    return importlib.import_module(module)


def _write_parquet(file: Path, rows: Iterable[list[Any]]) -> None:
    arrow, parquet = _arrow("pyarrow"), _arrow("pyarrow.parquet")
    schema = arrow.schema([(one.name, getattr(arrow, one.arrow)()) for one in _COLUMNS])
    left = iter(rows)
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while some := [row for _, row in zip(range(_BATCH), left, strict=False)]:
            fields = zip(zip(*some, strict=True), schema, strict=True)
            columns = [arrow.array([*map(_valid, values)], field.type) for values, field in fields]
            writer.write_batch(arrow.record_batch(columns, schema=schema))


def _valid(value: Any) -> Any:
    """Parquet only stores UTF-8 texts; file names may have other bytes."""
    return value.encode(errors="surrogatepass").decode(errors="replace") if isinstance(value, str) else value


def _read_parquet(file: Path) -> Iterator[list[Any]]:
    arrow, parquet = _arrow("pyarrow"), _arrow("pyarrow.parquet")
    try:
        with opened(file) as stream, parquet.ParquetFile(stream) as table:
            if missing := [name for name in _NAMES if name not in table.schema_arrow.names]:
                raise ValueError(f"there is no column {missing[0]}")
            for batch in table.iter_batches(_BATCH, columns=_NAMES):
                columns = batch.to_pydict()
                yield from map(list, zip(*(columns[name] for name in _NAMES), strict=True))
    except arrow.ArrowException as error:
        raise ValueError(str(error)) from error
