# SPDX-License-Identifier: Apache-2.0
"""From changed files to changed entries, skipping what cannot be read."""

from collections.abc import Iterable, Iterator

from core.history.commits import ChangeReader, Skipped
from core.history.pairing import EntryEdit, Location
from core.sources import Edge, FileChange

ONE = b"test_config:\n  a:\n    s: 1\n"
TWO = b"test_config:\n  a:\n    s: 2\n"
BROKEN = b"test_config:\n  a:\n    s: [2\n"
LATIN = b"test_config:\n  a:\n    s: \xe9\n"
PLACE = Location("f.yaml", "a")


def reader(asked: list[set[str]] | None = None, **texts: bytes) -> ChangeReader:
    def blobs(ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        if asked is not None:
            asked.append({*ids})
        yield from ((id, texts.get(id)) for id in ids)

    return ChangeReader(blobs)


def chain(*blobs: str | None) -> dict[Edge, tuple[FileChange, ...]]:
    """One file with these contents, one after the other."""
    return {
        Edge(str(number), str(number - 1)): (FileChange("f.yaml", before, after),)
        for number, (before, after) in enumerate(zip((None, *blobs), blobs, strict=False))
    }


def test_added_changed_and_removed() -> None:
    found = [edits for _, edits in reader(one=ONE, two=TWO).read(chain("one", "two", None))]
    assert found == [
        (EntryEdit(None, None, PLACE, {"s": 1}),),
        (EntryEdit(PLACE, {"s": 1}, PLACE, {"s": 2}),),
        (EntryEdit(PLACE, {"s": 2}, None, None),),
    ]


def test_states_that_cannot_be_read_are_passed_over_and_reported() -> None:
    texts = reader(one=ONE, two=TWO, broken=BROKEN, latin=LATIN)
    found = [edits for _, edits in texts.read(chain("one", "broken", "latin", "gone", "two"))]
    assert found[1:4] == [(), (), ()]
    assert found[4] == (EntryEdit(PLACE, {"s": 1}, PLACE, {"s": 2}),)
    assert [(one.commit, one.file) for one in texts.skipped] == [(str(n), "f.yaml") for n in (1, 2, 3)]
    assert "Not valid YAML" in texts.skipped[0].reason and "line" in texts.skipped[0].reason
    assert texts.skipped[1:] == [
        Skipped("2", "f.yaml", "byte 25 is not UTF-8"),
        Skipped("3", "f.yaml", "Cannot be read, or is not in this clone"),
    ]
    assert texts.stand_ins == {"broken": "one", "latin": "one", "gone": "one"}


def test_what_was_there_before_is_remembered_from_an_earlier_reading() -> None:
    first = reader(one=ONE, broken=BROKEN)
    assert len([*first.read(chain("one", "broken"))]) == 2
    second = ChangeReader(reader(one=ONE, two=TWO, broken=BROKEN).blobs, first.stand_ins)
    change = {Edge("2", "1"): (FileChange("f.yaml", "broken", "two"),)}
    assert [edits for _, edits in second.read(change)] == [(EntryEdit(PLACE, {"s": 1}, PLACE, {"s": 2}),)]


def test_a_file_that_came_broken_comes_whole() -> None:
    found = [edits for _, edits in reader(one=ONE, broken=BROKEN).read(chain("broken", "one"))]
    assert found == [(), (EntryEdit(None, None, PLACE, {"s": 1}),)]


def test_a_long_history_is_read_a_few_commits_at_a_time() -> None:
    asked: list[set[str]] = []
    names = [f"b{number}" for number in range(200)]
    texts = reader(asked, **{name: b"test_config:\n  a:\n    s: %d\n" % at for at, name in enumerate(names)})
    found = [edits for _, edits in texts.read(chain(*names))]
    assert [edits[0].new for edits in found] == [{"s": number} for number in range(200)]
    assert len(asked) == 4 and max(map(len, asked)) < 70
