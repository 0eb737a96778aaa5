"""What was found out about the set: agreement, what adjudication kept, artifacts, systems that were scored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from probeta.publishing import views
from probeta.publishing.facts import Facts
from probeta.publishing.wording import Words


def values(facts: Facts, say: Words) -> dict[str, Any]:
    """The values of ``annotation``, ``artifacts`` and ``systems``."""
    count = say.number
    return {
        "campaign": _campaign(facts, say),
        "agreement": [
            (
                say.term(name),
                say.value(estimate),
                say.interval(estimate),
                count(estimate.get("items") or 0),
                count(estimate.get("raters") or 0),
            )
            for name, estimate in views.agreement(facts)
        ],
        "agreement_labels": [
            (f"`{label}`", say.term(name), say.value(estimate), say.interval(estimate))
            for label, name, estimate in views.agreement_labels(facts)
        ],
        "agreement_by": [
            (say.term(column), say.group(word), count(items), say.value(estimate), say.interval(estimate))
            for column, word, items, estimate in views.agreement_by(facts)
        ],
        "no_agreement": _no_agreement(facts, say),
        "outcomes": [
            (say.term(f"outcome_{reason}"), say("yes") if kept else say("no"), count(items))
            for reason, kept, items in views.outcomes(facts)
        ],
        "retention": [
            (
                say.term(name),
                say.group(word),
                count(row["sent"]),
                count(row["kept"]),
                say.percent(row["retention"]) if row["retention"] is not None else "",
                f"{say.percent(row['low'])} {say('to')} {say.percent(row['high'])}"
                if row.get("low") is not None
                else "",
            )
            for name, word, row in views.retention(facts)
        ],
        "artifacts": [
            (
                say.term(name),
                say.value(accuracy),
                say.interval(accuracy),
                f"{say.number(gate['limit'], 2)}: {say.term(gate['status'])}" if gate else "",
            )
            for name, accuracy, gate in views.artifacts(facts)
        ],
        **_systems(facts, say),
    }


def _systems(facts: Facts, say: Words) -> dict[str, Any]:
    report = views.scores(facts)
    measures = [name for name in views.MEASURES if any(name in system.rates for system in report)]
    return {
        "systems": [
            (
                f"`{system.name}`" if system.name else say("one system"),
                *(_rate(system, name, say) for name in measures),
            )
            for system in report
        ],
        "system_head": [say("system"), *(say.term(name) for name in measures)],
        "system_right": "l" + "r" * len(measures),
        "score_map": views.score_map(facts, say.language),
    }


def _rate(system: views.System, measure: str, say: Words) -> str:
    """A score in percent with its interval."""
    value, interval = system.rates.get(measure), system.intervals.get(measure) or {}
    if value is None:
        return say("undefined")
    if interval.get("low") is None or interval.get("high") is None:
        return say.percent(value)
    low, high = (say.number(100 * interval[end], 1) for end in ("low", "high"))
    return f"{say.percent(value)} ({low} {say('to')} {high})"


def _campaign(facts: Facts, say: Words) -> list[tuple[str, str]]:
    campaign, told = facts.card.campaign, say.told.campaign
    consent = (facts.reports.get("adjudication", {}).get("consent") or {}).get("statement")
    found: Sequence[tuple[str, str | None]] = (
        (say("platform"), told.platform or campaign.platform),
        (say("dates"), told.dates or campaign.dates),
        (say("training"), told.training or campaign.training),
        (say("pay"), told.pay or campaign.pay),
        (say("consent to publish single annotations"), told.consent or consent or campaign.consent),
    )
    return [(name, text) for name, text in found if text]


def _no_agreement(facts: Facts, say: Words) -> str:
    if facts.recipe.kind == "tagged":
        return say("The labels are those of the corpus as it was released; this project added none.")
    if facts.recipe.kind == "spans":
        return say(
            "The spans are known by construction: no one annotated them, and no agreement was measured."
        )
    return say("The labels come from the text itself: no one annotated them, and no agreement was measured.")
