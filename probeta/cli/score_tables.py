"""Scores as tables for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from probeta.cli.tabular import percent, print_table, ranged
from probeta.evaluation.cells import CROSS, Cell, attributes_named
from probeta.evaluation.counts import Counts, macro
from probeta.evaluation.intervals import NO_INTERVAL, wilson
from probeta.evaluation.protocol import TableShape

if TYPE_CHECKING:
    from probeta.evaluation.compare import Difference
    from probeta.evaluation.evaluate import CellTable, SpanEvaluation
    from probeta.evaluation.evaluate_pairs import PairEvaluation
    from probeta.evaluation.nli import Classified
    from probeta.evaluation.scoring import SystemScores
    from probeta.evaluation.units import Units

_TITLES = {
    "precision": "P",
    "recall": "R",
    "f1": "F1",
    "token_accuracy": "token acc",
    "token_f1": "token F1",
    "accuracy": "accuracy",
    "macro_f1": "macro F1",
}


def print_spans(found: SpanEvaluation) -> None:
    """Everything that was computed, the overall scores first, the signature last."""
    systems = found.scores.systems
    protocol = found.protocol
    measures = [name for name in protocol.columns if _shown(name, systems.values())]
    rows = []
    for name, one in systems.items():
        interval = one.intervals.get(found.scores.primary)
        rows.append(
            [
                name,
                *_counts(one.overall),
                *(percent(_measure(one, measure)) for measure in measures),
                ranged(interval),
                *([f"#{found.scores.ranks[name]}"] if len(systems) > 1 else []),
            ]
        )
    titles = [_TITLES[measure] for measure in measures]
    last = [f"95 % of {_TITLES[found.scores.primary]}", *(["rank"] if len(systems) > 1 else [])]
    header = ["system", "gold", "predicted", "correct", *titles, *last]
    print_table(f"{protocol.title} (micro, percent)", header, rows)
    _print_no_interval(
        _measure(one, found.scores.primary) is not None and one.intervals.get(found.scores.primary) is None
        for one in systems.values()
    )
    _print_labels(found)
    _print_matches(systems.values())
    for shape, table in zip(protocol.tables, found.tables(), strict=True):
        _print_shape(found, shape, table)
    shown = {CROSS.join([*table.rows, *table.columns]) for table in protocol.tables if not table.where}
    for crossing in next(iter(systems.values())).by:
        if crossing not in shown:
            _print_by(found, crossing)
    _print_extremes(found)
    _print_false_alarms(systems.values())
    _print_paired(systems.values())
    _print_comparison(found)
    if any(one.by or one.paired for one in systems.values()) or protocol.tables or found.scores.scenario:
        print(f"\n{_method(found.scores.units)}")
    _print_examples(systems.values())
    for check in found.checks:
        _print_check(check)
    for note in protocol.notes:
        print(f"\n{note}")
    for name, one in systems.items():
        if any(one.invalid.values()):
            print(f"\n{name}: tags that break the scheme: {_listed(one.invalid)}")
    print(f"\n{found.signature}")


def _print_no_interval(missing: Iterable[bool]) -> None:
    """Why a score that is there has no interval."""
    if any(missing):
        print(f"no interval: the score is {NO_INTERVAL}")


def _shown(measure: str, systems: Iterable[SystemScores]) -> bool:
    return not measure.startswith("token_") or any(one.tokens is not None for one in systems)


def _measure(one: SystemScores, measure: str) -> float | None:
    if measure == "token_accuracy":
        return None if one.tokens is None else one.tokens.accuracy()
    if measure == "token_f1":
        return None if one.tokens is None else one.tokens.labelled().f1
    value: float | None = getattr(one.overall, measure)
    return value


def _counts(counts: Counts) -> list[str]:
    predicted = "-" if counts.predicted is None else str(counts.predicted)
    return [str(counts.gold), predicted, str(counts.correct)]


def _print_labels(found: SpanEvaluation) -> None:
    wanted = found.protocol.label_columns or found.protocol.columns
    measures = [name for name in wanted if not name.startswith("token_")]
    rows = []
    for name, one in found.scores.systems.items():
        if len(one.labels) < 2 and found.protocol.label_columns is None:
            continue
        for label, counts in one.labels.items():
            rows.append(
                [name, label, *_counts(counts), *(percent(getattr(counts, item)) for item in measures)]
            )
        means = macro(one.labels)
        rows.append([name, "macro mean", "", "", "", *(percent(means[item]) for item in measures)])
    if rows:
        header = ["system", "label", "gold", "predicted", "correct", *(_TITLES[item] for item in measures)]
        print_table("By label", header, rows, words=2)


def _print_matches(systems: Iterable[SystemScores]) -> None:
    """Counts first: SemEval's five, of which untyped spans have three."""
    rows = []
    for one in systems:
        for match, counts in one.matches.items():
            if isinstance(counts, Counts):
                missed, spurious = counts.gold - counts.correct, (counts.predicted or 0) - counts.correct
                five = [str(counts.correct), "", "", str(missed), str(spurious)]
            else:
                five = [str(getattr(counts, name)) for name in _SEMEVAL]
            scores = (counts.precision, counts.recall, counts.f1)
            rows.append([one.name, match, *five, *map(percent, scores)])
    if rows:
        print_table("Other matches", ["system", "match", *_SEMEVAL, "P", "R", "F1"], rows, words=2)


