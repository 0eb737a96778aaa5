"""One answer from several: votes with their states, Dawid & Skene, reliability weights, spans."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta.validation.aggregation.dawid_skene import Answers, answers_of, dawid_skene
from probeta.validation.aggregation.reliability import reliabilities, weighted_counts
from probeta.validation.aggregation.spans import conflicts, exact_majority, token_majority
from probeta.validation.aggregation.votes import State, count_votes
from probeta.validation.agreement.coded import Coded, Repeat
from probeta.validation.agreement.coding import from_rows
from probeta.validation.agreement.spansets import from_answers
from probeta.validation.agreement.tokens import words


def states(counts: list[list[float]], **choices: object) -> list[str]:
    return [str(state) for state in count_votes(np.array(counts), **choices).state]  # type: ignore[arg-type]  # parametrized


def test_states_of_votes() -> None:
    counts = [[3, 0], [2, 1], [1, 1], [1, 0], [0, 0]]
    assert states(counts) == ["unique", "unique", "tie", "unique", "too_few"]
    assert states(counts, at_least=2) == ["unique", "unique", "tie", "too_few", "too_few"]
    # 2 of 5 is the most, but not more than half.
    assert states([[2, 1, 1, 1]], rule="plurality") == ["unique"]
    assert states([[2, 1, 1, 1]], rule="majority") == ["minority"]
    away = np.array([1.0])
    assert states([[2, 1]], rule="majority", abstentions=away) == ["unique"]
    assert states([[2, 1]], rule="majority", abstentions=away, count_abstentions=True) == ["minority"]
    assert states([[0, 0]], abstentions=away) == ["abstained"]


def test_a_tie_never_depends_on_the_order_of_labels() -> None:
    for counts in ([[2, 2, 1]], [[1, 2, 2]], [[2, 1, 2]]):
        votes = count_votes(np.array(counts))
        assert votes.state == [State.TIE]
        assert votes.label.tolist() == [-1]


def simulate(
    *, items: int, raters: int, each: int | None, labels: int, seed: int
) -> tuple[Answers, np.ndarray, np.ndarray]:
    """Answers, true labels, and each rater's true confusion matrix."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, labels, items)
    skill = generator.uniform(0.5, 0.9, raters)
    confusion = np.empty((raters, labels, labels))
    for rater in range(raters):
        off = generator.dirichlet(np.ones(labels - 1), labels) * (1 - skill[rater])
        for label in range(labels):
            confusion[rater, label] = np.insert(off[label], label, skill[rater])
    rows = []
    for item in range(items):
        chosen = range(raters) if each is None else generator.choice(raters, each, replace=False)
        for rater in chosen:
            rows.append((item, rater, generator.choice(labels, p=confusion[rater, truth[item]])))
    return Answers(*np.array(rows, dtype=np.intp).T), truth, confusion


def confusion_of(answers: Answers, labels: np.ndarray) -> np.ndarray:
    """The confusion of 27 raters counted with ``labels`` as the true ones; items with -1 are left out."""
    known = labels[answers.item] >= 0
    table = np.zeros((27, 4, 4))
    np.add.at(table, (answers.rater[known], labels[answers.item][known], answers.label[known]), 1)
    shares: np.ndarray = table / table.sum(axis=2, keepdims=True)
    return shares


def by_majority(answers: Answers) -> np.ndarray:
    votes = np.zeros((2000, 4))
    np.add.at(votes, (answers.item, answers.label), 1)
    return count_votes(votes).label


