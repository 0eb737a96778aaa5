"""What was made from the pairs: the stress sets and the funnel."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from probeta import builtset
from probeta.builders.pairs.funnel import sum_faults
from probeta.builders.pairs.stress import misspeller, stressed, vocabulary
from probeta.errors import Fault
from probeta.hashing import text_hash
from probeta.recipe import PairRecipe
from probeta.recipe.pairs import MisspellStress
from probeta.validation.checks.pairs.loaded import Row, Rows, place

if TYPE_CHECKING:
    import pyarrow as pa

FUNNEL = "reports/funnel.json"
STATS = "reports/stats.json"


def stress_faults(
    name: str,
    tables: Mapping[tuple[str, str], pa.Table],
    test: Sequence[Row],
    folder: Path,
    recipe: PairRecipe,
) -> Iterator[Fault]:
    """The set is parallel to the test split by id, and differs in the declared side as declared."""
    config = f"stress_{name}"
    if (config, "test") not in tables:
        return
    rows = tables[config, "test"].to_pylist()
    stress = recipe.pairs.stress[name]
    by_id = {row["id"]: row for row in test}
    ids = [row["id"] for row in rows]
    if ids != [row["id"] for row in test]:
        lost, added = sorted(set(by_id) - set(ids)), sorted(set(ids) - set(by_id))
        yield Fault(
            code="stress_ids",
            message="the set is not parallel to the test split",
            file=f"{config}/test",
            expected=f"the {len(test)} ids of pairs/test, in its order",
            found=f"{len(rows)} rows; {len(lost)} ids lost, {len(added)} added",
        )
    spell = None
    if isinstance(stress, MisspellStress):
        seed = builtset.record(folder, builtset.BUILD, keys=["seed"])["seed"]
        texts = (row[column] for row in test for column in ("sentence_1", "sentence_2"))
        spell = misspeller(stress, name=name, seed=seed, vocabulary=vocabulary(texts))
    for number, row in enumerate(rows):
        before = by_id.get(row["id"])
        if before is None:
            continue
        side, text = stressed(before, stress, spell)
        expected = {**before, side: text}
        expected["text_hash"] = text_hash(expected["sentence_1"], expected["sentence_2"])
        for column in row:
            if row[column] != expected[column]:
                yield Fault(
                    **place(config, "test", number, column),
                    code="stress_differs",
                    message="the row is not what the stress makes of its test pair",
                    expected=str(expected[column])[-80:],
                    found=str(row[column])[-80:],
                )


def funnel_faults(folder: Path, rows: Rows, held_back: Collection[str]) -> Iterator[Fault]:
    """The funnel's sums agree among themselves, with the rows and with the other report that repeats them.

    Splits that are held back are not there.
    """
    try:
        funnel = json.loads((folder / FUNNEL).read_text(encoding="utf-8"))
        yield from sum_faults(funnel, file=FUNNEL)
        told = {
            (block["corpus"], split, label): count
            for block in funnel["corpora"]
            for split, one in block["splits"].items()
            for label, count in one["pairs"].items()
            if count and split not in held_back
        }
        documents = {
            (block["corpus"], split): one["documents"]
            for block in funnel["corpora"]
            for split, one in block["splits"].items()
            if one["documents"] and split not in held_back
        }
        stats = json.loads((folder / STATS).read_text(encoding="utf-8"))
        repeated = {
            "documents": sum(block["documents"] for block in funnel["corpora"]),
            "sentences": sum(block["sentences"] for block in funnel["corpora"]),
            "hits": sum(sum(block["hits"].values()) for block in funnel["corpora"]),
        }
        for name, count in repeated.items():
            if stats[name] != count:
                yield _differs(f"{name} in {STATS}", stats[name], count)
    except (OSError, ValueError, KeyError, TypeError) as error:
        yield Fault(code="funnel", message=f"the funnel cannot be read: {error!r}", file=FUNNEL)
        return
    counted = Counter(
        (row["dataset"], split, row["connector_type"]) for split, found in rows.items() for row in found
    )
    for key in sorted(told.keys() | counted.keys()):
        if told.get(key, 0) != counted[key]:
            yield _differs(f"the rows for {' '.join(key)}", counted[key], told.get(key, 0))
    named: dict[tuple[str, str], set[str]] = {}
    for split, found in rows.items():
        for row in found:
            both = {row["document"], row["sentence_2_document"]} - {None}
            named.setdefault((row["dataset"], split), set()).update(both)
    for where in sorted(documents.keys() | named.keys()):
        if (number := len(named.get(where, ()))) != documents.get(where, 0):
            yield _differs(
                f"the rows for the documents of {' '.join(where)}", number, documents.get(where, 0)
            )


def _differs(what: str, expected: int, found: int) -> Fault:
    return Fault(
        code="funnel_rows",
        message=f"the funnel differs from {what}",
        file=FUNNEL,
        expected=str(expected),
        found=str(found),
    )
