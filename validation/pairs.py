"""The checks of a built pair set: every promise of its recipe, proved on the rows."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta import builtset
from probeta.builders.pairs.corpora import read_corpora
from probeta.builders.pairs.funnel import sum_faults
from probeta.builders.pairs.phrases import LinkingPhrase, Matcher, fold, read_phrases
from probeta.builders.pairs.records import Place, fold_text, pair_key
from probeta.builders.pairs.records import number as _number
from probeta.builders.pairs.stress import misspeller, stressed, vocabulary
from probeta.canary import canary
from probeta.errors import DataError, Fault
from probeta.hashing import text_hash
from probeta.recipe import PairRecipe
from probeta.recipe.pairs import MisspellStress

if TYPE_CHECKING:
    import pyarrow as pa

SPLITS = ("train", "validation", "test")
NEUTRAL = "neutral"
FILLED = ("id", "sentence_1", "sentence_2", "connector_type", "dataset", "document")
FUNNEL = "reports/funnel.json"

Row = Mapping[str, Any]


class Stream:
    """The rows of a split, read in batches every time they are asked for."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __iter__(self) -> Iterator[Row]:
        for batch in self._table.to_batches(max_chunksize=4096):
            yield from batch.to_pylist()

    def __len__(self) -> int:
        return int(self._table.num_rows)


Rows = Mapping[str, Stream]


def pair_faults(folder: Path, recipe: PairRecipe) -> Iterator[Fault]:
    """Every fault of a pair set, files and card aside.

    In the order: schemas, rows, ids, classes and balance, leaks, duplicates, neutral pairs, stress sets,
    funnel. Raises a DataError where a config or a column is missing, since nothing else could be read.
    """
    tables = _load(folder, recipe)
    phrases = read_phrases(folder / "build" / recipe.pairs.phrases, name=f"build/{recipe.pairs.phrases}")
    rows: Rows = {split: Stream(table) for (config, split), table in tables.items() if config == "pairs"}
    matcher = Matcher(phrases)
    seen: dict[int, tuple[str, int]] = {}
    for split, found in rows.items():
        for number, row in enumerate(found):
            at = _place("pairs", split, number)
            if empty := [column for column in FILLED if not (row[column] or "").strip()]:
                yield Fault(**{**at, "column": empty[0]}, code="empty", message="the cell is empty")
                continue
            yield from _row_faults(row, at, recipe)
            yield from _id_faults(row, at, split, number, seen)
            if row["connector_type"] == NEUTRAL:
                yield from _neutral_faults(row, at, recipe)
            else:
                yield from _linking_faults(row, at, matcher)
    yield from _balance_faults(rows, recipe, phrases)
    yield from _leak_faults(rows)
    yield from _duplicate_faults(rows, dedupe=recipe.pairs.filters.dedupe)
    yield from _corpus_faults(rows, folder, recipe)
    for name in recipe.pairs.stress:
        if "test" in rows:
            yield from _stress_faults(name, tables, list(rows["test"]), folder, recipe)
    yield from _funnel_faults(folder, rows, recipe.card.hold_back)


def _place(config: str, split: str, number: int, column: str | None = None) -> dict[str, Any]:
    """The address of a row: config/split, row from 1, column."""
    return {"file": f"{config}/{split}", "row": number + 1, "column": column}


def _load(folder: Path, recipe: PairRecipe) -> dict[tuple[str, str], pa.Table]:
    """Every split of every config; a DataError names what is missing or has another type."""
    there = builtset.configs(folder)
    expected = ["pairs"]
    if "test" in there.get("pairs", ()):
        expected += [f"stress_{name}" for name in recipe.pairs.stress]
    schema = builtset.pair_features().arrow_schema
    faults: list[Fault] = []
    tables: dict[tuple[str, str], pa.Table] = {}
    for config in expected:
        if config not in there:
            faults.append(Fault(code="config_missing", message="a config is missing", file=config))
            continue
        allowed = SPLITS if config == "pairs" else ("test",)
        for split in there[config]:
            if split not in allowed:
                faults.append(Fault(code="split_unknown", message="no such split", file=f"{config}/{split}"))
                continue
            table = builtset.read(folder, config, split)
            for field in schema:
                at = table.schema.get_field_index(field.name)
                if at < 0:
                    message, code, found = "a column is missing", "column_missing", None
                elif table.schema.field(at).type != field.type:
                    message, code = "a column has another type", "column_type"
                    found = str(table.schema.field(at).type)
                else:
                    continue
                faults.append(
                    Fault(
                        code=code,
                        message=message,
                        file=f"{config}/{split}",
                        column=field.name,
                        expected=str(field.type),
                        found=found,
                    )
                )
            tables[config, split] = table
    for config in sorted(set(there) - set(expected) - {"annotations", "validated"}):
        faults.append(
            Fault(code="config_unknown", message="a config that the recipe does not make", file=config)
        )
    if faults:
        raise DataError(faults)
    return {key: tables[key] for key in sorted(tables, key=lambda key: (key[0], SPLITS.index(key[1])))}


