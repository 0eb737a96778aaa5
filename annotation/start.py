"""Start a campaign: read a built set, draw the sample, write the folder."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from probeta import atomic, builtset
from probeta.annotation import campaign as folder_of
from probeta.annotation import configuration
from probeta.annotation.campaign import (
    FIELDS,
    Campaign,
    Duplicates,
    Item,
    Kind,
    Settings,
    task_key,
    text_faults,
)
from probeta.annotation.guideline import sha256
from probeta.annotation.sample import Bands, Sample, draw
from probeta.errors import DataError, Fault, UsageError, one_of
from probeta.formats.jsonl import read_jsonl, write_jsonl
from probeta.hashing import file_sha256, text_hash
from probeta.randomness import keyed
from probeta.recipe import load_recipe
from probeta.recipe.schema import RecipeBase
from probeta.tables import decode_utf8

#: The config of a built set that holds the items, by kind.
CONFIGS: Mapping[Kind, str] = {"spans": "sentences", "pairs": "pairs"}

#: The column of the original label of a pair.
PAIR_LABEL = "connector_type"

#: Columns of the config ``spans`` that are no attributes.
_SPAN_COLUMNS = ("id", "span", "start", "end", "label", "text")

#: What git must not take: the lock, and a server's data if someone puts it here.
_IGNORED = ".lock\n*.part\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class StartOptions:
    """What the command ``campaign init`` was told."""

    source: Path
    sample: int
    strata: Sequence[str] = ()
    bands: Sequence[Bands] = ()
    split: str | None = None
    seed: int | None = None
    overlap: int = 3
    checks: int = 0
    repeats: int = 0
    title: str | None = None
    guideline: Path | None = None
    duplicates: str = "error"
    variants: bool = False
    exclude: Sequence[Path] = ()
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The new campaign, the report of the draw, and what its maker should know."""

    campaign: Campaign
    report: Mapping[str, Any]
    notes: Sequence[Fault] = ()


def start(folder: Path, options: StartOptions) -> Started:
    """Write a campaign folder; one that is there is refused, since annotations may hang on it.

    Raises a UsageError for a wrong option, a DataError for texts that cannot be pushed.
    """
    one_of(options.duplicates, ("error", "first", "last"), what="policy for duplicates")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists; a campaign is made once, so choose another folder")
    if not builtset.is_built_set(options.source):
        raise UsageError(f"{options.source} is no built set (`probeta build` writes one)")
    recipe = load_recipe(options.source / "build")
    kind: Kind = "pairs" if recipe.kind == "pairs" else "spans"
    rows = _candidates(options, kind)
    seed = recipe.seed if options.seed is None else options.seed
    used = [row for path in options.exclude for row in _used(path, kind)]
    sample = draw(
        rows,
        kind=kind,
        size=options.sample,
        strata=options.strata,
        bands=options.bands,
        seed=seed,
        exclude=used,
    )
    if not sample.rows:
        raise UsageError(f"{options.source}: nothing was left to draw from {len(rows)} rows")
    checks = draw(
        rows,
        kind=kind,
        size=options.checks,
        strata=options.strata,
        bands=options.bands,
        seed=seed + 1,
        exclude=[*used, *sample.rows],
    )
    guideline = _guideline(recipe, options.guideline)
    text = decode_utf8(guideline.read_bytes(), file=str(guideline)).replace("\r\n", "\n")
    if options.title is not None and not 3 <= len(options.title) <= 50:
        raise UsageError(f"--title: Label Studio takes 3 to 50 characters, not {len(options.title)}")
    title = (options.title or f"{recipe.name} {recipe.version}: {len(sample.rows)}")[:50]
    identity = text_hash(title, str(seed), *(str(row["id"]) for row in [*sample.rows, *checks.rows]))[:8]
    settings = Settings(
        id=identity,
        title=title,
        kind=kind,
        language=recipe.language,
        labels=_definitions(recipe),
        # To be seen and changed; the language's own unless there are none.
        words={name: configuration.words_of(recipe.language)[name] for name in configuration.QUESTIONS[kind]},
        source={
            "name": recipe.name,
            "version": recipe.version,
            "config": CONFIGS[kind],
            "sha256": file_sha256(options.source / "SHA256SUMS"),
        },
        seed=seed,
        overlap=options.overlap,
        strata=[*options.strata, *(band.column for band in options.bands)],
        duplicates=cast(Duplicates, options.duplicates),
        guideline_sha256=sha256(text),
        url=options.url,
    )
    configuration.check(configuration.of(settings), kind=kind)
    items = _items(sample, checks, settings, options.repeats)
    faults = [
        fault
        for item in items
        for name, value in item.fields.items()
        for fault in text_faults(value, file=str(options.source), row=item.item, column=name)
    ]
    if faults:
        raise DataError(faults)
    report = {**sample.report, "checks": len(checks.rows), "repeats": options.repeats, "tasks": len(items)}
    report["guideline"] = guideline.name
    with atomic.folder(folder) as target:
        write_jsonl(target / folder_of.ITEMS, [item.record() for item in items])
        write_jsonl(target / folder_of.GOLD, [_gold(row, kind) for row in [*sample.rows, *checks.rows]])
        atomic.write_text(target / folder_of.GUIDELINE, text)
        atomic.write_text(target / ".gitignore", _IGNORED)
        folder_of.write_settings(target / folder_of.CAMPAIGN, settings)
        (target / "reports").mkdir()
        atomic.write_text(
            target / "reports" / "sample.json", json.dumps(report, ensure_ascii=False, indent=2) + "\n"
        )
    return Started(campaign=Campaign(folder), report=report, notes=_notes(settings))


