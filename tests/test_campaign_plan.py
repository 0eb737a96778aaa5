"""Who annotates what: the properties that every plan has."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from probeta.annotation.plan import DESIGNS, connected, loads, neighbours_share, plan, reassign
from probeta.errors import UsageError

sizes = st.tuples(st.integers(1, 60), st.integers(1, 12), st.integers(1, 12), st.integers(0, 5))


def people(count: int) -> list[str]:
    return [f"a{number:02d}" for number in range(count)]


def things(count: int) -> list[str]:
    return [f"i{number:03d}" for number in range(count)]


@pytest.mark.parametrize("design", DESIGNS)
@given(sizes)
def test_every_item_has_its_annotators_and_loads_are_level(
    design: str, size: tuple[int, int, int, int]
) -> None:
    items, n, overlap, seed = size
    assume(overlap <= n)
    made = plan(things(items), people(n), overlap=overlap, design=design, seed=seed)
    assert list(made) == things(items)
    assert all(len(who) == len(set(who)) == overlap for who in made.values())
    counted = loads(made, people(n)).values()
    assert max(counted) - min(counted) <= 1


@pytest.mark.parametrize("design", DESIGNS)
@given(sizes)
def test_annotators_are_connected_wherever_they_can_be(design: str, size: tuple[int, int, int, int]) -> None:
    items, n, overlap, seed = size
    # Each item joins at most overlap - 1 people to those joined before.
    assume(overlap <= n and items * (overlap - 1) >= n - 1)
    made = plan(things(items), people(n), overlap=overlap, design=design, seed=seed)
    assert connected(made, people(n))


def shares(items: int, n: int, overlap: int) -> list[float]:
    made = plan(things(items), people(n), overlap=overlap, design="windows")
    return neighbours_share(made, people(n))


@given(st.integers(1, 9), st.integers(0, 8), st.integers(1, 40))
def test_windows_share_half_with_every_even_overlap(half: int, more: int, cell: int) -> None:
    # Windows of 2h cells, each h cells behind the one before, on a circle of n >= 3h cells: they meet on one side.
    n = 3 * half + more
    assert set(shares(n * cell, n, 2 * half)) == {0.5}


@pytest.mark.parametrize(
    ("n", "overlap", "share"),
    [
        # The steps nearest to half of three are one and two cells of three; the smaller is taken.
        (27, 3, 2 / 3),
        # Of five: two or three.
        (27, 5, 3 / 5),
        # With ten people two falls on every other cell, which five is not a multiple of: three, so 2 of 5.
        (10, 5, 2 / 5),
        # One person has no neighbour who sees the same; two have everything in common.
        (4, 1, 0.0),
        (2, 2, 1.0),
    ],
)
def test_windows_of_an_odd_overlap_share_what_is_nearest_to_half(n: int, overlap: int, share: float) -> None:
    assert shares(10 * n, n, overlap) == pytest.approx([share] * n)


def test_the_authors_windows() -> None:
    made = plan(things(1000), people(4), overlap=2, design="windows")
    first, second = ({item for item, who in made.items() if name in who} for name in people(2))
    # 1,000 items twice over four people: windows of 500, sliding by 250.
    assert (len(first), len(second), len(first & second)) == (500, 500, 250)
    assert first == set(things(500))


def test_the_paper_s_campaign_is_balanced_in_its_pairs_too() -> None:
    names = people(27)
    made = plan(things(2000), names, overlap=3, seed=7)
    assert set(loads(made, names).values()) == {222, 223}
    shared = Counter(frozenset((a, b)) for who in made.values() for a in who for b in who if a < b)
    # 2,000 items hold 6,000 pairs; 351 pairs of people share 17.1 items on average.
    assert len(shared) == 351
    assert min(shared.values()) >= 10
    assert (
        made == plan(things(2000), names, overlap=3, seed=7) != plan(things(2000), names, overlap=3, seed=8)
    )


@given(sizes, st.integers(0, 11), st.sets(st.integers(0, 59)))
def test_a_leaver_hands_on_what_is_not_done(
    size: tuple[int, int, int, int], leaver: int, done_at: set[int]
) -> None:
    items, n, overlap, seed = size
    assume(overlap < n and leaver < n)
    names = people(n)
    made = plan(things(items), names, overlap=overlap, seed=seed)
    gone = names[leaver]
    mine = [item for item, who in made.items() if gone in who]
    done = {item for place, item in enumerate(mine) if place in done_at}
    remaining = [name for name in names if name != gone]
    new = reassign(made, leaver=gone, done=done, remaining=remaining, seed=seed)
    assert all(len(who) == len(set(who)) == overlap for who in new.values())
    assert {item for item, who in new.items() if gone in who} == done
    untouched = set(made) - set(mine)
    assert all(new[item] == made[item] for item in untouched)
    # What others had before they keep.
    for item in mine:
        assert set(made[item]) - {gone} <= set(new[item])


def test_a_leaver_among_many_leaves_loads_level() -> None:
    names = people(9)
    made = plan(things(300), names, overlap=3, seed=1)
    new = reassign(made, leaver="a04", done=set(), remaining=[n for n in names if n != "a04"])
    counted = [load for name, load in loads(new, names).items() if name != "a04"]
    # 900 answers over eight people.
    assert sorted(set(counted)) == [112, 113]


def test_too_few_people_are_refused() -> None:
    with pytest.raises(UsageError, match="an overlap of 3"):
        plan(things(5), people(2), overlap=3)
    made = plan(things(5), people(3), overlap=3)
    with pytest.raises(UsageError, match="nobody is left"):
        reassign(made, leaver="a00", done=set(), remaining=["a01", "a02"])
