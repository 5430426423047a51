# SPDX-License-Identifier: Apache-2.0
"""Every entry is followed back through all kinds of commits."""

from dataclasses import dataclass, field

from hypothesis import given, strategies as st

from core.history import Timeline
from core.history.pairing import EntryEdit, Location
from core.history.timelines import timelines
from tests.support.commits import FILE, OTHER, State, entries, entry_id, read_states, yaml

A, B = entry_id("alpha_tiny"), entry_id("beta_tiny")


def follow(states: list[State], *present: Location) -> tuple[Timeline, ...]:
    return timelines(read_states(states), (), present)


def commits(timeline: Timeline) -> list[str]:
    return [step.commit.id if step.commit else "" for step in timeline.steps]


def test_through_changes_renames_and_moves() -> None:
    states = [
        State({FILE: entries(alpha_tiny="1", beta_tiny="1")}),
        State({FILE: entries(alpha_tiny="1", beta_tiny="2")}),
        State({FILE: entries(alpha_Tiny="1", beta_tiny="2")}),
        State({FILE: entries(beta_tiny="2"), OTHER: entries(alpha_Tiny="1")}),
        State({FILE: entries(beta_tiny="2"), OTHER: entries(alpha_Tiny="3")}),
    ]
    now = Location(OTHER, entry_id("alpha_Tiny"))
    first, second = follow(states, now, Location(FILE, B))
    assert (commits(first), commits(second)) == (["4", "3", "2", "0"], ["1", "0"])
    assert first.ids == (now.id, A)
    assert first.steps[-1].edit == EntryEdit(None, None, Location(FILE, A), {"status": 1})


def test_entries_that_are_gone_have_their_lives_too() -> None:
    states = [State({FILE: entries(alpha_tiny="1")}), State({FILE: entries()}), State({FILE: entries(alpha_tiny="2")})]
    present, gone = follow(states, Location(FILE, A))
    assert (present.location, commits(present)) == (Location(FILE, A), ["2"])
    assert (gone.location, commits(gone), gone.ids) == (None, ["1", "0"], (A,))


def test_ids_that_change_places_in_one_commit() -> None:
    one, other = {"x": "status: 1", "y": "status: 2"}, {"y": "status: 1", "x": "status: 2"}
    states = [State({FILE: yaml(one)}), State({FILE: yaml(other)})]
    x, y = follow(states, Location(FILE, "x"), Location(FILE, "y"))
    assert commits(x) == commits(y) == ["1", "0"]


def test_what_is_not_committed_comes_first() -> None:
    history = read_states([State({FILE: entries(alpha_tiny="1")})])
    place, before = Location(FILE, entry_id("alpha_Tiny")), Location(FILE, A)
    [timeline] = timelines(history, [EntryEdit(before, {"status": 1}, place, {"status": 2})], [place])
    assert commits(timeline) == ["", "0"]
    [gone] = timelines(history, [EntryEdit(before, {"status": 1}, None, None)], [])
    assert (gone.location, commits(gone)) == (None, ["", "0"])


def test_no_history_at_all() -> None:
    history = read_states([State({})])
    [timeline] = timelines(history, [EntryEdit(None, None, Location(FILE, A), {})], [Location(FILE, A)])
    assert commits(timeline) == [""]


BASE = State({FILE: entries(alpha_tiny="1", beta_tiny="1")})
MINE = State({FILE: entries(alpha_tiny="2", beta_tiny="1")}, parents=(0,))
THEIRS = State({FILE: entries(alpha_tiny="1", beta_tiny="2")}, parents=(0,))


def test_a_merge_is_no_step_and_both_branches_are_followed() -> None:
    merged = State({FILE: entries(alpha_tiny="2", beta_tiny="2")}, parents=(1, 2))
    a, b = follow([BASE, MINE, THEIRS, merged], Location(FILE, A), Location(FILE, B))
    assert (commits(a), commits(b)) == (["1", "0"], ["2", "0"])


