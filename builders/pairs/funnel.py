"""The funnel: from documents to splits, every sentence that fell out under the name of its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from probeta.builders.pairs.chosen import NEUTRAL, ORDER, REASONS_AFTER, Assembled
from probeta.builders.pairs.filters import REASONS
from probeta.builders.pairs.records import Counts
from probeta.errors import Fault

SCHEMA_VERSION = 1
#: With fewer pairs of a class than this in a split, a corpus is reported as nearly empty.
FEW = 5
#: Names shown of the files that were not read.
IGNORED_SHOWN = 3


def corpus_funnel(
    name: str, counts: Counts, assembled: Assembled, *, classes: Sequence[str], ignored: Sequence[str]
) -> dict[str, Any]:
    """The funnel of one corpus, as ``reports/funnel.json`` holds it."""
    occurrences: Counter[str] = Counter()
    refused: dict[str, dict[str, int]] = {}
    for (phrase, rule), count in sorted(counts.phrases.items()):
        occurrences[phrase] += count
        if rule:
            refused.setdefault(phrase, {})[rule] = count
    left = {label: counts.hits[label] for label in classes}
    steps: list[dict[str, Any]] = []
    for reason in REASONS:
        lost = {label: counts.refused[reason, label] for label in classes}
        left = {label: left[label] - lost[label] for label in classes}
        steps.append({"filter": reason, "refused": lost, "left": dict(left)})
    every = (*classes, NEUTRAL)
    pairs = {label: counts.linking[label] for label in classes} | {NEUTRAL: counts.neutral.total()}
    crossdoc = {
        strategy: count for (corpus, strategy), count in sorted(assembled.crossdoc.items()) if corpus == name
    }
    return {
        "corpus": name,
        "documents": counts.totals["documents"],
        "empty_documents": counts.totals["empty_documents"],
        "one_paragraph_documents": counts.totals["one_paragraph_documents"],
        "documents_refused": _plain(counts.documents_refused),
        "ignored_files": list(ignored),
        "encodings": _plain(counts.encodings),
        "paragraphs": counts.totals["paragraphs"],
        "sentences": counts.totals["sentences"],
        "phrase_initial": occurrences.total(),
        "phrases": {
            phrase: {
                "sentences": occurrences[phrase],
                "refused": refused.get(phrase, {}),
                "hits": counts.phrases[phrase, ""],
            }
            for phrase in sorted(occurrences)
        },
        "hits": {label: counts.hits[label] for label in classes},
        "with_premise": steps[0]["left"],
        "filters": steps,
        "tagged_texts": counts.totals["tagged_texts"],
        "pairs": pairs,
        "neutral_strategies": _plain(counts.neutral),
        "neutral_crossdoc": crossdoc,
        "left_out": {
            reason: {label: assembled.dropped[name, reason, label] for label in every}
            for reason in REASONS_AFTER
        },
        "splits": {
            split: {
                "documents": assembled.documents[name, split],
                "available": {label: assembled.available[name, split, label] for label in every},
                "pairs": {label: assembled.chosen[name, split, label] for label in every},
                "neutral_strategies": {
                    strategy: count
                    for (corpus, where, strategy), count in sorted(assembled.strategies.items())
                    if (corpus, where) == (name, split)
                },
            }
            for split in ORDER[::-1]
        },
    }


def _plain(counter: Mapping[str, int]) -> dict[str, int]:
    return {key: count for key, count in sorted(counter.items()) if count}


def sum_faults(funnel: Mapping[str, Any], *, file: str) -> list[Fault]:
    """Every place where a funnel's numbers do not add up."""
    faults: list[Fault] = []
    for corpus in funnel["corpora"]:
        name = corpus["corpus"]

        def expect(what: str, expected: int, found: int, row: str = name) -> None:
            if expected != found:
                faults.append(
                    Fault(
                        code="funnel_sum",
                        message=what,
                        file=file,
                        row=row,
                        expected=str(expected),
                        found=str(found),
                    )
                )

        def at_most(what: str, bound: int, found: int) -> None:
            if found > bound:
                expect(what, bound, found)

        at_most("documents by encoding", corpus["documents"], sum(corpus["encodings"].values()))
        single = corpus["empty_documents"] + corpus["one_paragraph_documents"]
        at_most("documents of one paragraph or none", corpus["documents"], single)
        at_most("sentences that open with a phrase", corpus["sentences"], corpus["phrase_initial"])
        phrases = corpus["phrases"].values()
        expect("sentences by phrase", corpus["phrase_initial"], sum(one["sentences"] for one in phrases))
        for phrase, one in corpus["phrases"].items():
            expect(f"hits of {phrase}", one["sentences"] - sum(one["refused"].values()), one["hits"])
        expect(
            "hits by phrase and by class", sum(one["hits"] for one in phrases), sum(corpus["hits"].values())
        )
        for label, count in corpus["with_premise"].items():
            expect(f"{label} hits with a premise", corpus["filters"][0]["left"][label], count)
        left = corpus["hits"]
        for step in corpus["filters"]:
            for label in left:
                expect(
                    f"{label} after {step['filter']}",
                    left[label] - step["refused"][label],
                    step["left"][label],
                )
            left = step["left"]
        expect(
            "neutral pairs by strategy", corpus["pairs"][NEUTRAL], sum(corpus["neutral_strategies"].values())
        )
        made = Counter(corpus["pairs"])
        made[NEUTRAL] += sum(corpus["neutral_crossdoc"].values())
        for label, count in made.items():
            if label != NEUTRAL:
                expect(f"{label} pairs and what the filters left", left[label], count)
            out = sum(one[label] for one in corpus["left_out"].values())
            kept = sum(split["pairs"][label] for split in corpus["splits"].values())
            expect(f"{label} pairs, left out and in the splits", count, out + kept)
            for split, one in corpus["splits"].items():
                at_most(f"{label} pairs of {split}", one["available"][label], one["pairs"][label])
            there = sum(one["available"][label] for one in corpus["splits"].values())
            expect(
                f"{label} pairs that balancing left out", there - kept, corpus["left_out"]["balance"][label]
            )
        for split, one in corpus["splits"].items():
            shares = sum(one["neutral_strategies"].values())
            expect(f"neutral pairs of {split} by strategy", one["pairs"][NEUTRAL], shares)
    return [*faults, *_total_faults(funnel, file=file)]


