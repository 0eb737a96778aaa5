"""From a file to gold: what the command ``probeta adjudicate`` calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from probeta import atomic
from probeta.errors import UsageError, one_of
from probeta.signature import signature
from probeta.tables import write_table
from probeta.validation.adjudication.decide import (
    LABEL_METHODS,
    SPAN_METHODS,
    decide_labels,
    decide_spans,
)
from probeta.validation.adjudication.decisions import Decisions, as_spans, decisions
from probeta.validation.adjudication.ledger import LEDGER_COLUMNS, Entry, Ledger
from probeta.validation.adjudication.rounds import SCOPES, conflicts, disagreements, merge
from probeta.validation.adjudication.rules import REASONS, KeepRule
from probeta.validation.adjudication.tables import retention, sum_faults, table
from probeta.validation.aggregation.spans import conflicts as span_conflicts
from probeta.validation.agreement.coded import Coded
from probeta.validation.agreement.coefficients import krippendorff_alpha
from probeta.validation.agreement.intervals import Interval
from probeta.validation.agreement.reference import reference_codes
from probeta.validation.agreement.report import ORIGINAL, Choices, code, item_groups, references
from probeta.validation.agreement.run import write_report
from probeta.validation.agreement.span_report import read_answers, tokenizer
from probeta.validation.agreement.spans import span_f1
from probeta.validation.agreement.study import Study
from probeta.validation.annotations import Annotations, Source, folding, read_source, refuse

SCHEMA_VERSION = 1

#: A table by this item column is made where none is asked for and it is there.
GENRE = "genre"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjudicateOptions(Source):
    """The command's options, as given."""

    rule: str | None = None
    votes: str = "majority"
    ties: str = "drop"
    abstentions: str = "ignore"
    at_least: int = 2
    method: str | None = None
    decisions: Path | None = None
    without_decisions: bool = False
    conflicts: str = "undecided"
    resamples: int = 1000
    seed: int = 0
    out: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudicated:
    """The ledger, the report, and what they were made from; ``clashes`` are where spans differ, ``out`` is
    the folder that was written."""

    ledger: Ledger
    report: dict[str, Any]
    table: Annotations
    choices: Choices
    clashes: Sequence[Mapping[str, Any]] = ()
    out: Path | None = None


def run(options: AdjudicateOptions) -> Adjudicated:
    """Read, decide, report, and write where asked for (in a campaign folder always)."""
    made = adjudicate(options)
    out = options.out
    if out is None and options.annotations.is_dir():
        out = options.annotations / "adjudication"
    if out is not None:
        write(out, made, scope=options.conflicts)
    return replace(made, out=out)


def adjudicate(options: AdjudicateOptions) -> Adjudicated:
    """The ledger and the report, nothing written."""
    for value, known, what in (
        (options.votes, ("majority", "plurality"), "votes"),
        (options.ties, ("drop", "keep"), "policy for ties"),
        (options.abstentions, ("ignore", "count"), "policy for abstentions"),
        (options.conflicts, SCOPES, "scope of conflicts"),
    ):
        one_of(value, known, what=what)
    fold = folding(options.fold)
    table = read_source(options)
    refuse(
        table,
        "labels",
        {"--votes": options.votes != "majority", "--abstentions": options.abstentions != "ignore"},
    )
    refuse(table, "spans", {"--language": options.language is not None})
    reference = options.reference
    if reference is None and ORIGINAL in table.items.columns:
        reference = ORIGINAL
    name = options.rule or ("votes_agree" if reference is None else "original_matches_votes")
    one_of(name, ("original_matches_votes", "votes_agree"), what="rule")
    if name == "original_matches_votes" and reference is None:
        raise UsageError(
            f"{table.name}: the rule {name} needs the original label: name its item column (--reference)"
        )
    rule = KeepRule(
        name=cast(Any, name),
        votes=cast(Any, options.votes),
        ties=cast(Any, options.ties),
        abstentions=cast(Any, options.abstentions),
        at_least=options.at_least,
    )
    choices = Choices(
        labels=options.labels,
        fold=fold,
        missing=options.missing,
        duplicates=cast(Any, options.duplicates),
        interval=Interval(resamples=options.resamples, seed=options.seed),
        by=options.by or ((GENRE,) if GENRE in table.items.columns else ()),
        reference=reference,
        language=options.language,
    )
    method = options.method or ("exact" if table.kind == "spans" else "votes")
    one_of(method, SPAN_METHODS if table.kind == "spans" else LABEL_METHODS, what="method")
    if options.language is not None and method != "tokens":
        raise UsageError(f"--language is for the method tokens, and the method is {method}")
    made = decisions(
        options.annotations,
        named=options.decisions,
        without=options.without_decisions,
        kind=table.kind,
        fold=fold,
    )
    return (_spans if table.kind == "spans" else _labels)(table, choices, rule, method, made)