def test_a_merge_that_says_something_new_is_a_step() -> None:
    merged = State({FILE: entries(alpha_tiny="3", beta_tiny="2")}, parents=(1, 2))
    a, b = follow([BASE, MINE, THEIRS, merged], Location(FILE, A), Location(FILE, B))
    assert (commits(a), commits(b)) == (["3", "1", "0"], ["2", "0"])


def test_a_merge_of_a_rename_and_a_change_names_both_commits_and_not_itself() -> None:
    mine = State({FILE: yaml({A: "status: 2\nreason: x"})}, parents=(0,))
    theirs = State({FILE: yaml({entry_id("alpha_Tiny"): "status: 1\nreason: x"})}, parents=(0,))
    merged = State({FILE: yaml({entry_id("alpha_Tiny"): "status: 2\nreason: x"})}, parents=(1, 2))
    base = State({FILE: yaml({A: "status: 1\nreason: x"})})
    [timeline] = follow([base, mine, theirs, merged], Location(FILE, entry_id("alpha_Tiny")))
    assert sorted(commits(timeline), reverse=True) == ["2", "1", "0"]


def test_an_entry_removed_on_a_branch_went_there_and_not_in_the_merge() -> None:
    theirs = State({FILE: entries(alpha_tiny="1")}, parents=(0,))
    merged = State({FILE: entries(alpha_tiny="2")}, parents=(1, 2))
    a, gone = follow([BASE, MINE, theirs, merged], Location(FILE, A))
    assert (commits(a), commits(gone), gone.location) == (["1", "0"], ["2", "0"], None)


FILES = (FILE, OTHER)


@dataclass
class Life:
    """A made-up life of an entry, and the commits that must be found in it."""

    word: str
    file: str
    status: int
    spelling: int = 0
    commits: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        variant = (f"{self.word}_v1_base", f"Base-{self.word.upper()}.V1", f"org/{self.word}-v1-base")[self.spelling]
        return f"org/m{self.word}/pytorch-{variant}-single_device-inference"


DEEDS = st.lists(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["status", "rename", "move", "remove", "add"])), max_size=4),
    max_size=8,
)


def live(deeds: list[list[tuple[int, str]]]) -> tuple[list[Life], list[Life], list[State]]:
    """Apply the changes of each commit: remaining entries, removed ones, and the states of the files."""
    lives: list[Life] = []
    gone: list[Life] = []
    states: list[State] = []
    for number, of_commit in enumerate(deeds):
        touched: list[Life] = []
        for pick, wanted in of_commit:
            deed = wanted if lives else "add"
            if deed == "add":
                nth = len(lives) + len(gone)
                life = Life(chr(ord("a") + nth % 26) * (2 + nth // 26), FILE, nth)
                lives.append(life)
            else:
                life = lives[pick % len(lives)]
            if life not in touched:
                touched.append(life)
                do(deed, life, number)
                if deed == "remove":
                    lives.remove(life)
                    gone.append(life)
        states.append(
            State(
                {file: yaml({one.id: f"status: {one.status}" for one in lives if one.file == file}) for file in FILES}
            )
        )
    return lives, gone, states


def do(deed: str, life: Life, commit: int) -> None:
    match deed:
        case "status":
            life.status += 100
        case "rename":
            life.spelling = (life.spelling + 1) % 3
        case "move":
            life.file = OTHER if life.file == FILE else FILE
    life.commits.insert(0, str(commit))
    life.ids = [life.id, *(id for id in life.ids if id != life.id)]


@given(DEEDS)
def test_a_life_that_was_made_up_is_found_again(deeds: list[list[tuple[int, str]]]) -> None:
    lives, gone, states = live([[(0, "add")] * 3, *deeds])
    found = follow(states, *(Location(life.file, life.id) for life in lives))
    assert [(commits(one), one.ids) for one in found[: len(lives)]] == [(one.commits, tuple(one.ids)) for one in lives]
    assert sorted((commits(one), one.ids) for one in found[len(lives) :]) == sorted(
        (one.commits, tuple(one.ids)) for one in gone
    )
