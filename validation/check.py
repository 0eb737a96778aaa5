"""``check``: prove a built set sound, or tell every fault with its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from probeta import builtset
from probeta.builders.spans import made
from probeta.builders.spans.content import load_content
from probeta.builders.spans.generate import generate_base, is_drawn
from probeta.builders.spans.grid import grid_faults
from probeta.builders.spans.joins import elided_blanks
from probeta.builders.spans.selection import selection_faults
from probeta.errors import DataError, Fault, UsageError
from probeta.recipe import SpanRecipe, SpanSetRecipe, TaggedRecipe, load_recipe
from probeta.records import Sentence, span_faults, spans_of
from probeta.validation.checks import declared, files, rows, variants
from probeta.validation.checks.alike import alike_faults
from probeta.validation.checks.loaded import SpanSet, load, place
from probeta.validation.checks.pairs import pair_faults
from probeta.validation.checks.validated import validated_faults


@dataclass(frozen=True, kw_only=True)
class Checked:
    """The faults of a built set, and how many rows of which config were looked at."""

    faults: Sequence[Fault]
    counts: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        by_code = Counter(fault.code for fault in self.faults)
        return {
            "faults": [fault.to_json() for fault in self.faults],
            "counts": {**self.counts, "faults": dict(sorted(by_code.items()))},
        }


def check(folder: Path) -> Checked:
    """Check the built set in ``folder``; a UsageError where there is none.

    Faults come in the order: files, recipe, rows, tokens, attributes, grid, selection, configurations. A
    fault that would make later ones meaningless (an unreadable recipe, a missing column) ends the check.
    """
    if not folder.is_dir():
        reason = "is a file; expected the folder of a built set" if folder.exists() else "does not exist"
        raise UsageError(f"{folder} {reason}")
    if not builtset.is_built_set(folder):
        raise UsageError(
            f"{folder} is not a built set: expected build/probeta.yaml and SHA256SUMS in it; `probeta build` writes one"
        )
    faults = [*files.checksum_faults(folder), *files.card_faults(folder)]
    counts: dict[str, int] = {}
    try:
        recipe = load_recipe(folder / "build")
        for config in builtset.configs(folder):
            counts[config] = builtset.read(folder, config).num_rows
        faults += KINDS[recipe.kind](folder, recipe)
        faults += validated_faults(folder, source=ANNOTATED[recipe.kind], labels=list(recipe.labels))
    except DataError as error:
        faults += error.faults
    return Checked(faults=faults, counts=counts)


def span_set_faults(folder: Path, recipe: SpanRecipe) -> Iterator[Fault]:
    """Every fault of a span set."""
    loaded = _loaded(folder, recipe)
    yield from _row_faults(loaded, recipe)
    base = base_sentences(loaded, made.span_columns(recipe))
    yield from _against_recipe(folder, recipe, loaded, base)
    yield from _variant_faults(loaded, recipe, base)


#: What a corpus that somebody else has released may do: its tokens are kept as given.
KEPT_AS_GIVEN = ("text_not_nfc", "span_edges")


def tagged_set_faults(folder: Path, recipe: TaggedRecipe) -> Iterator[Fault]:
    """Every fault of a span set that was read from a tagged corpus."""
    loaded = _loaded(folder, recipe)
    yield from (fault for fault in _row_faults(loaded, recipe) if fault.code not in KEPT_AS_GIVEN)
    yield from _variant_faults(loaded, recipe, base_sentences(loaded, made.span_columns(recipe)))


def _loaded(folder: Path, recipe: SpanSetRecipe) -> SpanSet:
    return load(
        folder,
        {
            "sentences": builtset.sentence_features(made.sentence_columns(recipe)),
            "spans": builtset.span_features(made.span_columns(recipe)),
            "tokens": builtset.token_features(list(recipe.labels)),
        },
    )


def _row_faults(loaded: SpanSet, recipe: SpanSetRecipe) -> Iterator[Fault]:
    """What can be said of the rows by themselves, and of their declared values."""
    columns, names = made.sentence_columns(recipe), made.span_columns(recipe)
    yield from rows.id_faults(loaded)
    yield from rows.text_faults(loaded)
    yield from rows.label_faults(loaded, labels=list(recipe.labels))
    yield from rows.offset_faults(loaded)
    yield from rows.view_faults(loaded)
    yield from rows.token_faults(loaded)
    yield from declared.value_faults(
        loaded.spans, config="spans", values=_values(recipe, level="span", names=names)
    )
    yield from declared.value_faults(
        loaded.sentences, config="sentences", values=_values(recipe, level="sentence", names=columns)
    )
    yield from declared.constant_faults(loaded, names=names)
    if recipe.near_duplicates.kept is None:
        yield from alike_faults(loaded, share=recipe.near_duplicates.share)


def _variant_faults(loaded: SpanSet, recipe: SpanSetRecipe, base: Sequence[Sentence]) -> Iterator[Fault]:
    seed = builtset.record(loaded.folder, builtset.BUILD, keys=["seed"])["seed"]
    yield from variants.variant_faults(
        loaded, made.variants(base, recipe, seed=seed), dimensions=list(recipe.perturbations.grid)
    )


def _values(recipe: SpanSetRecipe, *, level: str, names: Sequence[str]) -> dict[str, Sequence[str] | None]:
    """The values that each column may take: declared ones, or those of the perturbation grid."""
    values: dict[str, Sequence[str] | None] = {}
    for name in names:
        attribute = recipe.attributes.get(name)
        if name in recipe.perturbations.grid and level == "sentence":
            values[name] = recipe.perturbations.grid[name]
        elif attribute is not None and attribute.values is not None:
            values[name] = list(attribute.values)
    return values


def base_sentences(loaded: SpanSet, names: Sequence[str]) -> list[Sentence]:
    """The base sentences of the set as records; those whose spans are broken are left out, since told."""
    attributes: dict[str, list[dict[str, Any]]] = {}
    for row in loaded.spans:
        attributes.setdefault(row["id"], []).append({name: row[name] for name in names})
    found = []
    for row in loaded.sentences:
        spans = spans_of(row["spans"])
        if row["operation"] is None and not span_faults(row["text"] or "", spans):
            own = {**row, "span_attributes": tuple(attributes.get(row["id"], ()))}
            found.append(Sentence(row["base_id"], row["text"], spans, own))
    return found


def _against_recipe(
    folder: Path, recipe: SpanRecipe, loaded: SpanSet, base: Sequence[Sentence]
) -> Iterator[Fault]:
    """The base sentences against the recipe: its rows, its grid, its rules, the automatic attributes."""
    content = load_content(recipe)
    built = builtset.record(folder, builtset.BUILD, keys=["seed", "per_cell"])
    drawn = list(generate_base(recipe, seed=built["seed"], per_cell=built["per_cell"], content=content))
    at = {row["base_id"]: n for n, row in enumerate(loaded.sentences) if row["operation"] is None}
    own = {sentence.id: sentence for sentence in base}
    for sentence in drawn:
        there = own.get(sentence.id)
        # What a seed draws may change between versions; what an author picked may not.
        if is_drawn(sentence.id):
            continue
        if there is None:
            yield Fault(
                code="base_missing",
                message=f"the base sentence {sentence.id} is missing",
                file="sentences",
                expected=sentence.text,
            )
        elif there.text != sentence.text:
            yield Fault(
                code="base_differs",
                message=f"{sentence.id} is not the recipe's sentence",
                **place("sentences", at[sentence.id], "text"),
                expected=sentence.text,
                found=there.text,
            )
        elif there.spans != sentence.spans:
            yield Fault(
                code="base_differs",
                message=f"the spans of {sentence.id} are not those of the recipe's sentence",
                **place("sentences", at[sentence.id], "spans"),
                expected=_listed(sentence),
                found=_listed(there),
            )
    for sentence in base:
        for found in elided_blanks(sentence.text, content.joins):
            yield Fault(
                code="elided_blank",
                message=f"{sentence.id}: a blank stands after an elided word",
                **place("sentences", at[sentence.id], "text"),
                expected=found.replace(" ", ""),
                found=found,
                fix="take the blank out of the recipe's sentence, or write the word in full and let the joins elide it",
            )
    yield from grid_faults(recipe, base)
    yield from selection_faults(recipe, base, content=content)
    yield from declared.declared_faults(
        loaded,
        made.automatic_rows(base, recipe),
        compared=[
            name
            for name, attribute in recipe.attributes.items()
            if attribute.level == "span" and attribute.automatic and name in made.span_columns(recipe)
        ],
        excused={
            (sentence.id, number): reason
            for sentence in drawn
            for number, span in enumerate(sentence.attributes["span_attributes"])
            if (reason := content.claim(span))
        },
    )


def _listed(sentence: Sentence) -> str:
    """The spans in words.

    >>> from probeta.records import Span
    >>> _listed(Sentence("1", "Un pie", (Span(3, 6, "ENG"),)))
    '3-6 pie (ENG)'
    """
    spans = zip(sentence.spans, sentence.surfaces(), strict=True)
    return ", ".join(f"{span.start}-{span.end} {text} ({span.label})" for span, text in spans) or "no span"


#: Kind of recipe -> its checks.
KINDS: dict[str, Callable[[Path, Any], Iterator[Fault]]] = {
    "spans": span_set_faults,
    "tagged": tagged_set_faults,
    "pairs": pair_faults,
}

#: Kind of recipe -> the config whose rows annotators are given.
ANNOTATED = {"spans": "sentences", "tagged": "sentences", "pairs": "pairs"}
