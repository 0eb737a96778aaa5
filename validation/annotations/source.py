"""What is to be read and how: the options that ``agree`` and ``adjudicate`` share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from probeta.errors import UsageError, one_of
from probeta.validation.annotations.foreign import Layout
from probeta.validation.annotations.reading import read
from probeta.validation.annotations.table import Annotations

#: What to do when an annotator answered an item more than once.
DUPLICATE_POLICIES = ("error", "first", "last")

#: Made from other columns where it is none: see ``item_groups`` of the agreement report.
PERTURBATION = "perturbation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Annotations and how they are read, as the options say.

    ``columns`` names the long form's columns by their role, ``annotators`` the wide form's; ``items`` brings
    item columns, of which ``by`` and ``reference`` are some. ``labels`` is the declared set in its order,
    ``fold`` holds ``written=meant``, ``missing`` the tokens for no label. ``language`` is the tokenizer's.
    """

    annotations: Path
    wide: bool = False
    items: Path | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    annotators: Sequence[str] = ()
    labels: Sequence[str] | None = None
    missing: Sequence[str] = ()
    fold: Sequence[str] = ()
    duplicates: str = "error"
    by: Sequence[str] = ()
    reference: str | None = None
    language: str | None = None


def read_source(source: Source, *, used: Sequence[str] = ()) -> Annotations:
    """Read the annotations; ``used`` are further item columns that are no annotators'."""
    one_of(source.duplicates, DUPLICATE_POLICIES, what="policy for duplicates")
    named = [*source.by, *used, *([source.reference] if source.reference else [])]
    layout = Layout(
        wide=source.wide,
        annotators=source.annotators,
        attributes=[name for name in named if name != PERTURBATION] if source.items is None else (),
        missing=source.missing,
        **source.columns,
    )
    return read(source.annotations, layout=layout, items=source.items)


def folding(pairs: Sequence[str]) -> dict[str, str]:
    """The folding declared as ``written=meant``.

    >>> folding(["Neutral=neutral"])
    {'Neutral': 'neutral'}
    """
    found: dict[str, str] = {}
    for pair in pairs:
        written, mark, meant = pair.partition("=")
        if not mark or not meant or not written:
            raise UsageError(f"--fold {pair!r}: expected written=meant")
        if found.setdefault(written, meant) != meant:
            raise UsageError(f"--fold: {written!r} is read as {found[written]!r} and as {meant!r}")
    return found


def refuse(table: Annotations, kind: str, options: Mapping[str, bool]) -> None:
    """Refuse the options, by name, that were given and are for another kind of answers than the table's."""
    given = [option for option, is_given in options.items() if is_given]
    if given and table.kind != kind:
        raise UsageError(f"{table.name}: {', '.join(given)} is for {kind}, and the table holds {table.kind}")
