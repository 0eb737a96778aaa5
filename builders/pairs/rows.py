"""A pair as a shard's row: what the set publishes and the numbers that the stages between use."""

from __future__ import annotations

from probeta.builders.pairs.records import Text, fold_text, number, pair_key
from probeta.hashing import text_hash

#: The strategy of pairs that a linking phrase makes.
LINKING = "linking_phrase"

Row = dict[str, object]


def pair_row(
    corpus: str,
    genre: str | None,
    domain: str | None,
    *,
    document: str,
    second_document: str | None = None,
    first: Text,
    second: Text,
    strategy: str,
    connector_type: str,
    seed: int,
    in_dialogue: bool,
) -> Row:
    """The row of two texts, with everything that a linking phrase adds left null."""
    documents = (document,) if second_document is None else (document, second_document)
    key = pair_key(corpus, documents, first.place, second.place, strategy)
    linking = strategy == LINKING
    return {
        "id": f"{key:016x}",
        "sentence_1": first.text,
        "sentence_2": second.text,
        "connector": None,
        "connector_surface": None,
        "lead_in": None,
        "connector_type": connector_type,
        "extraction_strategy": strategy if linking else "none",
        "distance": None,
        "sentence_1_position": first.place.sentence,
        "sentence_1_paragraph": first.place.paragraph,
        "sentence_2_position": second.place.sentence,
        "sentence_2_paragraph": second.place.paragraph,
        "dataset": corpus,
        "genre": genre,
        "domain": domain,
        "document": document,
        "sentence_2_document": second_document,
        "neutral_strategy": None if linking else strategy,
        "chained": False,
        "in_dialogue": in_dialogue,
        "text_hash": text_hash(first.text, second.text),
        "key": key,
        "draw": number(str(seed), str(key)),
        "fold_1": number(fold_text(first.text)),
        "fold_2": number(fold_text(second.text)),
    }
