"""The three configs of every span set, wherever its sentences come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from probeta import builtset
from probeta.builders.spans import made, tables
from probeta.canary import canary
from probeta.publishing.folder import ConfigTables
from probeta.recipe import SpanSetRecipe
from probeta.records import Sentence

if TYPE_CHECKING:
    import pyarrow as pa

#: The counts of the report ``stats`` that a build prints.
COUNTED = ("base_sentences", "sentences", "base_spans", "spans", "tokens", "duplicates")


def span_configs(
    recipe: SpanSetRecipe,
    splits: Mapping[str, Sequence[Sentence]],
    *,
    token_tables: Mapping[str, pa.Table],
) -> list[ConfigTables]:
    """``sentences``, ``spans`` and ``tokens`` of the perturbed sentences of each split."""
    columns, names = made.sentence_columns(recipe), made.span_columns(recipe)
    mark = canary(recipe.name, recipe.version)
    return [
        ConfigTables(
            name="sentences",
            features=builtset.sentence_features(columns),
            splits={
                split: tables.sentence_table(sentences, attributes=columns, canary=mark)
                for split, sentences in splits.items()
            },
        ),
        ConfigTables(
            name="spans",
            features=builtset.span_features(names),
            splits={
                split: tables.span_table(sentences, attributes=names) for split, sentences in splits.items()
            },
        ),
        ConfigTables(
            name="tokens", features=builtset.token_features(list(recipe.labels)), splits=token_tables
        ),
    ]