@pytest.mark.parametrize(("each", "seed"), [(None, 1), (9, 1), (9, 2), (9, 3), (9, 4)])
def test_dawid_skene_recovers_known_confusions(each: int | None, seed: int) -> None:
    """2,000 items and 27 annotators: every cell within 0.03 of what the true labels would have shown.

    With all 27 labels an item the majority is right everywhere, and to count is enough. With nine it is not,
    and EM is off by little more than half as much. The matrices that the labels were drawn from are met up to the sampling error:
    2000 * each / 27 / 4 labels a row on average, so 0.5 over its square root at most.
    """
    answers, truth, confusion = simulate(items=2000, raters=27, each=each, labels=4, seed=seed)
    found = dawid_skene(answers, items=2000, raters=27, labels=4)
    assert found.converged
    shown = confusion_of(answers, truth)
    error = np.abs(found.confusion - shown)
    assert error.max() < 0.03
    if each is not None:
        assert error.mean() < 0.6 * np.abs(confusion_of(answers, by_majority(answers)) - shown).mean()
    assert np.abs(found.prior - np.bincount(truth) / 2000).max() < 0.01
    assert (found.posterior.argmax(axis=1) == truth).mean() > 0.98
    sampling = 0.5 / (2000 * (each or 27) / 27 / 4) ** 0.5
    assert np.sqrt(((found.confusion - confusion) ** 2).mean()) < sampling
    assert np.abs(found.confusion - confusion).max() < 5 * sampling


@pytest.mark.parametrize("seed", range(1, 5))
def test_dawid_skene_with_three_labels_an_item(seed: int) -> None:
    """The shape of a campaign: three labels do not hold every cell, yet say more than the majority does."""
    answers, truth, _ = simulate(items=2000, raters=27, each=3, labels=4, seed=seed)
    found = dawid_skene(answers, items=2000, raters=27, labels=4)
    shown, majority = confusion_of(answers, truth), by_majority(answers)
    error = np.abs(found.confusion - shown)
    assert error.mean() < 0.035
    assert error.max() < 0.2
    assert error.mean() < 0.6 * np.abs(confusion_of(answers, majority) - shown).mean()
    assert (found.posterior.argmax(axis=1) == truth).mean() > (majority == truth).mean() + 0.05


@pytest.mark.parametrize("seed", range(5))
def test_dawid_skene_likelihood_never_falls(seed: int) -> None:
    answers, *_ = simulate(items=120, raters=6, each=3, labels=3, seed=seed)
    steps = dawid_skene(answers, items=120, raters=6, labels=3).log_likelihood
    assert (np.diff(steps) > -1e-9).all()
    # The last value is the likelihood of the parameters that are returned.
    found = dawid_skene(answers, items=120, raters=6, labels=3)
    joint = np.tile(found.prior, (120, 1))
    for item, rater, label in zip(*answers, strict=True):
        joint[item] *= np.nan_to_num(found.confusion[rater, :, label])
    assert np.log(joint.sum(axis=1)).sum() == pytest.approx(found.log_likelihood[-1])


def test_dawid_skene_under_shuffling() -> None:
    answers, *_ = simulate(items=150, raters=8, each=4, labels=3, seed=3)
    whole = dawid_skene(answers, items=150, raters=8, labels=3)
    generator = np.random.default_rng(0)
    rows = generator.permutation(len(answers.item))
    shuffled = dawid_skene(Answers(*(column[rows] for column in answers)), items=150, raters=8, labels=3)
    # The same rows in another order: the same result to the last bit.
    assert np.array_equal(whole.posterior, shuffled.posterior)
    assert whole.log_likelihood == shuffled.log_likelihood
    # Items, raters and labels under other names: the same up to rounding.
    item, rater, label = (generator.permutation(number) for number in (150, 8, 3))
    renamed = dawid_skene(
        Answers(item[answers.item], rater[answers.rater], label[answers.label]), items=150, raters=8, labels=3
    )
    assert np.allclose(renamed.posterior[item][:, label], whole.posterior, atol=1e-6)


def test_dawid_skene_takes_repeated_answers() -> None:
    coded = from_rows([["a", "a", "b"], ["b", "b", "b"], ["a", "b", "b"]])
    repeated = Coded(
        coded.codes,
        coded.labels,
        coded.items,
        coded.raters,
        repeats=(Repeat("1", "1", 0, 0), Repeat("3", "2", 1, 0)),
    )
    answers = answers_of(repeated)
    assert len(answers.item) == 9 + 2
    assert list(zip(*(column.tolist() for column in answers), strict=True)).count((0, 0, 0)) == 2
    assert dawid_skene(answers, items=3, raters=3, labels=2).converged


