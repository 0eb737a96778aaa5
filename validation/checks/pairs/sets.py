"""The pairs together: balance of classes, leaks between splits, duplicates, the recipe's tables of corpora."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from probeta.builders.pairs.corpora import read_corpora
from probeta.builders.pairs.phrases import LinkingPhrase
from probeta.builders.pairs.records import fold_text
from probeta.builders.pairs.records import number as _number
from probeta.errors import Fault
from probeta.recipe import PairRecipe
from probeta.validation.checks.pairs.loaded import NEUTRAL, SPLITS, Rows, place


def balance_faults(rows: Rows, recipe: PairRecipe, phrases: Sequence[LinkingPhrase]) -> Iterator[Fault]:
    """Each corpus gives every class as many pairs, in every split."""
    classes = (*dict.fromkeys(phrase.label for phrase in phrases), NEUTRAL)
    for split, found in rows.items():
        counts: dict[str, Counter[str]] = {}
        for row in found:
            counts.setdefault(row["dataset"], Counter())[row["connector_type"]] += 1
        for corpus, by_class in sorted(counts.items()):
            if len({by_class[label] for label in classes}) > 1:
                yield Fault(
                    code="balance",
                    message=f"the classes of {corpus} are not balanced",
                    file=f"pairs/{split}",
                    column="connector_type",
                    expected="the same number of each class",
                    found=", ".join(f"{label} {by_class[label]}" for label in classes),
                )


def leak_faults(rows: Rows) -> Iterator[Fault]:
    """No document and no folded sentence stands in two splits."""
    documents: dict[tuple[str, str], str] = {}
    sentences: dict[int, tuple[str, int]] = {}
    for split in (name for name in reversed(SPLITS) if name in rows):
        for number, row in enumerate(rows[split]):
            for column in ("document", "sentence_2_document"):
                name = row[column]
                if name is not None and documents.setdefault((row["dataset"], name), split) != split:
                    yield Fault(
                        **place("pairs", split, number, column),
                        code="document_shared",
                        message=f"the document {name} stands in {documents[row['dataset'], name]} too",
                    )
            for column in ("sentence_1", "sentence_2"):
                folded = _number(fold_text(row[column] or ""))
                first = sentences.setdefault(folded, (split, number))
                if first[0] != split:
                    yield Fault(
                        **place("pairs", split, number, column),
                        code="sentence_shared",
                        message=f"the sentence stands in pairs/{first[0]}:{first[1] + 1} too",
                        found=str(row[column])[:60],
                    )


def duplicate_faults(rows: Rows, *, dedupe: bool) -> Iterator[Fault]:
    """The same texts never have two classes, and stand once where the recipe removes duplicates."""
    pairs: dict[int, tuple[str, str, int]] = {}
    for split, found in rows.items():
        for number, row in enumerate(found):
            texts = _number(*(fold_text(row[column] or "") for column in ("sentence_1", "sentence_2")))
            label, other, first = pairs.setdefault(texts, (row["connector_type"], split, number))
            if (other, first) == (split, number):
                continue
            if label != row["connector_type"]:
                yield Fault(
                    **place("pairs", split, number, "connector_type"),
                    code="pair_conflict",
                    message=f"the same texts have the class {label} in pairs/{other}:{first + 1}",
                    found=row["connector_type"],
                )
            elif dedupe:
                yield Fault(
                    **place("pairs", split, number),
                    code="pair_doubled",
                    message=f"the same texts stand in pairs/{other}:{first + 1}",
                )


def corpus_faults(rows: Rows, folder: Path, recipe: PairRecipe) -> Iterator[Fault]:
    """Test-only corpora, genres and caps are as the recipe's tables say."""
    tables = [(folder / "build" / file, f"build/{file}") for file in recipe.pairs.corpora]
    declared = read_corpora(tables)
    sizes: Counter[tuple[str, str]] = Counter()
    for split, found in rows.items():
        for number, row in enumerate(found):
            corpus = declared.get(row["dataset"])
            sizes[row["dataset"], split] += 1
            if corpus is None:
                continue
            if corpus.split == "test" and split != "test":
                yield Fault(
                    **place("pairs", split, number, "dataset"),
                    code="test_only",
                    message=f"{corpus.name} is for test only",
                )
            if (row["genre"], row["domain"]) != (corpus.genre, corpus.domain):
                yield Fault(
                    **place("pairs", split, number, "genre"),
                    code="genre",
                    message=f"{corpus.name} is declared otherwise",
                    expected=f"{corpus.genre}, {corpus.domain}",
                    found=f"{row['genre']}, {row['domain']}",
                )
    for (name, split), size in sorted(sizes.items()):
        corpus = declared.get(name)
        if corpus is not None and corpus.cap is not None and split != "train" and size > corpus.cap:
            yield Fault(
                code="cap",
                message=f"{name} gives more pairs than its cap",
                file=f"pairs/{split}",
                expected=str(corpus.cap),
                found=str(size),
            )
