"""The figures of the card: Vega-Lite specifications from the templates, filled with numbers of the reports."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from probeta.publishing import views
from probeta.publishing.facts import Facts
from probeta.publishing.markdown import STYLES
from probeta.publishing.wording import ENGLISH, Words

Values = Sequence[Mapping[str, Any]]


def figures(facts: Facts, *, language: str = ENGLISH) -> dict[str, str]:
    """The SVG of every figure whose numbers there are, by its path in the folder.

    Drawn by vl-convert, which brings its own fonts, so the same numbers give the same bytes anywhere.
    """
    say = Words(language, facts.recipe)
    ending = "svg" if language == ENGLISH else f"{language}.svg"
    made = {}
    for name, values in NUMBERS.items():
        if found := values(facts, say):
            axes = grid_axes(facts) if name == "grid" else {}
            made[f"reports/{name}.{ending}"] = draw(name, found, say, axes=axes)
    return made


def draw(name: str, values: Values, say: Words, *, axes: Mapping[str, str] | None = None) -> str:
    """One figure, its titles and numbers in the language; ``axes`` gives those of ``x`` and ``y`` that facts name."""
    import vl_convert

    folder = files("probeta.templates") / "card" / "figures"
    spec = json.loads((folder / f"{name}.vl.json").read_text(encoding="utf-8"))
    spec |= json.loads((folder / "style.json").read_text(encoding="utf-8"))
    spec = _told(spec, say)
    for axis, title in (axes or {}).items():
        spec["encoding"][axis]["title"] = title
    sizes = [value for row in values for value in row.values() if isinstance(value, int)]
    if max(sizes, default=0) < STYLES[say.language].marked_from:
        # No number is so large that the language marks its thousands.
        spec = json.loads(json.dumps(spec).replace('",d"', '"d"'))
    spec["data"] = {"values": list(values)}
    svg: str = vl_convert.vegalite_to_svg(spec, format_locale=_LOCALES[say.language])
    # Vega counts its clip paths over a whole process; counted over the figure, the bytes are the same.
    numbers: dict[str, str] = {}
    svg = re.sub(r"\bclip\d+\b", lambda found: numbers.setdefault(found[0], f"clip{len(numbers)}"), svg)
    return svg.rstrip() + "\n"


#: How a language writes the numbers on an axis, in d3's terms.
_LOCALES: dict[str, dict[str, Any]] = {
    "en": {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["", ""]},
    "es": {"decimal": ",", "thousands": "\u00a0", "grouping": [3], "currency": ["", ""]},
}


def _told(value: Any, say: Words) -> Any:
    """A specification with its titles in the language."""
    if isinstance(value, dict):
        return {
            key: say(inner) if key == "title" and isinstance(inner, str) else _told(inner, say)
            for key, inner in value.items()
        }
    return [_told(inner, say) for inner in value] if isinstance(value, list) else value


def _grid(facts: Facts, _: Words) -> Values:
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


def grid_axes(facts: Facts) -> dict[str, str]:
    """The names of the grid's attributes: the first is down, the others across."""
    first, *others = next((list(values) for values, *_ in views.coverage(facts)), [""])
    return {"y": first, "x": ", ".join(others)}


def _genres(facts: Facts, say: Words) -> Values:
    splits, _ = views.classes(facts)
    if len(views.genres(facts)) < 2:
        return []
    return [
        {"genre": genre or say("not recorded"), "split": split, "pairs": size, "order": order}
        for genre, sizes in views.genres(facts)
        for order, (split, size) in enumerate(zip(splits, sizes, strict=True))
    ]


def _funnel(facts: Facts, say: Words) -> Values:
    return [{"kind": kind, "step": say.term(name), "left": left} for kind, name, left in views.funnel(facts)]


def _artifacts(facts: Facts, say: Words) -> Values:
    chance = facts.reports.get("artifacts", {}).get("chance")
    return [
        {
            **_estimate(say.term(name), accuracy),
            "chance": chance,
            "limit": gate["limit"] if gate else None,
        }
        for name, accuracy, gate in views.artifacts(facts)
        if accuracy["value"] is not None
    ]


def _agreement(facts: Facts, say: Words) -> Values:
    return [
        _estimate(say.term(name), estimate)
        for name, estimate in views.agreement(facts)
        if estimate.get("value") is not None
    ]


def _estimate(name: str, estimate: Mapping[str, Any]) -> dict[str, Any]:
    bounds = {key: estimate.get(key) for key in ("value", "low", "high")}
    return {"name": name, **bounds}


#: Figure -> its numbers; a figure without numbers is not drawn.
NUMBERS: Mapping[str, Callable[[Facts, Words], Values]] = {
    "grid": _grid,
    "genres": _genres,
    "funnel": _funnel,
    "artifacts": _artifacts,
    "agreement": _agreement,
}
