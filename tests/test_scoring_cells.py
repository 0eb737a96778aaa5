"""Cells by attribute and paired differences: partitions sum to the total, twins are found, order is nothing."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta.errors import UsageError
from probeta.evaluation.cells import cells, extremes
from probeta.evaluation.items import Item, match
from probeta.evaluation.paired import Contrast, paired
from probeta.evaluation.scoring import Choices, score_spans
from probeta.evaluation.units import MISSING, Predictions, Units, values
from probeta.records import Span


def units_of(rows: list[tuple[str, str | None, bool]], names: tuple[str, str] = ("a", "b")) -> Units:
    hits = np.array([hit for _, _, hit in rows], dtype=np.bool_)
    return Units(
        item=np.arange(len(rows)),
        cluster=[f"c{number // 2}" for number in range(len(rows))],
        text=["show"] * len(rows),
        attributes={
            names[0]: values(one for one, _, _ in rows),
            names[1]: values(other for _, other, _ in rows),
        },
        systems={"s": Predictions(hits=hits, correct=hits, attributes={})},
    )


ROWS = st.lists(
    st.tuples(st.sampled_from("xyz"), st.sampled_from(["u", "v", None]), st.booleans()),
    min_size=1,
    max_size=30,
)


@given(ROWS)
def test_every_partition_sums_to_the_total(rows: list[tuple[str, str | None, bool]]) -> None:
    units = units_of(rows)
    for attributes in (["a"], ["b"], ["a", "b"]):
        found = cells(units, "s", attributes)
        assert sum(cell.counts.gold for cell in found) == len(rows)
        assert sum(cell.counts.correct for cell in found) == sum(hit for _, _, hit in rows)
        for cell in found:
            # The gap is to all other units together.
            rest = len(rows) - cell.counts.gold
            assert (cell.gap is None) == (rest == 0)
            if cell.interval is not None and cell.counts.recall is not None:
                assert cell.interval.low <= cell.counts.recall <= cell.interval.high
            if cell.gap_interval is not None and cell.gap is not None:
                assert cell.gap_interval.low <= cell.gap <= cell.gap_interval.high


def test_a_unit_without_a_value_is_a_cell_of_its_own() -> None:
    found = cells(units_of([("x", "u", True), ("x", None, False)]), "s", ["b"])
    assert {cell.name: cell.counts.gold for cell in found} == {MISSING: 1, "u": 1}


def test_declared_values_come_in_their_order() -> None:
    rows = [("x", "u", True), ("z", "u", True), ("y", "v", False)]
    found = cells(units_of(rows), "s", ["a"], order={"a": ["z", "y"]})
    assert [cell.name for cell in found] == ["z", "y", "x"]


def test_worst_and_best_cells() -> None:
    rows = [("x", "u", True), ("x", "u", False), ("y", "u", False), ("y", "u", False), ("z", "u", True)]
    found = extremes(cells(units_of(rows), "s", ["a"]), count=1)
    assert [found[kind][0].name for kind in ("worst", "best")] == ["y", "z"]


def test_a_cell_as_good_as_the_others_is_no_extreme() -> None:
    # All equal: neither. One cell below: the others are best, none of them is among the worst.
    equal = [(value, "u", hit) for value in "xyz" for hit in (True, False)]
    assert extremes(cells(units_of(equal), "s", ["a"])) == {"worst": [], "best": []}
    found = extremes(cells(units_of([("x", "u", False), ("y", "u", True), ("z", "u", True)]), "s", ["a"]))
    assert {kind: [cell.name for cell in some] for kind, some in found.items()} == {
        "worst": ["x"],
        "best": ["y", "z"],
    }


def test_an_unknown_attribute_is_told_with_what_there_is() -> None:
    with pytest.raises(UsageError, match="it has a, b"):
        cells(units_of([("x", "u", True)]), "s", ["c"])


def twins(order: list[int]) -> tuple[Units, list[tuple[str, str, str, bool]]]:
    """Two base sentences with and without quotes, in lower and standard casing, in any order."""
    rows = [
        # base, casing, quotes, found
        ("b1", "lower", "with", True),
        ("b1", "lower", "without", False),
        ("b1", "standard", "with", True),
        ("b1", "standard", "without", True),
        ("b2", "lower", "with", False),
        ("b2", "lower", "without", True),
        ("b2", "standard", "with", False),
        # b2 standard without has no row.
    ]
    rows = [rows[place] for place in order]
    hits = np.array([hit for *_, hit in rows], dtype=np.bool_)
    units = Units(
        item=np.arange(len(rows)),
        cluster=[base for base, *_ in rows],
        text=["Show" if base == "b1" else "show" for base, *_ in rows],
        attributes={
            "casing": values(casing for _, casing, _, _ in rows),
            "quotes": values(quotes for _, _, quotes, _ in rows),
        },
        systems={"s": Predictions(hits=hits, correct=hits, attributes={})},
    )
    return units, rows


@given(st.permutations(range(7)))
def test_twins_share_the_base_sentence_and_all_else(order: list[int]) -> None:
    units, _ = twins(order)
    (found,) = paired(units, "s", Contrast(attribute="quotes", against="without", same=["casing"]))
    # b1 lower: only with; b1 standard: both; b2 lower: only without; b2 standard: no twin.
    assert (found.value, found.pairs, found.unpaired) == ("with", 3, 1)
    assert (found.both, found.only_value, found.only_against, found.neither) == (1, 1, 1, 0)
    assert (found.difference, found.p_value) == (0.0, 1.0)


def test_twins_by_their_words_ignore_case() -> None:
    units, _ = twins(list(range(7)))
    (found,) = paired(
        units, "s", Contrast(attribute="casing", against="standard", same=["quotes"], key="text")
    )
    # With quotes two lower against two standard, by base: (T, T), (F, F); without: b1 F against T.
    assert (found.pairs, found.both, found.neither, found.only_against) == (3, 1, 1, 1)
    assert found.unpaired == 1


def items(generator: random.Random) -> tuple[list[Item], list[Item]]:
    gold, predicted = [], []
    for number in range(12):
        spans = [Span(at, at + 3, generator.choice("AB")) for at in (0, 5, 10) if generator.random() < 0.6]
        found = [span for span in spans if generator.random() < 0.5] + (
            [Span(3, 5, "A")] if generator.random() < 0.3 else []
        )
        base, kind = f"b{number // 3}", "xyz"[number % 3]
        attributes = {"base_id": base, "kind": kind}
        gold.append(Item(id=str(number), text="abc de fgh ijk", spans=spans, attributes=attributes))
        predicted.append(Item(id=str(number), spans=found))
    return gold, predicted


@pytest.mark.parametrize("seed", range(10))
def test_no_result_depends_on_the_order_of_items(seed: int) -> None:
    generator = random.Random(seed)
    gold, predicted = items(generator)
    choices = Choices(
        by=["kind", "label", "kind:label"],
        matches=["untyped", "partial"],
        contrasts=[Contrast(attribute="kind", against="x", same=[])],
        samples=50,
        seed=seed,
        examples=2,
        scenario={"kind": ["y"]} if any(i.spans for i in gold[1::3]) else None,
    )

    def scored(order: list[int]) -> dict[str, object]:
        matched = match([gold[place] for place in order], generator.sample([*predicted], len(predicted)))
        return score_spans(systems={"s": matched, "t": matched}, choices=choices).to_json()

    assert scored(list(range(12))) == scored(generator.sample(range(12), 12))


def test_tokens_with_other_spaces_are_the_same_text() -> None:
    gold = Item(text="¿Un show?", tokens=["¿", "Un", "show", "?"], spans=[Span(4, 8, "ENG")])
    other = Item(text="¿ Un show ?", tokens=["¿", "Un", "show", "?"], spans=[Span(5, 9, "ENG")])
    assert list(match([gold], [other]).predicted[0].spans) == [Span(4, 8, "ENG")]
