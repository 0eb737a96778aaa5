"""Properties of the small parts: what holds for any text."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.mining import job
from probeta.builders.pairs.corpora import Corpus
from probeta.builders.pairs.filters import balanced
from probeta.builders.pairs.records import Counts
from probeta.builders.pairs.repair import clean, declared_paragraphs, fold_space, paragraphs_of
from probeta.builders.pairs.split import assign
from probeta.builders.pairs.stress import append, misspell, misspeller, neighbours, vocabulary
from probeta.builders.pairs.unused import capitalised
from probeta.recipe.pairs import MisspellStress

ROWS = ["qwertyuiop", "asdfghjklñ", "zxcvbnm"]
KEYS = neighbours(ROWS)

prose = st.text(st.sampled_from("aeéiñosn lrtDEÁÑ.!?…,;:»«“”\"'()—-0123 \n\u00ad\u200b\u00a0"), max_size=120)


@given(prose)
def test_segmenting_loses_nothing_but_space(text: str) -> None:
    paragraph = fold_space(text)
    sentences = SEGMENT(paragraph)
    assert "".join("".join(sentences).split()) == "".join(paragraph.split())
    assert all(sentence == sentence.strip() and sentence for sentence in sentences)


SEGMENT = job(has_nominal_and_verb=False).miner(Corpus("c")).segment


@given(prose)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean(text)
    assert clean(once) == once


@given(st.lists(prose, max_size=6))
def test_declared_paragraphs_keep_their_number(paragraphs: list[str]) -> None:
    cleaned = declared_paragraphs(paragraphs)
    assert len(cleaned) == len(paragraphs)
    assert cleaned == [fold_space(clean(paragraph)) for paragraph in paragraphs]


@given(prose)
def test_paragraphs_hold_no_line_break(text: str) -> None:
    for paragraph in paragraphs_of(clean(text)):
        assert paragraph and "\n" not in paragraph and paragraph == paragraph.strip()


@given(prose)
def test_capitalising_changes_one_letter_at_most(text: str) -> None:
    changed = capitalised(text)
    different = [(a, b) for a, b in zip(text, changed, strict=True) if a != b] if text else []
    assert len(different) <= 1 and all(a.upper() == b for a, b in different)
    assert capitalised(changed) == changed


@given(prose, st.integers(1, 5))
def test_an_addition_stands_before_the_final_punctuation(text: str, times: int) -> None:
    added = append(text, "y verdadero es verdadero", times)
    assert added.replace(" y verdadero es verdadero", "") == text
    tail = re.search(r"[.!?…]*$", text)
    assert tail is not None and added.endswith(tail[0])


@given(st.text(st.sampled_from("abcdeñáéíóúüMN"), min_size=2, max_size=12), st.integers(0, 99))
def test_a_slip_is_one_key(word: str, seed: int) -> None:
    slip = misspell(word, Random(seed), KEYS)
    assert abs(len(slip) - len(word)) <= 1
    assert len(word) < 3 or slip[0] == word[0]
    if len(slip) == len(word) and slip != word:
        different = [at for at in range(len(word)) if slip[at] != word[at]]
        assert len(different) == 1 or sorted(slip) == sorted(word)


@given(
    st.lists(
        st.sampled_from(["nunca", "barco", "puerto", "López", "de", "y", "agua"]), min_size=1, max_size=9
    )
)
def test_a_misspelt_premise_differs_in_one_word(words: list[str]) -> None:
    text = " ".join(words) + "."
    stress = MisspellStress(operation="misspell", side="sentence_1", keyboard=ROWS, keep=["nunca"])
    known = vocabulary([text])
    change = misspeller(stress, name="spelling", seed=1, vocabulary=known)
    row = {"id": "a", "sentence_1": text}
    changed = change(row)
    assert changed == change(row)
    different = [(a, b) for a, b in zip(text[:-1].split(), changed[:-1].split(), strict=True) if a != b]
    assert len(different) == 1
    assert different[0][1].lower() not in known
    if any(word in ("barco", "puerto", "agua") for word in words):
        assert different[0][0] in ("barco", "puerto", "agua")


@given(st.text('«»“”()[]" a', max_size=20))
def test_balance_is_what_a_stack_says(text: str) -> None:
    pairs = {"»": "«", "”": "“", "]": "[", ")": "("}
    stack: list[str] = []
    good = text.count('"') % 2 == 0
    for char in text:
        if char in pairs.values():
            stack.append(char)
        elif char in pairs:
            # "a)" is a list mark where no bracket is open; it is the one exception.
            if stack and stack[-1] == pairs[char]:
                stack.pop()
            elif char != ")":
                good = False
    if good and not stack and "a)" not in text and ")" not in text:
        assert balanced(text)
    if not good or stack:
        assert not balanced(text)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 4)), min_size=1, max_size=60),
    st.randoms(),
)
def test_documents_are_assigned_in_any_order_alike(sizes: list[tuple[int, int, int]], rng: Random) -> None:
    documents = [(at, f"d{at}", size) for at, size in enumerate(sizes)]
    shares = {"train": 0.8, "validation": 0.1, "test": 0.1}
    first = assign(documents, shares, seed=1, corpus="c")
    rng.shuffle(documents)
    assert assign(documents, shares, seed=1, corpus="c") == first
    assert set(first) == set(range(len(sizes)))


def test_greedy_keeps_nearly_every_pair() -> None:
    # The best that any split can do is the smallest class; greedy must keep 99 % of it where documents are small.
    rng = Random(5)
    documents = [(at, f"d{at}", (rng.randrange(6), rng.randrange(3), rng.randrange(3))) for at in range(400)]
    shares = {"train": 0.8, "validation": 0.1, "test": 0.1}
    assigned = assign(documents, shares, seed=1, corpus="c")
    sums: dict[str, Counter[int]] = {name: Counter() for name in shares}
    for at, _, size in documents:
        for label, count in enumerate(size):
            sums[assigned[at]][label] += count
    kept = sum(min(counts[label] for label in range(3)) for counts in sums.values())
    best = min(sum(size[label] for _, _, size in documents) for label in range(3))
    assert kept >= 0.99 * best


def test_counts_add_up_and_come_back() -> None:
    one, two = Counts(), Counts()
    one.phrases["por eso", ""] = 2
    two.phrases["por eso", ""] = 3
    two.refused["length", "reasoning"] = 1
    one.add(two)
    assert one.phrases["por eso", ""] == 5
    assert Counts.from_json(one.to_json()) == one
