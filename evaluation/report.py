"""Scores on disk: ``reports/scores.json``, the heat maps beside it, and cells for a projection."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from probeta import atomic, builtset, tables
from probeta.errors import UsageError
from probeta.evaluation.cells import CROSS, attributes_named
from probeta.evaluation.counts import Counts
from probeta.evaluation.evaluate import CellTable, SpanEvaluation
from probeta.evaluation.evaluate_pairs import PairEvaluation
from probeta.evaluation.heatmap import Tile, heat_map, rate_tile

#: Of ``reports/scores.json``; raised when a key changes its meaning.
SCHEMA_VERSION = 1

#: The report and its heat maps, in the folder ``reports``.
SCORES, MAPS = "scores.json", "scores.svg"


Say = Callable[[str], str]


@functools.cache
def _content(language: str) -> Mapping[str, Mapping[str, str]]:
    """The words of a map besides names, and the names of rows that are no values of the data; empty for English."""
    import yaml

    text = (files("probeta.templates") / "card" / "maps.yaml").read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, str]] = yaml.safe_load(text).get(language, {})
    return found


def _speaker(language: str) -> Say:
    words = _content(language).get("words")
    return str if words is None else words.__getitem__


def _in_spanish(tile: Tile) -> Tile:
    """A tile as Spanish writes it: a decimal comma, and words for rows that are no values of the data."""
    name, bracket, rest = tile.row.rpartition(" (")
    row = f"{_content('es')['rows'].get(name, name)}{bracket}{rest}"
    return tile._replace(row=row, shown=tile.shown.replace(".", ","))


def maps_name(language: str) -> str:
    """The file of the maps in a language.

    >>> maps_name("en"), maps_name("es")
    ('scores.svg', 'scores.es.svg')
    """
    return MAPS if language == "en" else f"scores.{language}.svg"


def report_files(
    found: SpanEvaluation | PairEvaluation, *, by: Sequence[str] = (), languages: Sequence[str] = ("en",)
) -> dict[str, str]:
    """The report and its maps, one in each language, by their name in the folder ``reports``."""
    report = {"schema_version": SCHEMA_VERSION, **found.to_json()}
    made = {SCORES: json.dumps(report, ensure_ascii=False, indent=2, allow_nan=False) + "\n"}
    for language in languages:
        say = _speaker(language)
        groups = span_maps(found, by, say) if isinstance(found, SpanEvaluation) else pair_maps(found, say)
        if language == "es":
            groups = {heading: [_in_spanish(tile) for tile in tiles] for heading, tiles in groups.items()}
        if groups:
            data = found.signature.partition("|")[0].removeprefix("data:").partition("@")[0]
            title = say("{protocol} on {data}, percent; in brackets what there is to find")
            made[maps_name(language)] = heat_map(
                groups, title=title.format(protocol=found.protocol.name, data=data), note=found.signature
            )
    return made


def write_report(out: Path, found: SpanEvaluation | PairEvaluation, *, by: Sequence[str] = ()) -> list[str]:
    """Write ``out/reports/scores.json`` and ``scores.svg``, both or nothing; what was written is returned.

    The maps of an earlier report do not outlive it. ``out`` may not be or stand in a built set, whose card
    shows its scores: ``probeta.pipeline.scored`` writes there.
    """
    builtset.refuse_inside(out / "reports")
    texts = report_files(found, by=by)
    with atomic.changed(out / "reports") as folder:
        for name in (SCORES, MAPS):
            (folder / name).unlink(missing_ok=True)
        for name, text in texts.items():
            atomic.write_text(folder / name, text)
    return [f"reports/{name}" for name in texts]


def span_maps(found: SpanEvaluation, by: Sequence[str] = (), say: Say = str) -> dict[str, list[Tile]]:
    """A map for each table, cells down and systems across, and one by label where there are several.

    It shows F1 if that is what the protocol ranks by and what the predictions' attributes allow, else recall.
    None is drawn if no attribute was asked for.
    """
    systems = found.scores.systems
    groups: dict[str, list[Tile]] = {}
    for table in cell_tables(found, by):
        found_cells = [(system, cell) for system in systems for cell in found.cells(system, table)]
        measure = _measure(found, [cell.counts for _, cell in found_cells])
        groups[_by(say, _TITLES[measure], _heading(table))] = [
            rate_tile(
                ", ".join(cell.values.values()),
                system,
                getattr(cell.counts, measure),
                support=cell.counts.gold,
            )
            for system, cell in found_cells
        ]
    labelled = [
        (name, label, counts) for name, one in systems.items() for label, counts in one.labels.items()
    ]
    if groups and len({label for _, label, _ in labelled}) > 1:
        measure = _measure(found, [counts for _, _, counts in labelled])
        groups.setdefault(
            _by(say, _TITLES[measure], say("label")),
            [
                rate_tile(label, name, getattr(counts, measure), support=counts.gold)
                for name, label, counts in labelled
            ],
        )
    return {heading: tiles for heading, tiles in groups.items() if tiles}


_TITLES = {"f1": "F1", "recall": "recall"}


def _by(say: Say, measure: str, attributes: str) -> str:
    return say("{measure} by {attributes}").format(measure=say(measure), attributes=attributes)


def _measure(found: SpanEvaluation, counts: Sequence[Counts]) -> str:
    known = all(one.predicted is not None for one in counts)
    return "f1" if found.protocol.primary == "f1" and known else "recall"


def pair_maps(found: PairEvaluation, say: Say = str) -> dict[str, list[Tile]]:
    """Each system's confusion matrix, in percent of the gold class, then accuracy by attribute and part."""
    groups: dict[str, list[Tile]] = {}
    for system, scores in found.systems.items():
        classes = scores.overall.classes()
        heading = say("{system}: gold down, predicted across, percent of the gold class")
        groups[heading.format(system=system)] = [
            Tile(
                f"{gold} ({counts.gold})",
                predicted,
                count / counts.gold if counts.gold else None,
                f"{count} ({100 * count / counts.gold:.0f} %)" if counts.gold else str(count),
            )
            for gold, counts in classes.items()
            for predicted in classes
            for count in [scores.overall.confusion.get((gold, predicted), 0)]
        ]
    first = next(iter(found.systems.values()))
    for name in first.by:
        groups[_by(say, "accuracy", " x ".join(attributes_named(name)))] = [
            rate_tile(value.replace(CROSS, ", "), system, part.accuracy, support=part.support)
            for system, scores in found.systems.items()
            for value, part in scores.by[name].items()
        ]
    parts = [
        rate_tile(name, system, part.accuracy, support=part.support)
        for system, scores in found.systems.items()
        for name, part in scores.parts.items()
    ]
    return groups | ({_by(say, "accuracy", say("part")): parts} if parts else {})