_SEMEVAL = ("correct", "incorrect", "partial", "missed", "spurious")


def _print_shape(found: SpanEvaluation, shape: TableShape, table: CellTable) -> None:
    """Values of ``rows`` down, each system's values of ``columns`` across: recall."""
    units = found.scores.units
    rates: dict[tuple[str, tuple[str, ...]], Cell] = {}
    for system in units.systems:
        for cell in found.cells(system, table):
            rates[system, tuple(cell.values.values())] = cell
    keys = list(dict.fromkeys(key for _, key in rates))
    rows = list(dict.fromkeys(key[: len(shape.rows)] for key in keys))
    across = list(dict.fromkeys(key[len(shape.rows) :] for key in keys))
    first = next(iter(units.systems))
    lines = []
    for row in rows:
        support = sum(
            rates[first, (*row, *column)].counts.gold
            for column in across
            if (first, (*row, *column)) in rates
        )
        line = [*row, str(support)]
        for system, column in product(units.systems, across):
            found_cell = rates.get((system, (*row, *column)))
            line.append(percent(None if found_cell is None else found_cell.counts.recall))
        lines.append(line)
    header = [f"{system} {CROSS.join(column)}".strip() for system, column in product(units.systems, across)]
    where = ", ".join(f"{name}={'|'.join(wanted)}" for name, wanted in shape.where.items())
    title = f"{shape.title}{f' ({where})' if where else ''}: recall"
    print_table(title, [*shape.rows, "n", *header], lines, words=len(shape.rows))


def _print_by(found: SpanEvaluation, crossing: str) -> None:
    systems = found.scores.systems
    names = attributes_named(crossing)
    rows = []
    for name, one in systems.items():
        accuracies = one.token_accuracy_by.get(crossing, {})
        for cell in one.by[crossing]:
            gap = "-" if cell.gap is None else f"{100 * cell.gap:+z.2f}"
            rows.append(
                [
                    name,
                    *cell.values.values(),
                    *_counts(cell.counts),
                    percent(cell.counts.recall),
                    ranged(cell.interval),
                    gap,
                    ranged(cell.gap_interval),
                    percent(cell.counts.precision),
                    percent(cell.counts.f1),
                    *([percent(accuracies.get(cell.name))] if accuracies else []),
                ]
            )
    header = ["system", *names, "gold", "predicted", "correct", "R", "95 %", "gap to the rest", "95 %"]
    with_tokens = any(crossing in one.token_accuracy_by for one in systems.values())
    header += ["P", "F1", *(["token acc"] if with_tokens else [])]
    print_table(f"By {' x '.join(names)}", header, rows, words=1 + len(names))


def _print_extremes(found: SpanEvaluation) -> None:
    """Worst and best cells of the finest table, where it has enough cells to choose from."""
    table = found.finest()
    rows = []
    for system, kinds in found.extremes().items():
        for kind, ranked in kinds.items():
            for cell in ranked:
                rate, n = percent(cell.counts.recall), str(cell.counts.gold)
                rows.append([system, kind, cell.name, n, rate, ranged(cell.interval)])
    if rows and table is not None:
        header = ["system", "", CROSS.join(table.attributes), "n", "R", "95 %"]
        print_table("Worst and best cells", header, rows, words=3)


