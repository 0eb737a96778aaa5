"""The figures of the card: Vega-Lite specifications from the templates, filled with numbers of the reports."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from probeta.publishing import views
from probeta.publishing.facts import Facts

Values = Sequence[Mapping[str, Any]]


def figures(facts: Facts) -> dict[str, str]:
    """The SVG of every figure whose numbers there are, by its path in the folder.

    Drawn by vl-convert, which brings its own fonts, so the same numbers give the same bytes anywhere.
    """
    made = {}
    for name, values in NUMBERS.items():
        if found := values(facts):
            made[f"reports/{name}.svg"] = draw(name, found)
    return made


def draw(name: str, values: Values) -> str:
    """One figure."""
    import vl_convert

    folder = files("probeta.templates") / "card" / "figures"
    spec = json.loads((folder / f"{name}.vl.json").read_text(encoding="utf-8"))
    spec |= json.loads((folder / "style.json").read_text(encoding="utf-8"))
    spec["data"] = {"values": list(values)}
    svg: str = vl_convert.vegalite_to_svg(spec)
    # Vega counts its clip paths over a whole process; counted over the figure, the bytes are the same.
    numbers: dict[str, str] = {}
    svg = re.sub(r"\bclip\d+\b", lambda found: numbers.setdefault(found[0], f"clip{len(numbers)}"), svg)
    return svg.rstrip() + "\n"


def _grid(facts: Facts) -> Values:
    cells = views.coverage(facts)
    most = max((made for _, _, made, _ in cells), default=0)
    return [
        {
            "row": next(iter(values.values())),
            "column": ", ".join(list(values.values())[1:]),
            "made": made,
            "strong": made > most / 2,
        }
        for values, _, made, _ in cells
    ]


def _genres(facts: Facts) -> Values:
    splits, _ = views.classes(facts)
    if len(views.genres(facts)) < 2:
        return []
    return [
        {"genre": genre or "not recorded", "split": split, "pairs": size, "order": order}
        for genre, sizes in views.genres(facts)
        for order, (split, size) in enumerate(zip(splits, sizes, strict=True))
    ]


def _funnel(facts: Facts) -> Values:
    names = {
        "phrase_initial": "open with a phrase",
        "with_neutral": "with neutral pairs",
        "published": "in the set",
    }
    return [
        {"kind": kind, "step": names.get(name) or name.replace("_", " "), "left": left}
        for kind, name, left in views.funnel(facts)
    ]


def _artifacts(facts: Facts) -> Values:
    chance = facts.reports.get("artifacts", {}).get("chance")
    return [
        {
            **_estimate(name, accuracy),
            "chance": chance,
            "limit": gate["limit"] if gate else None,
        }
        for name, accuracy, gate in views.artifacts(facts)
        if accuracy["value"] is not None
    ]


def _agreement(facts: Facts) -> Values:
    return [
        _estimate(name, estimate)
        for name, estimate in views.agreement(facts)
        if estimate.get("value") is not None
    ]


def _estimate(name: str, estimate: Mapping[str, Any]) -> dict[str, Any]:
    bounds = {key: estimate.get(key) for key in ("value", "low", "high")}
    return {"name": name.replace("_", " "), **bounds}


#: Figure -> its numbers; a figure without numbers is not drawn.
NUMBERS: Mapping[str, Callable[[Facts], Values]] = {
    "grid": _grid,
    "genres": _genres,
    "funnel": _funnel,
    "artifacts": _artifacts,
    "agreement": _agreement,
}
