"""From files and a protocol to scores of spans or their strings: what `probeta score` does, as a function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from probeta.errors import DataError, UsageError, one_of
from probeta.evaluation.attribute_table import join_attributes, load_attribute_rows
from probeta.evaluation.automatic import AutomaticOptions, known_attributes, with_automatic
from probeta.evaluation.cells import Cell, attributes_named, cells, extremes
from probeta.evaluation.compare import parse_scenario
from probeta.evaluation.contrasts import parse_contrast
from probeta.evaluation.counts import unknown_labels
from probeta.evaluation.files import data_version
from probeta.evaluation.items import Item, match
from probeta.evaluation.paired import Contrast
from probeta.evaluation.protocol import Protocol, conditions, declared_values
from probeta.evaluation.protocol_checks import notices, value_faults
from probeta.evaluation.read import Loaded, load_columns, load_items, refuse_split
from probeta.evaluation.scoring import MATCHES, Choices, SpanScores, item_attributes, score_spans
from probeta.evaluation.strings import in_place_of_spans, load_strings
from probeta.evaluation.units import unknown_attribute
from probeta.formats import ReadOptions, format_of
from probeta.formats.base import REGIONS
from probeta.signature import signature

#: Fewer cells than this have no worst and best ones worth naming.
_ENOUGH_CELLS = 6
#: So many worst and so many best cells are named at most, and no more than a quarter of all.
_EXTREMES = 3
#: Doubts of a file that are told one by one.
_TOLD_DOUBTS = 3
#: In ``by``: every attribute that the recipe declares with its values, one at a time.
RECIPE = "recipe"


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """What to read: a gold with files of predictions by name, or one CoNLL file with columns."""

    gold: Path
    systems: Mapping[str, Path] = field(default_factory=dict)
    columns: Mapping[str, int] = field(default_factory=dict)
    gold_format: str | None = None
    system_format: str | None = None
    attributes: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """How to read and what to compute beyond the protocol."""

    options: ReadOptions = field(default_factory=ReadOptions)
    system_scheme: str | None = None
    system_regions: str = "annotations"
    matches: Sequence[str] = ()
    by: Sequence[str] = ()
    contrasts: Sequence[str] = ()
    scenario: str | None = None
    where: str | None = None
    samples: int = 1000
    seed: int = 0
    examples: int = 0
    language: str | None = None


class CellTable(NamedTuple):
    """Crossed attributes, over the units with these values."""

    title: str
    attributes: Sequence[str]
    where: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanEvaluation:
    """Scores with their protocol, their signature and what its checks say."""

    protocol: Protocol
    signature: str
    scores: SpanScores
    checks: Sequence[Mapping[str, Any]]
    order: Mapping[str, Sequence[str]]
    doubts: Sequence[str] = ()

    def cells(self, system: str, table: CellTable) -> list[Cell]:
        """A system's cells in a table."""
        units = self.scores.units
        chosen = units.where(conditions(table.where)) if table.where else None
        return cells(units, system, table.attributes, where=chosen, order=self.order)

    def tables(self) -> list[CellTable]:
        """The tables of the protocol, crossed and restricted as it says."""
        return [
            CellTable(table.title, (*table.rows, *table.columns), table.where)
            for table in self.protocol.tables
        ]

    def finest(self) -> CellTable | None:
        """The table that crosses most attributes, of the protocol's and of those asked for."""
        by = next(iter(self.scores.systems.values())).by
        tables = [*self.tables(), *(CellTable(name, attributes_named(name), {}) for name in by)]
        return max(tables, key=lambda table: len(table.attributes), default=None)

    def extremes(self) -> dict[str, dict[str, list[Cell]]]:
        """The worst and best cells of the finest table by system, where it has enough to choose from."""
        table = self.finest()
        if table is None:
            return {}
        found = {system: self.cells(system, table) for system in self.scores.systems}
        return {
            system: extremes(ranked, count=min(_EXTREMES, len(ranked) // 4))
            for system, ranked in found.items()
            if len(ranked) >= _ENOUGH_CELLS
        }

    def warnings(self) -> list[str]:
        """What a reader should know before the numbers: labels that the gold lacks, doubts of the files."""
        found = (unknown_labels(name, one.labels) for name, one in self.scores.systems.items())
        return [*self.doubts, *(line for line in found if line is not None)]

    def to_json(self) -> dict[str, Any]:
        """The design's keys; ``tables``, ``extremes``, ``checks`` and ``warnings`` where there are some."""
        found = {"protocol": self.protocol.name, "signature": self.signature, **self.scores.to_json()}
        if tables := self.tables():
            found["tables"] = [
                {
                    "title": table.title,
                    "attributes": list(table.attributes),
                    "where": {name: list(wanted) for name, wanted in table.where.items()},
                    "systems": {
                        system: {cell.name: cell.to_json() for cell in self.cells(system, table)}
                        for system in self.scores.systems
                    },
                }
                for table in tables
            ]
        if ranked := self.extremes():
            found["extremes"] = {
                system: {
                    kind: [{"cell": dict(cell.values), **cell.to_json()} for cell in some]
                    for kind, some in kinds.items()
                }
                for system, kinds in ranked.items()
            }
        if self.checks:
            found["checks"] = list(self.checks)
        if warnings := self.warnings():
            found["warnings"] = warnings
        return found


def evaluate_spans(files: Files, protocol: Protocol, request: Request) -> SpanEvaluation:
    """Score one or more systems' spans, or the strings of their spans, as the protocol says.

    Every option that moves a number stands in the signature.
    """
    gold, loaded = _load(files, protocol, request)
    order = declared_values(protocol, files.gold)
    protocol = _as_asked(protocol, request)
    by = expanded(
        request.by or protocol.by,
        [name for name in order if order[name] and name in known_attributes(gold.items)],
    )
    contrasts = [Contrast(**shape.model_dump()) for shape in protocol.contrasts]
    scenario = None if request.scenario is None else parse_scenario(request.scenario)
    wanted = {name for crossing in by for name in crossing.split(":")}
    wanted |= {name for contrast in contrasts for name in (contrast.attribute, *contrast.same)}
    wanted |= set(scenario or {})
    where = None if request.where is None else parse_scenario(request.where)
    kept = _kept(gold.items, where or {})
    items = _with_attributes([gold.items[number] for number in kept], wanted, files, request)
    asked_for = [parse_contrast(text, items) for text in request.contrasts]
    contrasts += asked_for
    if faults := value_faults(protocol, items, order, file=gold.name):
        raise DataError(faults)
    systems = {
        name: match(items, _asked(gold.items, one.items, kept), gold_file=gold.name, file=one.name)
        for name, one in loaded.items()
    }
    if protocol.kind == "strings":
        systems = in_place_of_spans(systems)
    asked = [one_of(name, MATCHES, what="match") for name in request.matches]
    matches = list(dict.fromkeys([*protocol.matches, *asked]))
    scores = score_spans(
        systems=systems,
        choices=Choices(
            primary=protocol.primary,
            matches=matches,
            by=by,
            contrasts=contrasts,
            scenario=scenario,
            samples=request.samples,
            seed=request.seed,
            examples=request.examples,
            order=order,
        ),
        invalid={name: {"gold": gold.invalid, "predicted": one.invalid} for name, one in loaded.items()},
        comparable_tags=request.system_scheme in (None, request.options.scheme),
    )
    for contrast in asked_for:
        contrast.refuse_nothing(scores.units)
    tagged = any(item.tags is not None for item in items)
    line = signature(
        {
            "data": data_version(files.gold),
            "protocol": protocol.name,
            "split": request.options.split,
            "where": request.where,
            "scheme": request.options.scheme if tagged else None,
            "system_scheme": request.system_scheme if tagged else None,
            "invalid": request.options.invalid if tagged else None,
            "matched": next(iter(systems.values())).by,
            "samples": request.samples,
            "seed": request.seed,
        }
    )
    return SpanEvaluation(
        protocol=protocol,
        signature=line,
        scores=scores,
        checks=notices(protocol, scores, systems, order),
        order=order,
        doubts=[line for one in (gold, *loaded.values()) for line in _told(one)],
    )


def _told(loaded: Loaded) -> Iterator[str]:
    """The first doubts of a file, and how many more there are."""
    yield from map(str, loaded.doubts[:_TOLD_DOUBTS])
    if rest := len(loaded.doubts[_TOLD_DOUBTS:]):
        yield f"{loaded.name}: {rest} more of these"


def _as_asked(protocol: Protocol, request: Request) -> Protocol:
    """The protocol without what it shows by attribute where ``by`` or ``contrasts`` say what to show."""
    unwanted: dict[str, list[Any]] = {"tables": [], "contrasts": []} if request.by else {}
    if request.contrasts:
        unwanted["contrasts"] = []
    return protocol.model_copy(update=unwanted)


def _kept(items: Sequence[Item], where: Mapping[str, Sequence[str]]) -> list[int]:
    """The numbers of the gold items with one of the values wanted for each attribute."""
    of_item = item_attributes(items)
    for name, wanted in where.items():
        if name not in of_item:
            raise UsageError(unknown_attribute(name, of_item))
        if not set(wanted) & set(of_item[name]):
            raise UsageError(f"no item has {name}={'|'.join(wanted)}")
    return [
        number
        for number in range(len(items))
        if all(of_item[name][number] in wanted for name, wanted in where.items())
    ]


def _asked(gold: Sequence[Item], predicted: Sequence[Item], kept: Sequence[int]) -> Sequence[Item]:
    """The predictions for the kept items; those for items that were left out on purpose are no fault."""
    if len(kept) == len(gold):
        return predicted
    if all(item.id is not None for item in (*gold, *predicted)):
        left_out = {item.id for item in gold} - {gold[number].id for number in kept}
        return [item for item in predicted if item.id not in left_out]
    return [predicted[number] for number in kept] if len(predicted) == len(gold) else predicted


def _load(files: Files, protocol: Protocol, request: Request) -> tuple[Loaded, dict[str, Loaded]]:
    refuse_split(files.gold, request.options.split)
    load = load_strings if protocol.kind == "strings" else load_items
    if files.columns:
        if request.options.tag_column in files.columns.values():
            raise UsageError(
                f"column {request.options.tag_column} is the gold's: name other columns with --pred-column"
            )
        gold, *others = load_columns(
            files.gold, options=request.options, columns=[request.options.tag_column, *files.columns.values()]
        )
        return gold, dict(zip(files.columns, others, strict=True))
    gold_format = files.gold_format or format_of(files.gold, option="--gold-format")
    gold = load(files.gold, options=request.options, format=gold_format)
    texts = {item.id: item.text for item in gold.items if item.id is not None and item.text is not None}
    options = replace(request.options, texts=texts, regions=request.system_regions)
    if request.system_scheme is not None:
        options = replace(options, scheme=request.system_scheme)
    found = {}
    for name, path in files.systems.items():
        system_format = files.system_format or format_of(path, option="--pred-format")
        found[name] = load(path, options=options, format=system_format)
        if not found[name].items and any(doubt.code == "not_annotated" for doubt in found[name].doubts):
            other = next(key for key in REGIONS if key != request.system_regions)
            raise UsageError(f"{path}: no task has {request.system_regions}; say --pred-regions {other}")
    return gold, found


def expanded(by: Iterable[str], declared: Sequence[str]) -> list[str]:
    """Attributes as asked for, ``recipe`` replaced by all that are declared, each once.

    >>> expanded(["label", "recipe"], ["type", "label"])
    ['label', 'type']
    """
    found: dict[str, None] = {}
    for entry in by:
        found |= dict.fromkeys(declared if entry == RECIPE else (entry,))
    return list(found)


def _with_attributes(
    items: Sequence[Item], wanted: Iterable[str], files: Files, request: Request
) -> list[Item]:
    """Items with span attributes: from the table named, else automatic ones that are asked for."""
    if files.attributes is not None:
        rows = load_attribute_rows(files.attributes)
        return join_attributes(items, rows, file=str(files.attributes))
    return with_automatic(items, wanted, AutomaticOptions(language=request.language).known(files.gold))