def _print_false_alarms(systems: Iterable[SystemScores]) -> None:
    """Of sentences in which there is nothing to find, where something was found: all, then by attribute."""
    rows = []
    for one in systems:
        alarms = one.false_alarms
        if alarms is None:
            continue
        parts = [("", alarms)]
        for crossing, by_value in alarms.by.items():
            parts += [(f"{crossing}={value}", part) for value, part in by_value.items()]
        rows += [
            [one.name, part, str(of.sentences), str(of.alarms), percent(of.rate), ranged(of.interval)]
            for part, of in parts
        ]
    if rows:
        header = ["system", "", "sentences", "with a prediction", "rate", "95 %"]
        print_table("False alarms: sentences without gold", header, rows, words=2)


def _print_paired(systems: Iterable[SystemScores]) -> None:
    rows = []
    for one in systems:
        for result in one.paired:
            difference = "-" if result.difference is None else f"{100 * result.difference:+z.2f}"
            rows.append(
                [
                    one.name,
                    f"{result.attribute}: {result.value} against {result.against}",
                    str(result.pairs),
                    str(result.only_value),
                    str(result.only_against),
                    difference,
                    ranged(result.interval),
                    "-" if result.p_value is None else f"{result.p_value:.2g}",
                    str(result.unpaired),
                ]
            )
    if rows:
        header = ["system", "contrast", "pairs", "only first", "only second", "difference", "95 %"]
        print_table(
            "Paired differences of recall",
            [*header, "p", "unpaired"],
            rows,
            words=2,
        )


def _method(units: Units) -> str:
    """How intervals and tests by attribute were made, and of how many clusters."""
    together = units.together
    made = (
        "intervals by attribute: Wilson's (rates), Newcombe's (gaps), Bonett and Price's (paired differences)"
    )
    if together.single:
        return f"{made}; p: McNemar's exact test"
    number = together.numbers
    clusters = f"{number['base_sentences']} {'base ' if units.copied else ''}sentences"
    if units.copied:
        clusters += f" with {number['words']} different words"
    return f"{made}\nby cluster: {len(units)} spans are of {clusters}; p: exact, whole clusters change sides"


def _print_differences(differences: Sequence[Difference], primary: str, *, drawn: str) -> None:
    """Every pair of systems, if there are several; ``drawn`` says what the bootstrap draws."""
    rows = [
        [
            one.first,
            one.second,
            "-" if one.value is None else f"{100 * one.value:+z.2f}",
            ranged(one.interval),
            "-" if one.p_value is None else f"{one.p_value:.3f}",
        ]
        for one in differences
    ]
    if rows:
        title = f"Differences of {_TITLES[primary]} (bootstrap over {drawn})"
        print_table(title, ["first", "second", "difference", "95 %", "p"], rows, words=2)


def _print_comparison(found: SpanEvaluation) -> None:
    scores = found.scores
    _print_differences(scores.differences, scores.primary, drawn="base sentences")
    if scores.scenario is not None:
        where = ", ".join(f"{name}={'|'.join(wanted)}" for name, wanted in scores.scenario.where.items())
        rows = [
            [
                name,
                percent(scores.scenario.rates[name]),
                ranged(scores.scenario.intervals.get(name)),
                percent(scores.scenario.best_probability[name]),
            ]
            for name in scores.scenario.ordered()
        ]
        best = scores.scenario.best
        verdict = f"best is {' and '.join(best)}" if best else "no system finds any"
        title = f"Scenario {where}, {scores.scenario.support} spans: {verdict}"
        print_table(title, ["system", "R", "95 %", "best in % of samples"], rows)


def _print_examples(systems: Iterable[SystemScores]) -> None:
    for one in systems:
        for kind, rows in one.examples.items():
            print(f"\n{one.name}, {kind}:{'' if rows else ' none'}")
            for row in rows:
                print(f"  {row['item']}: {_marked(row)}")