def _row_faults(row: Row, at: Mapping[str, Any], recipe: PairRecipe) -> Iterator[Fault]:
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


def _id_faults(
    row: Row, at: Mapping[str, Any], split: str, number: int, seen: dict[int, tuple[str, int]]
) -> Iterator[Fault]:
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


def _linking_faults(row: Row, at: Mapping[str, Any], matcher: Matcher) -> Iterator[Fault]:
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


def _neutral_faults(row: Row, at: Mapping[str, Any], recipe: PairRecipe) -> Iterator[Fault]:
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


def _balance_faults(rows: Rows, recipe: PairRecipe, phrases: Sequence[LinkingPhrase]) -> Iterator[Fault]:
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


def _leak_faults(rows: Rows) -> Iterator[Fault]:
    """No document and no folded sentence stands in two splits."""
    documents: dict[tuple[str, str], str] = {}
    sentences: dict[int, tuple[str, int]] = {}
    for split in (name for name in reversed(SPLITS) if name in rows):
        for number, row in enumerate(rows[split]):
            for column in ("document", "sentence_2_document"):
                name = row[column]
                if name is not None and documents.setdefault((row["dataset"], name), split) != split:
                    yield Fault(
                        **_place("pairs", split, number, column),
                        code="document_shared",
                        message=f"the document {name} stands in {documents[row['dataset'], name]} too",
                    )
            for column in ("sentence_1", "sentence_2"):
                folded = _number(fold_text(row[column] or ""))
                first = sentences.setdefault(folded, (split, number))
                if first[0] != split:
                    yield Fault(
                        **_place("pairs", split, number, column),
                        code="sentence_shared",
                        message=f"the sentence stands in pairs/{first[0]}:{first[1] + 1} too",
                        found=str(row[column])[:60],
                    )


def _duplicate_faults(rows: Rows, *, dedupe: bool) -> Iterator[Fault]:
    pairs: dict[int, tuple[str, str, int]] = {}
    for split, found in rows.items():
        for number, row in enumerate(found):
            texts = _number(*(fold_text(row[column] or "") for column in ("sentence_1", "sentence_2")))
            label, other, first = pairs.setdefault(texts, (row["connector_type"], split, number))
            if (other, first) == (split, number):
                continue
            if label != row["connector_type"]:
                yield Fault(
                    **_place("pairs", split, number, "connector_type"),
                    code="pair_conflict",
                    message=f"the same texts have the class {label} in pairs/{other}:{first + 1}",
                    found=row["connector_type"],
                )
            elif dedupe:
                yield Fault(
                    **_place("pairs", split, number),
                    code="pair_doubled",
                    message=f"the same texts stand in pairs/{other}:{first + 1}",
                )


def _corpus_faults(rows: Rows, folder: Path, recipe: PairRecipe) -> Iterator[Fault]:
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
                    **_place("pairs", split, number, "dataset"),
                    code="test_only",
                    message=f"{corpus.name} is for test only",
                )
            if (row["genre"], row["domain"]) != (corpus.genre, corpus.domain):
                yield Fault(
                    **_place("pairs", split, number, "genre"),
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


def _stress_faults(
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
                    **_place(config, "test", number, column),
                    code="stress_differs",
                    message="the row is not what the stress makes of its test pair",
                    expected=str(expected[column])[-80:],
                    found=str(row[column])[-80:],
                )


def _funnel_faults(folder: Path, rows: Rows, held_back: Collection[str]) -> Iterator[Fault]:
    """The funnel's sums agree among themselves and with the rows; splits that are held back are not there."""
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
    except (OSError, ValueError, KeyError, TypeError) as error:
        yield Fault(code="funnel", message=f"the funnel cannot be read: {error!r}", file=FUNNEL)
        return
    counted = Counter(
        (row["dataset"], split, row["connector_type"]) for split, found in rows.items() for row in found
    )
    for key in sorted(told.keys() | counted.keys()):
        if told.get(key, 0) != counted[key]:
            yield Fault(
                code="funnel_rows",
                message=f"the funnel and the rows differ for {' '.join(key)}",
                file=FUNNEL,
                expected=str(counted[key]),
                found=str(told.get(key, 0)),
            )