def _total_faults(funnel: Mapping[str, Any], *, file: str) -> list[Fault]:
    """Every total of a split that is not the sum over the corpora, and every sentence that splits share."""
    parts: dict[str, tuple[int, int]] = {}
    for split, total in funnel["splits"].items():
        blocks = [corpus["splits"][split] for corpus in funnel["corpora"]]
        parts[f"documents of {split}"] = sum(one["documents"] for one in blocks), total["documents"]
        for label, count in total["pairs"].items():
            parts[f"{label} pairs of {split}"] = sum(one["pairs"][label] for one in blocks), count
    parts |= {f"sentences that {name} shares": (0, n) for name, n in funnel["shared_sentences"].items()}
    return [
        Fault(
            code="funnel_sum",
            message=f"{what}, all corpora",
            file=file,
            expected=str(expected),
            found=str(found),
        )
        for what, (expected, found) in parts.items()
        if expected != found
    ]


def warnings(corpora: Iterable[Mapping[str, Any]], *, classes: Sequence[str]) -> list[str]:
    """What a user must hear: corpora that give nothing, or nearly nothing, and why."""
    found: list[str] = []
    for corpus in corpora:
        name = corpus["corpus"]
        total = sum(sum(split["pairs"].values()) for split in corpus["splits"].values())
        smallest = min(classes, key=lambda label: corpus["pairs"][label])
        pairs = ", ".join(f"{label} {count}" for label, count in corpus["pairs"].items())
        if not total:
            found.append(f"{name}: gives NOTHING to the set: {_why_nothing(corpus)} (found: {pairs})")
        elif corpus["pairs"][smallest] < FEW:
            found.append(
                f"{name}: nearly empty: class {smallest} has {corpus['pairs'][smallest]}, which holds it to {total} "
                f"pairs in all (found: {pairs})"
            )
        for split, one in corpus["splits"].items():
            missing = [label for label, count in one["available"].items() if not count]
            if total and missing and len(missing) < len(one["available"]):
                found.append(
                    f"{name}: no {', '.join(missing)} pair for {split}; the split has none of this corpus"
                )
        none = [split for split, one in corpus["splits"].items() if not any(one["available"].values())]
        if total and none:
            few = _number(sum(one["documents"] for one in corpus["splits"].values()), "document")
            found.append(
                f"{name}: no pair at all for {' and '.join(none)}: its pairs come from {few}, and splits share none"
            )
        if blank := corpus["empty_documents"]:
            found.append(f"{name}: {_number(blank, 'document')} without a sentence")
        if refused := corpus["documents_refused"]:
            found.append(
                f"{name}: documents left out: "
                + ", ".join(f"{count} {reason}" for reason, count in refused.items())
            )
        if corpus["ignored_files"]:
            others = corpus["ignored_files"]
            shown = ", ".join(others[:IGNORED_SHOWN]) + (", …" if len(others) > IGNORED_SHOWN else "")
            found.append(f"{name}: not read, of no known kind: {_number(len(others), 'file')} ({shown})")
    return found