def _labels(
    table: Annotations, choices: Choices, rule: KeepRule, method: str, made: Decisions
) -> Adjudicated:
    coded = code(table, choices, clusters=None)
    originals = references(table, choices, what="the original label")
    if coded.declared and choices.reference is not None:
        # An original label of another set could be confirmed by no vote.
        reference_codes(coded, originals, column=choices.reference, file=table.name)
    ledger = decide_labels(
        coded, rule=rule, method=method, originals=originals, abstained=_abstained(table, choices, coded)
    )
    ledger = _merged(ledger, made)

    def alpha(members: Sequence[int]) -> dict[str, Any]:
        part = coded.select(np.asarray(members, dtype=np.intp))
        return krippendorff_alpha(Study(part, interval=choices.interval)).to_json()

    reliability = _reliability(ledger, "krippendorff_alpha", alpha)
    report = _report(ledger, table, choices, reliability, made, alpha)
    return Adjudicated(ledger=ledger, report=report, table=table, choices=choices)


def _merged(ledger: Ledger, made: Decisions) -> Ledger:
    return merge(ledger, made.answers, adjudicators=made.adjudicators, file=made.file)


def _abstained(table: Annotations, choices: Choices, coded: Coded) -> dict[str, tuple[str, ...]]:
    """Per item, the annotators who answered without a label: skipped, empty, or a missing token."""
    rows = table.rows
    found: dict[str, set[str]] = {}
    for item, rater, label, status in zip(
        rows["item"], rows["annotator"], rows["label"], rows["status"], strict=True
    ):
        if status != "answered" or label in choices.missing:
            found.setdefault(item, set()).add(rater)
    place = {item: position for position, item in enumerate(coded.items)}
    column = {rater: position for position, rater in enumerate(coded.raters)}
    return {
        item: tuple(sorted(rater for rater in raters if coded.codes[place[item], column[rater]] < 0))
        for item, raters in found.items()
    }


def _spans(table: Annotations, choices: Choices, rule: KeepRule, method: str, made: Decisions) -> Adjudicated:
    answers, _ = read_answers(table, choices)
    originals = {
        item: None if spans is None else as_spans(spans)
        for item, spans in references(table, choices, what="the original spans").items()
    }
    tokenize = tokenizer(table, choices) if method == "tokens" else None
    ledger = decide_spans(answers, rule=rule, method=method, originals=originals, tokenize=tokenize)
    ledger = _merged(ledger, made)

    def f1(members: Sequence[int]) -> dict[str, Any]:
        return span_f1(answers.select(members), interval=choices.interval).to_json()

    reliability = _reliability(ledger, "span_f1", f1)
    report = _report(ledger, table, choices, reliability, made, None)
    clashes = span_conflicts(answers)
    report["conflicts"] = {
        kind: sum(clash["kind"] == kind for clash in clashes) for kind in ("boundary", "label", "missing")
    }
    return Adjudicated(ledger=ledger, report=report, table=table, choices=choices, clashes=clashes)


def _reliability(
    ledger: Ledger, measure: str, value: Callable[[Sequence[int]], dict[str, Any]]
) -> dict[str, Any]:
    """The measure over all items, and beside it over those that are kept."""
    return {
        "measure": measure,
        "unfiltered": value(range(len(ledger.entries))),
        "kept_only": value([position for position, entry in enumerate(ledger.entries) if entry.kept]),
        "note": "kept_only is inflated: the items were chosen for agreement; quote the unfiltered value",
    }


def _report(
    ledger: Ledger,
    table_of: Annotations,
    choices: Choices,
    reliability: Mapping[str, Any],
    made: Decisions,
    alpha: Any,
) -> dict[str, Any]:
    entries = ledger.entries
    total = retention(entries, ledger)
    groups = {}
    if choices.reference is not None and ledger.kind == "labels":
        groups["class"] = _by_original(entries)
    for column in choices.by:
        groups[column] = item_groups(table_of, column, [entry.item for entry in entries])
    tables = {name: table(ledger, members, alpha=alpha) for name, members in groups.items()}
    faults = sum_faults(tables, total)
    if faults:
        raise AssertionError(f"tables that partition the items must add up: {faults[0]}")
    by_reason: dict[str, int] = {}
    for entry in entries:
        by_reason[entry.reason] = by_reason.get(entry.reason, 0) + 1
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": ledger.kind,
        "signature": signature(
            {
                "rule": ledger.rule.name,
                "votes": ledger.rule.votes if ledger.kind == "labels" else None,
                "ties": ledger.rule.ties,
                "abstentions": ledger.rule.abstentions if ledger.kind == "labels" else None,
                "at_least": ledger.rule.at_least,
                "method": ledger.method,
                "decisions": len(made.answers) or None,
                "resamples": choices.interval.resamples,
                "seed": choices.interval.seed,
            }
        ),
        "notes": [*table_of.notes, *made.notes],
        "rule": ledger.rule.text(),
        "method": ledger.method,
        "aggregation": dict(ledger.details),
        "items": total["sent"],
        "kept": total["kept"],
        "ties": total["ties"],
        "retention": total["retention"],
        "low": total["low"],
        "high": total["high"],
        "chance_retention": total["chance_retention"],
        "decisions": {
            "items": len(made.answers),
            "kept": sum(entry.kept for entry in entries if entry.item in made.answers),
        },
        "by_reason": dict(sorted(by_reason.items())),
        "reasons": {reason: REASONS[reason] for reason in sorted(by_reason)},
        "gold": _gold_counts(entries, ledger),
        "tables": tables,
        "reliability": dict(reliability),
        "disagreements": len(disagreements(ledger)),
    }


