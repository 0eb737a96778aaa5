"""Building a pair set: classes balanced, splits apart, neutral pairs as declared, nothing vanishes silently."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from probeta.builders.pairs.build import Mined, mine_pairs
from probeta.builders.pairs.funnel import readable, sum_faults
from probeta.builders.pairs.records import fold_text
from probeta.errors import DataError
from probeta.recipe import PairRecipe, load_recipe

CLASSES = ("contrasting", "entailment", "neutral", "reasoning")


def recipe(*, pairs: dict[str, Any] | None = None, **filters: Any) -> PairRecipe:
    loaded = load_recipe("esnlir")
    assert isinstance(loaded, PairRecipe)
    changed = loaded.pairs.filters.model_copy(update={"has_nominal_and_verb": False, **filters})
    settings = loaded.pairs.model_copy(update={"filters": changed, **(pairs or {})})
    result = loaded.model_copy(update={"pairs": settings})
    result._folder, result._shown = loaded.folder, "esnlir"
    return result


def rows(mined: Mined, config: str = "pairs", split: str | None = None) -> list[dict[str, Any]]:
    splits = [split] if split else mined.configs.get(config, [])
    return [row for name in splits for batch in mined.batches(config, name) for row in batch.to_pylist()]


def write(path: Path, documents: dict[str, list[str]]) -> str:
    lines = [json.dumps({"id": name, "paragraphs": p}, ensure_ascii=False) for name, p in documents.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def mined(tmp_path_factory: pytest.TempPathFactory, compose_corpus: Callable[..., Path]) -> Mined:
    folder = tmp_path_factory.mktemp("build")
    paths = [
        compose_corpus(folder / f"{name}.jsonl", documents=30, seed=seed) for seed, name in enumerate("ab")
    ]
    return mine_pairs(recipe(), corpora=[str(path) for path in paths], work=folder / "work")


def test_classes_are_balanced_per_corpus_and_split(mined: Mined) -> None:
    assert mined.configs["pairs"] == ["train", "validation", "test"]
    for split in mined.configs["pairs"]:
        for corpus in "ab":
            counts = Counter(r["connector_type"] for r in rows(mined, split=split) if r["dataset"] == corpus)
            assert set(counts) == set(CLASSES)
            assert len(set(counts.values())) == 1


def test_splits_share_no_document_and_no_folded_sentence(mined: Mined) -> None:
    documents: dict[str, set[tuple[str, str]]] = {}
    sentences: dict[str, set[str]] = {}
    for split in mined.configs["pairs"]:
        for row in rows(mined, split=split):
            documents.setdefault(split, set()).add((row["dataset"], row["document"]))
            sentences.setdefault(split, set()).update(fold_text(row[f"sentence_{n}"]) for n in (1, 2))
    for sets in (documents, sentences):
        names = list(sets)
        for at, one in enumerate(names):
            for other in names[at + 1 :]:
                assert not sets[one] & sets[other]  # type: ignore[operator]


def test_shares_follow_the_recipe(mined: Mined) -> None:
    sizes = {split: len(rows(mined, split=split)) for split in mined.configs["pairs"]}
    total = sum(sizes.values())
    assert sizes["train"] / total == pytest.approx(0.81, abs=0.05)
    assert sizes["test"] / total == pytest.approx(0.10, abs=0.04)


def test_neutral_pairs_keep_their_rules(mined: Mined) -> None:
    every = rows(mined)
    linking = {(fold_text(r["sentence_1"]), fold_text(r["sentence_2"])) for r in every if r["connector"]}
    neutral = [r for r in every if r["connector_type"] == "neutral"]
    for row in neutral:
        assert row["connector"] is None and row["distance"] is None
        assert row["extraction_strategy"] == "none"
        assert row["sentence_1_paragraph"] != row["sentence_2_paragraph"]
        texts = fold_text(row["sentence_1"]), fold_text(row["sentence_2"])
        assert texts not in linking and texts[0] != texts[1]
    shares = Counter(row["neutral_strategy"] for row in neutral)
    assert set(shares) == {"both_random", "first_random", "second_random", "both_entailed"}
    # Equal shares: every split and corpus takes turns, so shares differ by at most one for each of the six.
    assert max(shares.values()) - min(shares.values()) <= 6


def test_linking_pairs_hold_what_the_release_holds(mined: Mined) -> None:
    for row in rows(mined):
        if row["connector_type"] == "neutral":
            continue
        assert row["extraction_strategy"] == "linking_phrase"
        assert row["distance"] == 1
        assert row["sentence_1_paragraph"] == row["sentence_2_paragraph"]
        assert row["sentence_1_position"] == row["sentence_2_position"] - 1
        assert row["connector_surface"].lower().rstrip(",") == row["connector"]
        assert row["sentence_2"][0].isupper()


def test_the_funnel_adds_up_and_can_be_read(mined: Mined) -> None:
    assert sum_faults(mined.funnel, file="funnel.json") == []
    text = readable(mined.funnel)
    assert "first_in_paragraph" not in text  # no composed paragraph opens with a phrase
    for block in mined.funnel["corpora"]:
        assert f"{block['sentences']:,} sentences" in text
        kept = Counter(r["connector_type"] for r in rows(mined) if r["dataset"] == block["corpus"])
        assert kept == Counter(
            {label: sum(s["pairs"][label] for s in block["splits"].values()) for label in CLASSES}
        )


#: Counts that nothing else repeats, or only bounds.
ALONE = {"schema_version", "documents", "empty_documents", "one_paragraph_documents", "paragraphs", "sentences",
         "tagged_texts"}  # fmt: skip


def numbers(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where whole numbers stand in a report."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers(part, (*place, key))
    elif isinstance(value, int):
        yield place


def test_every_number_of_the_funnel_is_bound(mined: Mined) -> None:
    unbound = set()
    for place in numbers(mined.funnel):
        funnel = json.loads(json.dumps(mined.funnel))
        part = funnel
        for key in place[:-1]:
            part = part[key]
        part[place[-1]] += 1
        if not sum_faults(funnel, file="funnel.json"):
            unbound.add(place[-1])
    assert unbound <= ALONE


@pytest.mark.parametrize(
    "damage",
    [
        lambda b: b.update(phrase_initial=b["phrase_initial"] + 1),
        lambda b: b["hits"].update(reasoning=b["hits"]["reasoning"] + 1),
        lambda b: b["filters"][3]["refused"].update(contrasting=1),
        lambda b: b["pairs"].update(entailment=b["pairs"]["entailment"] - 1),
        lambda b: b["left_out"]["balance"].update(neutral=10_000),
        lambda b: b["splits"]["test"]["pairs"].update(reasoning=0),
        lambda b: b["neutral_strategies"].update(both_random=0),
    ],
)
def test_a_changed_number_is_noticed(mined: Mined, damage: Callable[[dict[str, Any]], None]) -> None:
    funnel = json.loads(json.dumps(mined.funnel))
    damage(funnel["corpora"][0])
    assert {fault.code for fault in sum_faults(funnel, file="funnel.json")} == {"funnel_sum"}


def test_stress_sets_are_parallel_and_differ_as_declared(mined: Mined) -> None:
    test = rows(mined, split="test")
    for name, side in (
        ("length_mismatch", "sentence_1"),
        ("negation", "sentence_2"),
        ("overlap", "sentence_2"),
        ("spelling", "sentence_1"),
    ):
        stressed = rows(mined, f"stress_{name}")
        assert [row["id"] for row in stressed] == [row["id"] for row in test]
        for before, after in zip(test, stressed, strict=True):
            assert before[side] != after[side]
            assert {k for k in before if before[k] != after[k]} == {side, "text_hash"}
    first = rows(mined, "stress_length_mismatch")[0]["sentence_1"]
    assert first.endswith(" y verdadero es verdadero" * 5 + ".")
    assert rows(mined, "stress_negation")[0]["sentence_2"].endswith(" y falso no es verdadero.")


# Corpora without paragraphs


def clinical(count: int) -> dict[str, list[str]]:
    """One-paragraph cases; each holds a marker of one class, the classes in turn."""
    marks = [
        "Sin embargo, la fiebre cedió",
        "Es decir, no hubo infección",
        "Por lo tanto, se retiró el drenaje",
    ]
    people = ["Una paciente", "Un varón", "Una mujer", "Un niño"]
    return {
        f"case-{n:03d}": [
            f"{people[n % 4]} de {20 + n} años acude por dolor en el costado número {n}. "
            f"La exploración del caso {n} fue normal. {marks[n % 3]} a los {n + 2} días. "
            f"El alta del caso {n} llegó tras {n + 5} noches. La familia {n} agradeció el trato recibido."
        ]
        for n in range(count)
    }


def test_one_paragraph_documents_pair_across_documents(tmp_path: Path) -> None:
    path = write(tmp_path / "casos.jsonl", clinical(120))
    mined = mine_pairs(recipe(), corpora=[path], work=tmp_path / "work")
    neutral = [row for row in rows(mined) if row["connector_type"] == "neutral"]
    assert neutral and all(row["neutral_strategy"].endswith("_crossdoc") for row in neutral)
    split_of = {}
    for split in mined.configs["pairs"]:
        for row in rows(mined, split=split):
            for document in (row["document"], row["sentence_2_document"]):
                if document:
                    assert split_of.setdefault(document, split) == split
    assert all(row["document"] != row["sentence_2_document"] for row in neutral)
    assert len({row["neutral_strategy"] for row in neutral}) == 4
    assert sum_faults(mined.funnel, file="f") == []


def test_without_the_fallback_the_loss_is_loud(tmp_path: Path) -> None:
    path = write(tmp_path / "casos.jsonl", clinical(60))
    settings = recipe()
    neutral = settings.pairs.neutral.model_copy(update={"across_documents": False})
    with pytest.raises(DataError, match=r"casos: gives NOTHING to the set: no pair of class neutral"):
        mine_pairs(recipe(pairs={"neutral": neutral}), corpora=[path], work=tmp_path / "work")
    assert "gives NOTHING" in (tmp_path / "work" / "funnel.txt").read_text(encoding="utf-8")


# What is said of corpora that give little


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        ({"a": [""], "b": []}, "c: gives NOTHING to the set: no sentence in 2 documents (found:"),
        (
            {"a": ["El puerto cerró. Nadie zarpó aquel día."]},
            "c: gives NOTHING to the set: none of 2 sentences opens with a linking phrase (found:",
        ),
        (
            {"a": ["El puerto cerró ayer. Sin embargo, los barcos salieron al mar."]},
            "c: gives NOTHING to the set: no pair of class entailment, reasoning, neutral (found: contrasting 1,",
        ),
    ],
)
def test_why_a_corpus_gives_nothing_is_said(
    tmp_path: Path, documents: dict[str, list[str]], said: str
) -> None:
    with pytest.raises(DataError) as caught:
        mine_pairs(recipe(), corpora=[write(tmp_path / "c.jsonl", documents)], work=tmp_path / "work")
    assert str(caught.value.faults[0]).startswith(said)


def test_splits_that_stay_empty_and_files_that_were_not_read_are_said(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    folder.mkdir()
    body = "\n\n".join(text for texts in varied(6, "d").values() for text in texts)
    (folder / "novela.txt").write_text(body, encoding="utf-8")
    (folder / "vacia.txt").write_bytes(b"")
    for name in ("a.docx", "b.docx", "c.docx", "d.pdf"):
        (folder / name).write_bytes(b"PK")
    mined = mine_pairs(recipe(), corpora=[str(folder)], work=tmp_path / "work")
    assert mined.configs == {"pairs": ["train"]}
    assert mined.funnel["warnings"] == [
        "c: no pair at all for validation and test: its pairs come from 1 document, and splits share none",
        "c: 1 document without a sentence",
        "c: not read, of no known kind: 4 files (a.docx, b.docx, c.docx, …)",
        "the set has NO test split, hence no stress sets: it needs more documents",
    ]


# Dedupe, conflicts, leaks, caps


def paragraph(number: int, phrase: str, hypothesis: str | None = None) -> str:
    hypothesis = hypothesis or f"el equipo número {number} volvió a casa sin premio."
    return f"La final número {number} se jugó con lluvia. {phrase} {hypothesis} El público {number} aplaudió mucho."


def varied(count: int, name: str, offset: int = 0) -> dict[str, list[str]]:
    phrases = ["Sin embargo,", "Es decir,", "Por lo tanto,"]
    return {
        f"{name}-{n:03d}": [paragraph(offset + 10 * n + k, phrases[k]) for k in range(3)]
        for n in range(count)
    }


def test_conflicting_pairs_are_dropped(tmp_path: Path) -> None:
    documents = varied(40, "d")
    for at, phrase in enumerate(["Sin embargo,", "Por lo tanto,"]):
        documents[f"clash-{at}"] = [paragraph(5_000, phrase), paragraph(6_000 + at, "Es decir,")]
    mined = mine_pairs(recipe(), corpora=[write(tmp_path / "c.jsonl", documents)], work=tmp_path / "work")
    assert mined.funnel["corpora"][0]["left_out"]["conflicting"] == {
        "contrasting": 1,
        "entailment": 0,
        "reasoning": 1,
        "neutral": 0,
    }
    assert not any("5000" in row["sentence_1"] and row["connector"] for row in rows(mined))


def test_copies_stay_in_test(tmp_path: Path) -> None:
    # The same documents in a test-only corpus and in one with all splits: the copies in the latter go.
    (tmp_path / "recipe").mkdir()
    base = load_recipe("esnlir").folder
    for name in ("phrases.csv", "abbreviations.csv"):
        (tmp_path / "recipe" / name).write_bytes((base / name).read_bytes())
    (tmp_path / "recipe" / "corpora.csv").write_text("corpus,split\nheld,test\n", encoding="utf-8")
    chosen = recipe(pairs={"corpora": ["corpora.csv"]})
    chosen._folder = tmp_path / "recipe"
    held = write(tmp_path / "held.jsonl", varied(10, "h"))
    every = write(tmp_path / "every.jsonl", varied(10, "h") | varied(30, "e", offset=1_000))
    mined = mine_pairs(chosen, corpora=[held, every], work=tmp_path / "work")
    assert {row["dataset"] for row in rows(mined, split="test")} == {"held", "every"}
    assert all(row["document"].startswith("e-") for row in rows(mined) if row["dataset"] == "every")
    left_out = {block["corpus"]: block["left_out"] for block in mined.funnel["corpora"]}
    assert left_out["every"]["duplicate_across_corpora"]["contrasting"] == 10
    assert sum(left_out["held"]["duplicate_across_corpora"].values()) == 0


def test_a_sentence_that_test_holds_is_kept_out_of_train(tmp_path: Path) -> None:
    documents = varied(60, "d")
    shared = "el reglamento no se cambió aquel verano."
    for texts in documents.values():
        texts.append(f"Una nota distinta cerró la página de {texts[0][:22]}. Por eso {shared}")
    mined = mine_pairs(recipe(), corpora=[write(tmp_path / "c.jsonl", documents)], work=tmp_path / "work")
    holding = {
        split
        for split in mined.configs["pairs"]
        for r in rows(mined, split=split)
        if "reglamento" in r["sentence_2"]
    }
    assert len(holding) == 1
    left_out = mined.funnel["corpora"][0]["left_out"]
    assert left_out["shared_with_test"]["reasoning"] > 0


def test_a_cap_counts_balanced_pairs_of_evaluation_splits(tmp_path: Path) -> None:
    (tmp_path / "recipe").mkdir()
    base = load_recipe("esnlir").folder
    for name in ("phrases.csv", "abbreviations.csv"):
        (tmp_path / "recipe" / name).write_bytes((base / name).read_bytes())
    (tmp_path / "recipe" / "corpora.csv").write_text("corpus,cap\nc,8\n", encoding="utf-8")
    chosen = recipe(pairs={"corpora": ["corpora.csv"]})
    chosen._folder = tmp_path / "recipe"
    mined = mine_pairs(chosen, corpora=[write(tmp_path / "c.jsonl", varied(60, "d"))], work=tmp_path / "work")
    sizes = {split: len(rows(mined, split=split)) for split in mined.configs["pairs"]}
    assert sizes["test"] == sizes["validation"] == 8
    assert sizes["train"] > 100


def test_chained_markers_stay_out_of_evaluation(tmp_path: Path) -> None:
    documents = varied(60, "d")
    for at, texts in enumerate(documents.values()):
        texts.append(
            f"La grada {at} cantó hasta el final. Por eso, por ejemplo, el árbitro {at} pidió silencio. Todo siguió."
        )
    mined = mine_pairs(recipe(), corpora=[write(tmp_path / "c.jsonl", documents)], work=tmp_path / "work")
    chained = {split: sum(r["chained"] for r in rows(mined, split=split)) for split in mined.configs["pairs"]}
    assert chained["test"] == chained["validation"] == 0 < chained["train"]
    example = next(row for row in rows(mined) if row["chained"] and row["connector"])
    assert (example["connector"], example["sentence_2"].split(",")[0]) == ("por eso", "Por ejemplo")
    # A neutral pair may take such a text from a linking one; then it is one of them.
    opening = [row for row in rows(mined) if row["sentence_2"].startswith("Por ejemplo,")]
    assert {row["connector_type"] for row in opening} > {"neutral"}
    assert all(row["chained"] for row in opening)


def test_two_documents_with_one_id_are_refused(tmp_path: Path) -> None:
    path = Path(write(tmp_path / "c.jsonl", varied(5, "d")))
    path.write_text(path.read_text(encoding="utf-8") * 2, encoding="utf-8")
    with pytest.raises(DataError, match="two documents with one id"):
        mine_pairs(recipe(), corpora=[str(path)], work=tmp_path / "work")


def test_damaged_documents_are_refused_or_skipped(tmp_path: Path) -> None:
    documents = varied(30, "d") | {"bad": ["En sÃ\u00adntesis, nada."]}
    path = write(tmp_path / "c.jsonl", documents)
    with pytest.raises(DataError, match="wrong encoding"):
        mine_pairs(recipe(), corpora=[path], work=tmp_path / "work")
    mined = mine_pairs(recipe(pairs={"damaged_documents": "skip"}), corpora=[path], work=tmp_path / "work")
    assert mined.funnel["corpora"][0]["documents_refused"] == {"mojibake": 1}
    assert any("1 mojibake" in warning for warning in mined.funnel["warnings"])


def test_rejects_can_be_read_back(tmp_path: Path) -> None:
    documents = varied(30, "d")
    documents["d-000"].append("Nadie esperaba la visita. Sin embargo de la lluvia, vinieron todos.")
    documents["d-001"].append("Por eso llegaron tarde los músicos.")
    mined = mine_pairs(recipe(), corpora=[write(tmp_path / "c.jsonl", documents)], work=tmp_path / "work")
    found = {reject["reason"]: reject for reject in mined.rejects()}
    assert set(found) == {"blocked_by_next_word", "first_in_paragraph"}
    assert found["first_in_paragraph"] == {
        "reason": "first_in_paragraph",
        "corpus": "c",
        "document": "d-001",
        "paragraph": 3,
        "sentence": 0,
        "phrase": "por eso",
        "premise": None,
        "hypothesis": "Por eso llegaron tarde los músicos.",
    }


def test_the_tagger_refuses_what_has_no_verb(tmp_path: Path) -> None:
    documents = varied(12, "d")
    for texts in documents.values():
        texts.append("Una tarde de mucho frío en la costa. Sin embargo, una noche tranquila de verano.")
    path = write(tmp_path / "c.jsonl", documents)
    mined = mine_pairs(recipe(has_nominal_and_verb=True), corpora=[path], work=tmp_path / "work")
    (step,) = [s for s in mined.funnel["corpora"][0]["filters"] if s["filter"] == "has_nominal_and_verb"]
    assert step["refused"]["contrasting"] == 12
    assert mined.funnel["tagger"].startswith("es_core_news_")


def test_every_class_of_a_phrase_is_declared(tmp_path: Path) -> None:
    chosen = recipe()
    labels = {name: label for name, label in chosen.labels.items() if name != "reasoning"}
    bare = chosen.model_copy(update={"labels": labels})
    bare._folder, bare._shown = chosen.folder, "esnlir"
    with pytest.raises(DataError, match="declares no class reasoning"):
        mine_pairs(bare, corpora=[write(tmp_path / "c.jsonl", varied(5, "d"))], work=tmp_path / "work")


def test_a_phrase_table_tells_every_fault(tmp_path: Path) -> None:
    from probeta.builders.pairs.phrases import read_phrases

    (tmp_path / "p.csv").write_text(
        "phrase,class,follow,blockers,absorb,variants,source\n"
        "sin embargo,contrasting,any,,,,x\n"
        "SIN  EMBARGO,contrasting,any,,,,x\n"
        "es decir,entailment,comma,,,,x\n"
        "o sea,entailment,punctuation_or_absorbed,,,,x\n"
        "y,neutral,any,,,,x\n"
        ",contrasting,any,,,,x\n",
        encoding="utf-8",
    )
    with pytest.raises(DataError) as caught:
        read_phrases(tmp_path / "p.csv", name="p.csv")
    assert [(fault.row, fault.code) for fault in caught.value.faults] == [
        (3, "phrase_twice"),
        (4, "phrase_follow"),
        (5, "phrase_absorb"),
        (6, "phrase_class"),
        (7, "phrase_empty"),
    ]


def test_the_papers_phrases_ship_as_a_table(reference_data: Path) -> None:
    import csv

    from probeta.builders.pairs.phrases import fold, read_phrases

    with (reference_data / "paper" / "esnlir_linking_phrases.csv").open(encoding="utf-8") as handle:
        paper = {row["phrase_as_printed"]: row["class"] for row in csv.DictReader(handle)}
    ours = read_phrases(load_recipe("esnlir").path("phrases.csv"))
    assert {fold(phrase.phrase): phrase.label for phrase in ours} == paper