def _why_nothing(corpus: Mapping[str, Any]) -> str:
    if not corpus["sentences"]:
        return f"no sentence in {_number(corpus['documents'], 'document')}"
    if not corpus["phrase_initial"]:
        return f"none of {_number(corpus['sentences'], 'sentence')} opens with a linking phrase"
    empty = [label for label, count in corpus["pairs"].items() if not count]
    return f"no pair of class {', '.join(empty)}" if empty else "no split has a pair of every class"


def readable(funnel: Mapping[str, Any]) -> str:
    """The funnel as text for a person: one block a corpus."""
    lines: list[str] = []
    for corpus in funnel["corpora"]:
        classes = list(corpus["hits"])
        width = max(len("phrase_initial"), *(len(reason) for reason in (*REASONS, *REASONS_AFTER))) + 4

        def row(
            name: str,
            values: Mapping[str, int],
            total: bool = True,
            width: int = width,
            order: Sequence[str] = (*classes, NEUTRAL),
        ) -> str:
            cells = "".join(f"{values.get(label, 0):>13,}" for label in order if label in values)
            return f"  {name:<{width}}{cells}" + (f"{sum(values.values()):>13,}" if total else "")

        lines += [
            corpus["corpus"],
            "  "
            + ", ".join(_number(corpus[f"{unit}s"], unit) for unit in ("document", "paragraph", "sentence"))
            + f", {corpus['phrase_initial']:,} open with a phrase",
            f"  {'':<{width}}" + "".join(f"{label:>13}" for label in (*classes, "all")),
            row("hits", corpus["hits"]),
        ]
        lines += [
            row(f"- {step['filter']}", step["refused"])
            for step in corpus["filters"]
            if any(step["refused"].values())
        ]
        lines += [
            f"  {'':<{width}}" + "".join(f"{label:>13}" for label in (*classes, NEUTRAL, "all")),
            row("pairs", corpus["pairs"]),
        ]
        if corpus["neutral_crossdoc"]:
            lines.append(
                f"  {'+ across documents':<{width}}"
                + f"{sum(corpus['neutral_crossdoc'].values()):>{13 * (len(classes) + 1)},}"
            )
        lines += [row(f"- {reason}", out) for reason, out in corpus["left_out"].items() if any(out.values())]
        lines += [row(split, one["pairs"]) for split, one in corpus["splits"].items()]
        top = sorted(corpus["phrases"].items(), key=lambda item: -item[1]["hits"])[:8]
        lines.append(
            "  phrases: " + ", ".join(f"{phrase} {one['hits']:,}" for phrase, one in top if one["hits"])
        )
        lines.append("")
    lines += [f"! {warning}" for warning in funnel["warnings"]]
    return "\n".join(lines).rstrip() + "\n"


def _number(count: int, unit: str) -> str:
    return f"{count:,} {unit}{'' if count == 1 else 's'}"
