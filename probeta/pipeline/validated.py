"""Put a validation into a built set: annotations, gold, reports, card and checksums, all or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probeta import builtset
from probeta.errors import DataError, Fault, UsageError
from probeta.publishing import folder
from probeta.publishing.documents import documents
from probeta.publishing.folder import ConfigTables
from probeta.recipe import load_recipe
from probeta.tables import read_table
from probeta.validation.adjudication import publish
from probeta.validation.adjudication.run import Adjudicated
from probeta.validation.agreement.report import label_report
from probeta.validation.agreement.span_report import span_report
from probeta.validation.annotations import features as annotation_features
from probeta.validation.checks import files

if TYPE_CHECKING:
    import pyarrow as pa
    from datasets import Features

#: Kind of answer -> the config whose rows were annotated.
SOURCES = {"labels": "pairs", "spans": "sentences"}

#: The text fields of an item, by kind of answer.
TEXTS = {"labels": ("sentence_1", "sentence_2"), "spans": ("text",)}

ANNOTATIONS, VALIDATED = "annotations", "validated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """How annotators agreed to publication: a statement, and who did not agree."""

    statement: str
    refused: tuple[str, ...] = ()


def consent(statement: str | None, campaign: Path) -> Consent:
    """The consent to record; a UsageError without a statement.

    A column ``consent`` in the campaign's ``annotators.csv`` (``yes`` or ``no``) names who refused.
    """
    if not statement or not statement.strip():
        raise UsageError(
            "--into publishes what annotators wrote: say how they agreed to that, for instance "
            "--consent 'Signed forms, kept by the department'"
        )
    refused: list[str] = []
    listed = campaign / "annotators.csv"
    if campaign.is_dir() and listed.is_file():
        table = read_table(listed, required=("annotator",))
        if "consent" in table.columns:
            faults = [
                Fault(
                    code="consent",
                    message="the consent is neither yes nor no",
                    file=str(listed),
                    row=row.line,
                    column="consent",
                    expected="yes or no",
                    found=repr(row["consent"]),
                )
                for row in table
                if row["consent"] not in ("yes", "no")
            ]
            if faults:
                raise DataError(faults)
            refused = [row["annotator"] for row in table if row["consent"] == "no"]
    return Consent(statement=statement.strip(), refused=tuple(refused))


def into(built: Path, made: Adjudicated, agreed: Consent) -> dict[str, Any]:
    """Write the configs ``annotations`` and ``validated`` and the reports ``agreement`` and ``adjudication``.

    The set is written beside itself and takes its own place when it is whole; an earlier validation is
    replaced. Raises a DataError if the set's files are not those of its checksums, if an item is not in
    it, or if a text has changed. Returns the counts.
    """
    if not builtset.is_built_set(built):
        raise UsageError(f"{built} is no built set (`probeta build` writes one)")
    if faults := list(files.checksum_faults(built)):
        raise DataError(faults)
    kind = made.table.kind
    source = SOURCES[kind]
    recipe = load_recipe(built / "build")
    own, splits = _rows(built, source)
    publish.matched(made.ledger, own, _texts(made))
    names = publish.pseudonyms(made.table.rows)
    published = publish.annotation_rows(made.table.rows, names, refused=agreed.refused)
    validated = [publish.validated_row(own[entry.item], entry, kind) for entry in made.ledger.entries]
    features = publish.validated_features(_features(built, source), kind)
    agreement = (label_report if kind == "labels" else span_report)(made.table, made.choices)
    reports = {
        "agreement": with_names(agreement, names),
        "adjudication": _weights_named(made.report, names)
        | {
            "consent": {
                "statement": agreed.statement,
                "annotators": len(names),
                "left_out": len(set(agreed.refused) & set(names)),
            }
        },
    }
    tables = [
        ConfigTables(
            name=config,
            features=declared,
            splits={split: _table(part, declared) for split, part in _by_split(rows, splits, key).items()},
        )
        for config, rows, declared, key in (
            (ANNOTATIONS, published, annotation_features(), "item"),
            (VALIDATED, validated, features, "id"),
        )
    ]
    folder.add(
        built,
        folder.Contents(
            configs=tables,
            reports=reports,
            documents=lambda target, kept: documents(target, recipe, kept=kept),
        ),
    )
    return {
        "out": str(built),
        "annotations": len(published),
        "validated": len(validated),
        "kept": sum(entry.kept for entry in made.ledger.entries),
    }


def _rows(built: Path, config: str) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """The rows of a config by id, and the split of each."""
    own: dict[str, dict[str, Any]] = {}
    splits: dict[str, str] = {}
    for split in builtset.configs(built).get(config, []):
        for row in builtset.read(built, config, split).to_pylist():
            own[row["id"]] = row
            splits[row["id"]] = split
    if not own:
        raise UsageError(f"{built} has no config {config}, which holds what was annotated")
    return own, splits


def _features(built: Path, config: str) -> Features:
    import pyarrow.parquet as pq
    from datasets import Features

    path = next(iter(sorted((built / config).glob("*.parquet"))))
    return Features.from_arrow_schema(pq.read_schema(path))


def _texts(made: Adjudicated) -> dict[str, dict[str, Any]]:
    names = [name for name in TEXTS[made.table.kind] if name in made.table.items.columns]
    columns = {name: made.table.column(name, what="the texts") for name in names}
    return {
        entry.item: {name: values[entry.item] for name, values in columns.items()}
        for entry in made.ledger.entries
    }


def _by_split(
    rows: list[dict[str, Any]], splits: Mapping[str, str], key: str
) -> dict[str, list[dict[str, Any]]]:
    parts: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        parts.setdefault(splits[row[key]], []).append(row)
    return dict(sorted(parts.items()))


def _table(rows: list[dict[str, Any]], features: Features) -> pa.Table:
    import pyarrow as pa

    return pa.Table.from_pylist(rows, schema=features.arrow_schema)


def with_names(report: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The agreement report with published names for the annotators."""
    shown = dict(report)
    shown["annotators"] = dict(
        sorted((names.get(name, name), row) for name, row in report["annotators"].items())
    )
    shown["pairs"] = sorted(
        (
            pair | {"first": names.get(pair["first"], ""), "second": names.get(pair["second"], "")}
            for pair in report["pairs"]
        ),
        key=lambda pair: (pair["first"], pair["second"]),
    )
    if shown.get("reference") and "annotators" in shown["reference"]:
        rows = shown["reference"]["annotators"]
        shown["reference"] = dict(shown["reference"]) | {
            "annotators": dict(sorted((names.get(name, name), row) for name, row in rows.items()))
        }
    return shown


def _weights_named(report: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    details = dict(report["aggregation"])
    if "weights" in details:
        details["weights"] = dict(
            sorted((names[name], weight) for name, weight in details["weights"].items())
        )
    return dict(report) | {"aggregation": details}