def _notes(settings: Settings) -> list[Fault]:
    if configuration.has_words(settings.language):
        return []
    message = f"the questions to annotators are in English: there are none in {settings.language!r}"
    fix = "write yours before the push"
    return [Fault(code="words", message=message, file=folder_of.CAMPAIGN, column="words", fix=fix)]


def _candidates(options: StartOptions, kind: Kind) -> list[dict[str, Any]]:
    """The rows to draw from: of a span set the base sentences, unless variants are asked for."""
    config = CONFIGS[kind]
    there = builtset.configs(options.source).get(config, [])
    split = options.split
    if split is None and "test" in there:
        split = "test"
    rows: list[dict[str, Any]] = builtset.read(options.source, config, split).to_pylist()
    if kind == "spans":
        _add_span_attributes(rows, options.source, split)
        copies = [row for row in rows if row.get("duplicate_of") is None]
        return copies if options.variants else [row for row in copies if row.get("operation") is None]
    return rows


def _add_span_attributes(rows: Sequence[dict[str, Any]], source: Path, split: str | None) -> None:
    """Give each sentence its spans' attributes, so that cells can be strata; two values are joined by +."""
    if "spans" not in builtset.configs(source):
        return
    values: dict[str, dict[str, list[str]]] = {}
    for span in builtset.read(source, "spans", split).to_pylist():
        of_sentence = values.setdefault(span["id"], {})
        for name, value in span.items():
            if name not in _SPAN_COLUMNS and value is not None:
                of_sentence.setdefault(name, []).append(str(value))
    names = list(dict.fromkeys(name for of_sentence in values.values() for name in of_sentence))
    for row in rows:
        of_sentence = values.get(row["id"], {})
        for name in names:
            row.setdefault(name, "+".join(sorted(set(of_sentence.get(name, [])))) or None)


def _used(path: Path, kind: Kind) -> list[dict[str, Any]]:
    """The rows of another campaign, or of a JSONL file with ids or texts, that must not be drawn again."""
    file = path / folder_of.ITEMS if path.is_dir() else path
    if not file.is_file():
        raise UsageError(f"--exclude {path}: expected a campaign folder or a JSONL file")
    rows = [row for _, row in read_jsonl(file)]
    gold = path / folder_of.GOLD
    if path.is_dir() and gold.is_file():
        bases = {row["item"]: row.get("base_id") for _, row in read_jsonl(gold)}
        rows = [row | {"base_id": bases.get(row["item"])} for row in rows]
    return [row | {"id": row.get("id", row.get("item", ""))} for row in rows]