def test_dawid_skene_without_answers() -> None:
    nothing = Answers(*np.zeros((3, 0), dtype=np.intp))
    found = dawid_skene(nothing, items=2, raters=1, labels=2)
    assert found.posterior.tolist() == [[0.5, 0.5], [0.5, 0.5]]
    # An item without an answer gets the prior.
    one = dawid_skene(Answers(*np.array([[0, 0, 1]], dtype=np.intp).T), items=2, raters=1, labels=2)
    assert one.posterior.tolist() == [[0, 1], [0, 1]]


def test_reliability_weights() -> None:
    # c contradicts the others on every item; a and b always agree.
    coded = from_rows([["x", "x", "y"], ["y", "y", "x"], ["x", "x", "y"], ["y", "y", None]])
    weights = reliabilities(coded)
    # Without c the others tie never; c is right on 0 of 3: (0 - 1/2) / (1/2) < 0, so 0.
    assert weights[2] == 0
    # Against b and c, a is judged only where they agree: the last item, on b alone: 1.
    assert weights[0] == weights[1] == 1
    assert weighted_counts(coded, weights)[0].tolist() == [2, 0]
    assert reliabilities(from_rows([["x"], ["y"]])).tolist() == [1]


def test_span_majority_by_hand() -> None:
    text = "uno dos tres cuatro cinco"
    made = from_answers(
        {
            ("1", "a"): [(4, 12, "X"), (20, 25, "X")],
            ("1", "b"): [(4, 12, "X")],
            ("1", "c"): [(8, 12, "X")],
            ("2", "a"): [(0, 3, "X")],
            ("2", "b"): [],
            ("3", "a"): [(0, 3, "X")],
        },
        texts={"1": text, "2": text, "3": text},
    )
    exact = exact_majority(made)
    assert exact[0].spans == ((4, 12, "X"),)
    assert exact[0].state is State.UNIQUE
    assert (exact[1].state, exact[1].tied) == (State.TIE, ((0, 3, "X"),))
    assert exact[2].state is State.TOO_FEW
    tokens = token_majority(made, words)
    # dos: 2 of 3, tres: 3 of 3, one stretch; cinco: 1 of 3.
    assert tokens[0].spans == ((4, 12, "X"),)
    assert (tokens[1].state, tokens[1].tied) == (State.TIE, ((0, 3, "X"),))
    (first, second, third) = conflicts(made)
    assert (first["item"], first["kind"], first["start"], first["end"], first["without"]) == (
        "1",
        "boundary",
        4,
        12,
        [],
    )
    assert [variant["annotators"] for variant in first["variants"]] == [["a", "b"], ["c"]]
    assert (second["kind"], second["without"]) == ("missing", ["b", "c"])
    assert (third["item"], third["kind"]) == ("2", "missing")


def test_adjacent_spans_stay_two() -> None:
    made = from_answers(
        {("1", rater): [(0, 3, "X"), (4, 7, "X")] for rater in "abc"}, texts={"1": "uno dos tres"}
    )
    assert token_majority(made, words)[0].spans == ((0, 3, "X"), (4, 7, "X"))
    labels = from_answers({("1", "a"): [(0, 3, "X")], ("1", "b"): [(0, 3, "Y")]}, texts={"1": "uno"})
    assert conflicts(labels)[0]["kind"] == "label"


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 8), st.integers(1, 4), st.sampled_from("XY")), max_size=3),
        min_size=1,
        max_size=5,
    )
)
def test_exact_majority_properties(marked: list[list[tuple[int, int, str]]]) -> None:
    answers = {
        ("1", str(number)): [(start, start + size, label) for start, size, label in spans]
        for number, spans in enumerate(marked)
    }
    outcome = exact_majority(from_answers(answers, labels=["X", "Y"]), at_least=1)[0]
    for span in outcome.spans:
        assert 2 * sum(span in spans for spans in answers.values()) > len(answers)
    unanimous = set.intersection(*(set(spans) for spans in answers.values()))
    assert unanimous <= set(outcome.spans)
