"""One answer's result: its spans or its choice, and what is wrong with it.

The server accepts any JSON as a result, so label, bounds and text are checked here. Old releases counted
offsets in UTF-16 units; such a region is told by its text, and put right where that is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from itertools import pairwise
from typing import Any

from probeta.errors import UsageError
from probeta.offsets import from_utf16

#: The name of the control in the labelling configuration.
CONTROL = "label"

Doubt = tuple[str, str]


def choice_of(result: Sequence[Any], labels: Container[str]) -> tuple[str | None, list[Doubt]]:
    """The label chosen, None where the answer is empty, and the faults."""
    found: list[object] = []
    wrong: list[Doubt] = []
    for region in result:
        value = region.get("value") if isinstance(region, dict) else None
        if not isinstance(value, dict) or region.get("type") != "choices":
            wrong.append(("region", "a part of it is no choice"))
        elif region.get("from_name") != CONTROL:
            wrong.append(("control", f"it answers {region.get('from_name')!r}, which was not asked"))
        else:
            found += value["choices"] if isinstance(value.get("choices"), list) else [None]
    if wrong:
        return None, wrong
    if len(found) > 1:
        return None, [("several_choices", "it holds more than one choice")]
    label = found[0] if found else None
    if found and (not isinstance(label, str) or label not in labels):
        return None, [("unknown_label", f"the label {label!r} is not in the campaign's set")]
    return label if isinstance(label, str) else None, []


def spans_of(
    result: Sequence[Any],
    text: str,
    labels: Container[str],
    *,
    tokens: Callable[[str], tuple[set[int], set[int]]] | None = None,
    repair_utf16: bool = False,
    trim: bool = False,
) -> tuple[list[dict[str, Any]], list[Doubt], list[Doubt]]:
    """The spans sorted, the faults, and what a person should know.

    ``tokens`` gives where tokens of the text start and end. ``trim`` moves bounds off blanks.
    """
    spans: list[dict[str, Any]] = []
    wrong: list[Doubt] = []
    notes: list[Doubt] = []
    for region in result:
        read = _region(region, text, labels, wrong, notes, repair_utf16)
        if read is None:
            continue
        start, end, label = read
        if text[start:end] != text[start:end].strip():
            surface = text[start:end]
            if trim and surface.strip():
                start += len(surface) - len(surface.lstrip())
                end -= len(surface) - len(surface.rstrip())
                notes.append(("edge_blank", f"blanks at the edges of {surface!r} were taken off"))
            else:
                notes.append(("edge_blank", f"{surface!r} begins or ends with a blank"))
        span = {"start": start, "end": end, "label": label, "text": text[start:end]}
        if span in spans:
            notes.append(("region_twice", f"the region {start}-{end} {label} stands twice and counts once"))
            continue
        spans.append(span)
    spans.sort(key=lambda span: (span["start"], span["end"], span["label"]))
    for one, two in pairwise(spans):
        if two["start"] < one["end"]:
            notes.append(("overlap", f"the regions {one['text']!r} and {two['text']!r} overlap"))
    if tokens is not None and spans:
        starts, ends = tokens(text)
        for span in spans:
            if span["start"] not in starts or span["end"] not in ends:
                notes.append(("partial_token", f"{span['text']!r} begins or ends inside a token"))
    return spans, wrong, notes


def _region(
    region: Any,
    text: str,
    labels: Container[str],
    wrong: list[Doubt],
    notes: list[Doubt],
    repair_utf16: bool,
) -> tuple[int, int, str] | None:
    value = region.get("value") if isinstance(region, dict) else None
    if not isinstance(value, dict) or region.get("type") != "labels":
        wrong.append(("region", "a part of it is no labelled stretch of text"))
        return None
    if region.get("from_name") != CONTROL:
        wrong.append(("control", f"it answers {region.get('from_name')!r}, which was not asked"))
        return None
    listed = value.get("labels")
    if not isinstance(listed, list) or len(listed) != 1 or not isinstance(listed[0], str):
        wrong.append(("labels", "a region has not exactly one label"))
        return None
    if listed[0] not in labels:
        wrong.append(("unknown_label", f"the label {listed[0]!r} is not in the campaign's set"))
        return None
    start, end, surface = value.get("start"), value.get("end"), value.get("text")
    if type(start) is not int or type(end) is not int:
        wrong.append(("bounds", f"the bounds {start!r}-{end!r} are no whole numbers"))
        return None
    inside = 0 <= start < end <= len(text)
    if inside and (surface is None or text[start:end] == surface):
        return start, end, listed[0]
    moved = _as_utf16(text, start, end, surface)
    if moved is not None:
        here = f"{start}-{end} counts UTF-16 units, as old releases did; in code points it is {moved[0]}-{moved[1]}"
        if repair_utf16:
            notes.append(("utf16_offsets", here))
            return *moved, listed[0]
        wrong.append(("utf16_offsets", f"{here} (say --repair-utf16 to put it right)"))
    elif not inside:
        wrong.append(("bounds", f"{start}-{end} lies outside the text of {len(text)} characters"))
    else:
        wrong.append(("text", f"{start}-{end} is {text[start:end]!r}, but the region says {surface!r}"))
    return None


def _as_utf16(text: str, start: int, end: int, surface: object) -> tuple[int, int] | None:
    """The bounds in code points, if they count UTF-16 units and then give the region's own text."""
    try:
        moved = from_utf16(text, start), from_utf16(text, end)
    except UsageError:
        return None
    return moved if isinstance(surface, str) and text[moved[0] : moved[1]] == surface else None
