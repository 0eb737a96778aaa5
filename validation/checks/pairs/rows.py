"""Each pair by itself: its texts, its id, and what a linking phrase or a neutral pair promises."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from probeta.builders.pairs.phrases import LinkingPhrase, Matcher, fold
from probeta.builders.pairs.records import Place, fold_text, pair_key
from probeta.builders.pairs.records import number as _number
from probeta.canary import canary
from probeta.errors import Fault
from probeta.hashing import text_hash
from probeta.recipe import PairRecipe
from probeta.validation.checks.pairs.loaded import Row


def row_faults(row: Row, at: Mapping[str, Any], recipe: PairRecipe) -> Iterator[Fault]:
    """The texts, their hash, the class and the canary."""
    for column in ("sentence_1", "sentence_2"):
        text = row[column]
        if text != unicodedata.normalize("NFC", text):
            yield Fault(
                **{**at, "column": column}, code="text_not_nfc", message="the text is not in Unicode NFC"
            )
        if text != text.strip() or "\n" in text:
            yield Fault(
                **{**at, "column": column},
                code="text_space",
                message="the text has white space at its ends, or lines",
            )
    if row["text_hash"] != (found := text_hash(row["sentence_1"], row["sentence_2"])):
        yield Fault(
            **{**at, "column": "text_hash"},
            code="text_hash",
            message="the texts are not those that were hashed",
            expected=row["text_hash"],
            found=found,
        )
    if row["connector_type"] not in recipe.labels:
        yield Fault(
            **{**at, "column": "connector_type"},
            code="class_unknown",
            message="the recipe declares no such class",
            expected=", ".join(recipe.labels),
            found=row["connector_type"],
        )
    if row["canary"] != (mark := canary(recipe.name, recipe.version)):
        yield Fault(
            **{**at, "column": "canary"},
            code="canary",
            message="the canary is not the set's",
            expected=mark,
            found=str(row["canary"]),
        )


def id_faults(
    row: Row, at: Mapping[str, Any], split: str, number: int, seen: dict[int, tuple[str, int]]
) -> Iterator[Fault]:
    """The id is unique, and the hash of where the pair comes from; ``seen`` is kept over all rows."""
    where = {**at, "column": "id"}
    # Numbers instead of texts keep the memory of this and the checks below at some bytes a row.
    known = _number(row["id"] or "")
    if known in seen:
        other, first = seen[known]
        yield Fault(
            **where, code="id_doubled", message=f"the id {row['id']} stands in pairs/{other}:{first + 1} too"
        )
    seen.setdefault(known, (split, number))
    positions = [row[f"sentence_{n}_{part}"] for n in (1, 2) for part in ("paragraph", "position")]
    if any(value is None or value < 0 for value in positions):
        yield Fault(**at, code="position", message="a position is missing or below 0", found=str(positions))
        return
    documents = [row["document"], *([row["sentence_2_document"]] if row["sentence_2_document"] else [])]
    strategy = row["neutral_strategy"] or "linking_phrase"
    key = pair_key(row["dataset"], documents, Place(*positions[:2]), Place(*positions[2:]), strategy)
    if row["id"] != f"{key:016x}":
        yield Fault(
            **where,
            code="id_differs",
            message="the id is not the hash of corpus, document, positions and strategy",
            expected=f"{key:016x}",
            found=row["id"],
        )


def linking_faults(row: Row, at: Mapping[str, Any], matcher: Matcher) -> Iterator[Fault]:
    """The connector is a phrase of the table that signals the class, and the premise stands just before."""
    phrases = {phrase.phrase: phrase for phrase in matcher.phrases}
    phrase: LinkingPhrase | None = phrases.get(row["connector"])
    if phrase is None:
        yield Fault(
            **{**at, "column": "connector"},
            code="connector_unknown",
            message="the table of linking phrases has no such phrase",
            found=str(row["connector"]),
        )
        return
    if phrase.label != row["connector_type"]:
        yield Fault(
            **{**at, "column": "connector_type"},
            code="class_differs",
            message=f"the phrase {phrase.phrase!r} does not signal this class",
            expected=phrase.label,
            found=row["connector_type"],
        )
    surface = fold(row["connector_surface"] or "")
    if surface not in {fold(form) for form in (phrase.phrase, *phrase.variants)}:
        yield Fault(
            **{**at, "column": "connector_surface"},
            code="connector_surface",
            message=f"this is no form of {phrase.phrase!r}",
            found=str(row["connector_surface"]),
        )
    match = matcher.match(row["sentence_2"])
    if match is not None and match.phrase is phrase and not match.refused:
        yield Fault(
            **{**at, "column": "sentence_2"},
            code="phrase_left",
            message="the hypothesis starts with its own phrase",
            found=row["sentence_2"][:60],
        )
    if row["extraction_strategy"] != "linking_phrase" or row["neutral_strategy"] is not None:
        yield Fault(
            **{**at, "column": "extraction_strategy"},
            code="strategy",
            message="a pair with a connector is made by its phrase",
            expected="linking_phrase, neutral_strategy null",
            found=f"{row['extraction_strategy']}, {row['neutral_strategy']}",
        )
    same = row["sentence_1_paragraph"] == row["sentence_2_paragraph"]
    distance = row["sentence_2_position"] - row["sentence_1_position"]
    if not same or distance != 1 or row["distance"] != 1:
        yield Fault(
            **{**at, "column": "distance"},
            code="premise",
            message="the premise is not the sentence just before, in the same paragraph",
            expected="distance 1",
            found=f"distance {row['distance']}, positions {distance} apart{'' if same else ', other paragraph'}",
        )


def neutral_faults(row: Row, at: Mapping[str, Any], recipe: PairRecipe) -> Iterator[Fault]:
    """A neutral pair names its strategy, has no connector, and its texts come from where that says."""
    strategy = row["neutral_strategy"] or ""
    across = strategy.endswith("_crossdoc")
    if strategy.removesuffix("_crossdoc") not in recipe.pairs.neutral.strategies:
        yield Fault(
            **{**at, "column": "neutral_strategy"},
            code="strategy",
            message="a neutral pair names how it was made",
            expected=", ".join(recipe.pairs.neutral.strategies),
            found=str(row["neutral_strategy"]),
        )
    if row["connector"] is not None or row["distance"] is not None or row["extraction_strategy"] != "none":
        yield Fault(
            **{**at, "column": "connector"},
            code="neutral_connector",
            message="a neutral pair has no connector and no distance, and extraction_strategy none",
            found=f"{row['connector']}, {row['distance']}, {row['extraction_strategy']}",
        )
    if across != (row["sentence_2_document"] is not None):
        yield Fault(
            **{**at, "column": "sentence_2_document"},
            code="crossdoc",
            message="a pair across documents names both, and no other pair does",
            found=f"{strategy}, {row['sentence_2_document']}",
        )
    elif across and row["document"] == row["sentence_2_document"]:
        yield Fault(**at, code="crossdoc", message="both texts come from one document")
    elif not across and row["sentence_1_paragraph"] == row["sentence_2_paragraph"]:
        yield Fault(**at, code="neutral_paragraph", message="both texts come from one paragraph")
    if fold_text(row["sentence_1"]) == fold_text(row["sentence_2"]):
        yield Fault(**at, code="neutral_same", message="both texts are the same sentence")
