"""The tables of the card, as rows taken from the reports; the templates put words around them.

Every function returns an empty list where its report is not there, and its section is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from probeta.publishing.facts import Facts
from probeta.validation.adjudication.rules import KEPT_REASONS

#: The coefficients shown first for labels and for spans, in this order; the report has more.
COEFFICIENTS = (
    "percent_agreement",
    "krippendorff_alpha",
    "fleiss_kappa",
    "cohen_kappa",
    "gwet_ac1",
    "span_f1",
    "span_f1_relaxed",
    "token_kappa",
    "alpha_u",
)

#: An attribute with more values than this is named with the number of its values only.
MANY_VALUES = 12

Row = Sequence[Any]
Estimate = Mapping[str, Any]


def coverage(facts: Facts) -> list[tuple[dict[str, str], int, int, str]]:
    """The cells of the grid: values, target, base sentences, why the target differs."""
    return [
        (cell["values"], cell["target"], cell["hand_picked"] + cell["drawn"], cell.get("reason") or "")
        for cell in facts.reports.get("coverage", {}).get("cells", ())
    ]


def composition(facts: Facts) -> list[tuple[str, str, int]]:
    """Span attributes: name, value, and the base spans that have it, declared values first."""
    counts = facts.reports.get("stats", {}).get("composition", {})
    found = []
    for name, values in counts.items():
        attribute = facts.recipe.attributes.get(name)
        definitions = dict(attribute.values or {}) if attribute else {}
        if not values or len(values) > MANY_VALUES:
            continue
        order = [value for value in definitions if value in values]
        for value in [*order, *(value for value in values if value not in order)]:
            found.append((name, value, values[value]))
    return found


def wide_attributes(facts: Facts) -> list[tuple[str, int]]:
    """Attributes with too many values for a table, and how many values they have."""
    counts = facts.reports.get("stats", {}).get("composition", {})
    return [(name, len(values)) for name, values in counts.items() if len(values) > MANY_VALUES]


def perturbations(facts: Facts) -> list[tuple[str, str, int]]:
    """The dimensions of the perturbation grid: name, value, rows."""
    counts = facts.reports.get("stats", {}).get("perturbations", {})
    grid = facts.recipe.perturbations.grid
    return [
        (name, value, counts[name][value])
        for name, values in grid.items()
        for value in values
        if value in counts.get(name, {})
    ]


def sentence_attributes(facts: Facts) -> list[tuple[str, str, int]]:
    """Declared sentence attributes that no perturbation varies and no report of their own counts.

    Name, value, rows; those with any text for a value are left out.
    """
    counts = facts.reports.get("stats", {}).get("perturbations", {})
    return [
        (name, value, counts[name][value])
        for name, attribute in facts.recipe.attributes.items()
        if attribute.level == "sentence" and f"by_{name}" not in facts.reports
        for value in attribute.values or ()
        if value in counts.get(name, {})
    ]


def by_value(facts: Facts) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Sentence attributes of a corpus: name, value, and the value's sentences, tokens, spans and labels."""
    return [
        (report["attribute"], value, counts)
        for name, report in facts.reports.items()
        if name.startswith("by_")
        for value, counts in report["values"].items()
    ]


def published_splits(facts: Facts) -> dict[str, Any]:
    """The splits that the report ``stats`` counts, without those that are held back."""
    counted = facts.reports.get("stats", {}).get("splits", {})
    return {split: count for split, count in counted.items() if split not in facts.card.hold_back}


def classes(facts: Facts) -> tuple[list[str], list[tuple[str, list[int]]]]:
    """Splits, and for each class its pairs in each split."""
    splits = published_splits(facts)
    if not all(isinstance(counts, dict) for counts in splits.values()):
        return [], []
    rows = [(name, [splits[split].get(name, 0) for split in splits]) for name in facts.recipe.labels]
    return list(splits), rows if splits else []


def corpora(facts: Facts) -> list[dict[str, Any]]:
    """The corpora of a pair set, as the report ``stats`` has them."""
    return list(facts.reports.get("stats", {}).get("corpora", ()))


def genres(facts: Facts) -> list[tuple[str, list[int]]]:
    """Pairs of each genre by split, if any genre is named; an empty name is for corpora without one."""
    stats = facts.reports.get("stats", {})
    found = stats.get("genres", {})
    if not any(found):
        return []
    splits = published_splits(facts)
    return [(genre, [sizes.get(split, 0) for split in splits]) for genre, sizes in found.items()]


def neutral_strategies(facts: Facts) -> list[tuple[str, int]]:
    """How the neutral pairs of all splits were put together."""
    counts: dict[str, int] = {}
    for corpus in facts.reports.get("funnel", {}).get("corpora", ()):
        for split in corpus["splits"].values():
            for name, count in split.get("neutral_strategies", {}).items():
                counts[name] = counts.get(name, 0) + count
    return sorted(counts.items())