def _by_original(entries: Sequence[Entry]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for position, entry in enumerate(entries):
        groups.setdefault("(none)" if entry.original is None else str(entry.original), []).append(position)
    return dict(sorted(groups.items()))


def _gold_counts(entries: Sequence[Entry], ledger: Ledger) -> dict[str, int]:
    """How often each label is gold among the kept items."""
    counts = dict.fromkeys(ledger.labels, 0)
    for entry in entries:
        if entry.kept and entry.gold is not None:
            for label in [entry.gold] if ledger.kind == "labels" else [span[2] for span in entry.gold]:
                counts[label] += 1
    return counts


def write(out: Path, made: Adjudicated, *, scope: str = "undecided") -> None:
    """Write the ledger, the gold, the lists and the report into the folder ``out``, whole.

    ``disagreements.csv`` is for the annotators, ``conflicts.jsonl`` for adjudicators: votes blinded.
    """
    import json

    if out.exists() and not (out / "adjudication.json").is_file() and any(out.iterdir()):
        raise UsageError(f"{out} exists and holds no adjudication; choose another folder")
    with atomic.folder(out) as folder:
        quoted = marked_texts(made.table)
        spans = made.ledger.kind == "spans"
        write_table(
            folder / "ledger.csv",
            columns=(*LEDGER_COLUMNS, *(("offsets",) if spans else ())),
            rows=[
                entry.row(quoted.get(entry.item)) | ({"offsets": entry.offsets()} if spans else {})
                for entry in made.ledger.entries
            ],
        )
        rows = disagreements(made.ledger, quoted)
        columns = ("item", *_text_columns(made.table), "votes", "state", "gold")
        texts = {name: made.table.column(name, what="the list") for name in _text_columns(made.table)}
        write_table(
            folder / "disagreements.csv",
            columns=columns,
            rows=[row | {name: texts[name][row["item"]] for name in texts} for row in rows],
        )
        gold = [
            json.dumps(
                gold_row(entry, made.ledger.kind, item_row(made.table, entry.item)), ensure_ascii=False
            )
            for entry in made.ledger.entries
            if entry.kept
        ]
        (folder / "gold.jsonl").write_text(
            "".join(line + "\n" for line in gold), encoding="utf-8", newline="\n"
        )
        blind = conflicts(made.ledger, scope=scope, seed=made.choices.interval.seed, texts=quoted)
        (folder / "conflicts.jsonl").write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in blind),
            encoding="utf-8",
            newline="\n",
        )
        if spans:
            (folder / "span-conflicts.jsonl").write_text(
                "".join(json.dumps(clash, ensure_ascii=False) + "\n" for clash in made.clashes),
                encoding="utf-8",
                newline="\n",
            )
        write_report(folder / "adjudication.json", made.report)


def item_row(table: Annotations, item: str) -> dict[str, Any]:
    """What the table knows of an item by itself: its texts, attributes and original label."""
    if item not in table.items.index:
        return {}
    row = table.items.loc[item].to_dict()
    return {str(name): None if value is None or value != value else value for name, value in row.items()}


def gold_row(entry: Entry, kind: str, own: Mapping[str, Any]) -> dict[str, Any]:
    """A kept item of ``gold.jsonl``: its own columns, its label or its spans, with the votes.

    So ``convert`` and ``score`` read it; ``item`` is its ``id``, under the name that annotations have.
    """
    votes = {vote: len(who) for vote, who in sorted(entry.votes.items())}
    row = {"id": entry.item, "item": entry.item, **({"text": own["text"]} if "text" in own else {})}
    if kind == "labels":
        row["label"] = entry.gold
    else:
        row["spans"] = [
            {"start": start, "end": end, "label": label} for start, end, label in entry.gold or ()
        ]
    further = {name: value for name, value in own.items() if name not in row}
    return {**row, **further, "votes": votes, "reason": entry.reason}


def marked_texts(table: Annotations) -> dict[str, str]:
    """The texts by item from which spans are quoted; none where labels were given or no text is known."""
    if table.kind != "spans" or "text" not in table.items.columns:
        return {}
    texts = table.column("text", what="the quotations")
    return {item: text for item, text in texts.items() if isinstance(text, str)}


def _text_columns(table: Annotations) -> list[str]:
    return [name for name in ("text", "sentence_1", "sentence_2") if name in table.items.columns]