def _heading(table: CellTable) -> str:
    """The attributes of a table, and what it is restricted to.

    >>> _heading(CellTable("By type", ("type", "quotes"), {"casing": ["standard"]}))
    'type x quotes (casing=standard)'
    """
    where = ", ".join(f"{name}={'|'.join(wanted)}" for name, wanted in table.where.items())
    return " x ".join(table.attributes) + (f" ({where})" if where else "")


def cell_tables(found: SpanEvaluation, by: Sequence[str] = ()) -> list[CellTable]:
    """The protocol's tables and those of ``by``; without either, of every attribute that was scored."""
    tables = found.tables()
    named = by or ([] if tables else list(next(iter(found.scores.systems.values())).by))
    return tables + [CellTable(name, attributes_named(name), {}) for name in named]


def write_cells(path: Path, found: SpanEvaluation, *, by: Sequence[str] = ()) -> None:
    """Write recall per cell as `probeta predict --recalls` reads it; a blank attribute is any value.

    Raises a UsageError where no attribute makes cells, or where there is no span to be found.
    """
    wanted = cell_tables(found, by)
    if not wanted:
        raise UsageError(
            f"the protocol {found.protocol.name} has no cells of its own: name attributes, "
            "for instance --by casing:quotes"
        )
    rows = list(_cell_rows(found, wanted))
    if not rows:
        raise UsageError("the gold has no span, so there is no recall to write")
    builtset.refuse_inside(path)
    columns = dict.fromkeys(name for row in rows for name in row)
    ordered = ["system", *(name for name in columns if name not in ("system", "n", "recall")), "n", "recall"]
    tables.write_table(path, columns=ordered, rows=rows)


def _cell_rows(found: SpanEvaluation, wanted: Sequence[CellTable]) -> Iterator[Mapping[str, object]]:
    for system in found.scores.systems:
        for table in wanted:
            fixed = {name: values[0] for name, values in table.where.items() if len(values) == 1}
            for cell in found.cells(system, table):
                if cell.counts.gold:
                    counts = {"n": cell.counts.gold, "recall": cell.counts.recall}
                    yield {"system": system, **fixed, **cell.values, **counts}