def _marked(row: Mapping[str, Any]) -> str:
    """The example's text with its span in brackets; a string is looked for, and may stand nowhere."""
    text, label = str(row["text"]), f"{{{row['label']}}}" if row["label"] else ""
    if "start" in row:
        start, end = int(row["start"]), int(row["end"])
    elif found := re.search(re.escape(str(row["span"])), text, re.IGNORECASE):
        start, end = found.span()
    else:
        return f"[[{row['span']}]] in: {text}"
    return f"{text[:start]}[[{text[start:end]}]]{label}{text[end:]}"


def _print_check(check: Mapping[str, object]) -> None:
    print(f"\n{check['system']}, {check['check']}: {check['message']}")
    counts, rates, absent = check.get("counts"), check.get("f1"), check.get("absent")
    if isinstance(counts, Mapping):
        print(f"  {_listed(counts)}")
    if isinstance(rates, Mapping):
        print("  F1 " + ", ".join(f"{value} {percent(rate)}" for value, rate in rates.items()))
    if isinstance(absent, list) and absent:
        print(f"  not in the data: {', '.join(absent)}")


def _listed(counts: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


_ACCURACY = ("pairs", "right", "accuracy", "Wilson 95 %")


def _accuracy(part: Classified) -> list[str]:
    interval = ranged(wilson(part.correct, part.support))
    return [str(part.support), str(part.correct), percent(part.accuracy), interval]


def print_pairs(found: PairEvaluation) -> None:
    """Accuracy and macro F1, classes, confusion, parts and attributes of each system."""
    rows = []
    several = len(found.systems) > 1
    for name, one in found.systems.items():
        whole = one.overall
        rank = [f"#{found.ranks[name]}"] if several else []
        interval = ranged(one.intervals.get(found.protocol.primary))
        rows.append(
            [name, str(whole.support), percent(whole.accuracy), percent(whole.macro_f1), interval, *rank]
        )
    last = [f"95 % of {_TITLES[found.protocol.primary]}", *(["rank"] if several else [])]
    header = ["system", "pairs", "accuracy", "macro F1", *last]
    print_table(f"{found.protocol.title} (percent)", header, rows)
    _print_no_interval(
        getattr(one.overall, found.protocol.primary) is not None
        and one.intervals.get(found.protocol.primary) is None
        for one in found.systems.values()
    )
    rows = [
        [name, label, *_counts(counts), *map(percent, (counts.precision, counts.recall, counts.f1))]
        for name, one in found.systems.items()
        for label, counts in one.overall.classes().items()
    ]
    print_table(
        "By class", ["system", "class", "gold", "predicted", "correct", "P", "R", "F1"], rows, words=2
    )
    for name, one in found.systems.items():
        classes = list(one.overall.classes())
        rows = [
            [gold, *(str(one.overall.confusion.get((gold, other), 0)) for other in classes)]
            for gold in classes
        ]
        print_table(f"Confusion of {name}: gold down, predicted across", ["", *classes], rows)
    for attribute in next(iter(found.systems.values())).by:
        rows = [
            [
                name,
                value,
                *_accuracy(part),
                "-" if (gap := one.gap(part)) is None else f"{100 * gap.value:+z.2f}",
                ranged(None if gap is None else gap.interval),
                percent(part.macro_f1),
            ]
            for name, one in found.systems.items()
            for value, part in one.by.get(attribute, {}).items()
        ]
        header = ["system", attribute, *_ACCURACY, "gap to the rest", "95 %", "macro F1"]
        print_table(f"By {' x '.join(attributes_named(attribute))}", header, rows, words=2)
    rows = [
        [name, part, *_accuracy(scores), percent(scores.macro_f1)]
        for name, one in found.systems.items()
        for part, scores in one.parts.items()
    ]
    if rows:
        print_table("Parts", ["system", "part", *_ACCURACY, "macro F1"], rows, words=2)
    _print_differences(found.differences, found.protocol.primary, drawn="documents")
    for name, one in found.systems.items():
        for label, kinds in one.examples.items():
            for kind, examples in kinds.items():
                print(f"\n{name}, {label}, {kind}:{'' if examples else ' none'}")
                for row in examples:
                    guess = f" -> {row['predicted']}" if kind == "wrong" else ""
                    texts = [str(row[part]) for part in ("sentence_1", "sentence_2") if part in row]
                    print(f"  {row['item']}{guess}{': ' if texts else ''}{' | '.join(texts)}")
    print(f"\n{found.signature}")