def funnel(facts: Facts) -> list[tuple[str, str, int]]:
    """The way from sentences to pairs, all corpora together: kind of step, name, what was left after it.

    Kinds are ``count`` (sentences, phrase_initial, hits), ``filter`` and ``end`` (pairs found, published).
    Filters that refused nothing are left out.
    """
    corpora = facts.reports.get("funnel", {}).get("corpora", ())
    if not corpora:
        return []
    steps = [
        ("count", name, sum(corpus[name] for corpus in corpora)) for name in ("sentences", "phrase_initial")
    ]
    left = sum(sum(corpus["hits"].values()) for corpus in corpora)
    steps.append(("count", "hits", left))
    for at, first in enumerate(corpora[0]["filters"]):
        now = sum(sum(corpus["filters"][at]["left"].values()) for corpus in corpora)
        if now != left:
            steps.append(("filter", first["filter"], now))
        left = now
    neutral = sum(
        corpus["pairs"].get("neutral", 0) + sum(corpus["neutral_crossdoc"].values()) for corpus in corpora
    )
    steps.append(("end", "with_neutral", left + neutral))
    out = sum(sum(counts.values()) for corpus in corpora for counts in corpus["left_out"].values())
    steps.append(("end", "published", left + neutral - out))
    return steps


def left_out(facts: Facts) -> list[tuple[str, int]]:
    """Why pairs that passed all filters are not in the set: reason, pairs."""
    counts: dict[str, int] = {}
    for corpus in facts.reports.get("funnel", {}).get("corpora", ()):
        for reason, by_class in corpus["left_out"].items():
            counts[reason] = counts.get(reason, 0) + sum(by_class.values())
    return [(reason, count) for reason, count in counts.items() if count]


def artifacts(facts: Facts) -> list[tuple[str, Estimate, Mapping[str, Any] | None]]:
    """Baselines that see half of the input: name, accuracy, and the recipe's gate for it."""
    report = facts.reports.get("artifacts", {})
    gates = report.get("gates", {})
    return [
        (name, scores["accuracy"], gates.get(name)) for name, scores in report.get("baselines", {}).items()
    ]


def agreement(facts: Facts) -> list[tuple[str, Estimate]]:
    """The main coefficients of the agreement report, defined or with their reason."""
    coefficients = facts.reports.get("agreement", {}).get("coefficients", {})
    return [(name, coefficients[name]) for name in COEFFICIENTS if name in coefficients]


def headline(facts: Facts) -> tuple[str, Estimate] | None:
    """The one coefficient for the quick facts: alpha for labels, strict F1 for spans, if defined."""
    for name, estimate in agreement(facts):
        if name in ("krippendorff_alpha", "span_f1") and estimate.get("value") is not None:
            return name, estimate
    return None


def agreement_by(facts: Facts) -> list[tuple[str, str, int, Estimate]]:
    """Agreement by group: column, value, pairable items, and the main coefficient in the group."""
    found = []
    for column, groups in facts.reports.get("agreement", {}).get("by", {}).items():
        for value, group in groups.items():
            name = next((name for name in ("krippendorff_alpha", "span_f1") if name in group), None)
            if name:
                found.append((column, value, group["pairable"], group[name]))
    return found


def agreement_labels(facts: Facts) -> list[tuple[str, str, Estimate]]:
    """Agreement by label: label, coefficient, estimate."""
    found = []
    for label, entry in facts.reports.get("agreement", {}).get("labels", {}).items():
        for name in ("kappa_pooled", "span_f1"):
            if isinstance(entry, dict) and isinstance(entry.get(name), dict):
                found.append((label, name, entry[name]))
                break
    return found


#: The configs that people's answers make, and no build.
ANSWERED = ("annotations", "validated")


def outcomes(facts: Facts) -> list[tuple[str, bool, int]]:
    """Why adjudication kept items or not: reason, whether it keeps, items; what keeps comes first."""
    found = facts.reports.get("adjudication", {}).get("by_reason", {}).items()
    rows = [(reason, reason in KEPT_REASONS, items) for reason, items in found]
    return sorted(rows, key=lambda row: (not row[1], row[0]))


def retention(facts: Facts) -> list[tuple[str, str, Mapping[str, Any]]]:
    """What adjudication kept: table, value, its counts."""
    tables = facts.reports.get("adjudication", {}).get("tables", {})
    return [(name, value, row) for name, rows in tables.items() for value, row in rows.items()]


#: The scores that the card shows, in this order, where a protocol gives them.
MEASURES = ("precision", "recall", "f1", "accuracy", "macro_f1")


class System(NamedTuple):
    """A system's scores over the whole set: measure -> rate from 0 to 1 or None, and its interval."""

    name: str
    rates: Mapping[str, float | None]
    intervals: Mapping[str, Mapping[str, Any]]


def scores(facts: Facts) -> list[System]:
    """The systems of ``reports/scores.json``, best first; empty if they were scored on other data.

    The signature of the report names the data by recipe and version.
    """
    report = facts.reports.get("scores", {})
    data = str(report.get("signature", "")).partition("|")[0].removeprefix("data:").partition("@")[0]
    if data != f"{facts.recipe.name}-{facts.recipe.version}":
        return []
    systems = report.get("systems") or {str(report.get("system") or ""): report}
    found = []
    for name, one in systems.items():
        whole = one.get("overall", one)
        rates = {measure: whole[measure] for measure in MEASURES if measure in whole}
        found.append(System(name, rates, whole.get("intervals") or {}))
    ranks = report.get("ranks", {}).get("systems", {})
    return sorted(found, key=lambda system: (ranks.get(system.name) or len(found), system.name))


def score_map(facts: Facts, language: str) -> str | None:
    """The path of the heat map that was drawn with the scores, in the language if there is one."""
    for name in (f"reports/scores.{language}.svg", "reports/scores.svg"):
        if scores(facts) and (facts.folder / name).is_file():
            return name
    return None