def _guideline(recipe: RecipeBase, given: Path | None) -> Path:
    """What annotators read: the file that is given, else the recipe's guideline that fits best."""
    if given is not None:
        if not given.is_file():
            raise UsageError(f"--guideline: no such file: {given}")
        return given
    if not recipe.guidelines:
        raise UsageError(f"the recipe {recipe.name} names no guideline; name one: --guideline FILE.md")
    language = recipe.language
    return recipe.guideline_path(min(recipe.guidelines, key=lambda file: _preference(file, language)))


def _definitions(recipe: RecipeBase) -> dict[str, str]:
    """What each label means, in the set's language where the recipe's card says it there."""
    language = recipe.language.partition("-")[0]
    own = next((told.labels for name, told in recipe.card.translations.items() if name == language), {})
    return {name: own.get(name, label.definition) for name, label in recipe.labels.items()}


def _preference(file: str, language: str) -> tuple[bool, int]:
    """Orders guidelines, the one to take first: for annotators by its name; in the set's language, in none.

    >>> sorted(["authoring.es.md", "annotation.en.md", "annotating.md", "annotation.es.md"],
    ...        key=lambda file: _preference(file, "es"))
    ['annotation.es.md', 'annotating.md', 'annotation.en.md', 'authoring.es.md']
    """
    name = Path(file).name
    marked = re.search(r"\.([a-z]{2,3}(?:-[A-Za-z0-9]+)*)\.md$", name)
    order = 1 if marked is None else 0 if marked[1] == language else 2
    return not name.startswith(("annotation", "annotating")), order


def _items(sample: Sample, checks: Sample, settings: Settings, repeats: int) -> list[Item]:
    """The tasks in their order: shuffled, checks among them, every repeat behind its original.

    A repeat's place is drawn from the second half behind its original, so that it is not recognised.
    """

    def item(row: Mapping[str, Any], role: str) -> Item:
        name = str(row["id"])
        fields = {column: row[column] for column in FIELDS[settings.kind]}
        return Item(item=name, key=task_key(settings.id, name), role=role, fields=fields)

    if repeats > len(sample.rows):
        raise UsageError(f"--repeats {repeats}: there are {len(sample.rows)} items to repeat")
    places: list[tuple[float, str, Item]] = []
    chosen: list[tuple[float, float, Item]] = []
    for rows, role in ((sample.rows, "sample"), (checks.rows, "check")):
        for row in rows:
            made = item(row, role)
            generator = keyed(settings.seed, "order", made.item)
            place = generator.random()
            places.append((place, made.item, made))
            if role == "sample":
                chosen.append((generator.random(), place, made))
    for _, place, original in sorted(chosen, key=lambda entry: entry[0])[:repeats]:
        name = f"{original.item}~again"
        later = place + (1.1 - place) * keyed(settings.seed, "order", name).uniform(0.5, 1)
        places.append(
            (
                later,
                name,
                Item(
                    item=name,
                    key=task_key(settings.id, name),
                    role="repeat",
                    fields=original.fields,
                    of=original.item,
                ),
            )
        )
    return [made for _, _, made in sorted(places, key=lambda entry: entry[:2])]


def _gold(row: Mapping[str, Any], kind: Kind) -> dict[str, Any]:
    """What is known of an item and must not be pushed."""
    texts = FIELDS[kind]
    original = row["spans"] if kind == "spans" else row[PAIR_LABEL]
    kept = {
        name: value
        for name, value in row.items()
        if name not in ("id", "spans", "canary", *texts) and value is not None
    }
    return {"item": str(row["id"]), "original": original, **kept}
