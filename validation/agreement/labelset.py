"""The label set: its order, labels outside it, one label written in two ways, too many labels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from probeta.errors import Fault, nearest

#: A label set is no larger than this: what has more values is no label, and tables of all pairs of labels
#: would not fit in memory.
MOST_LABELS = 200


def sorted_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """Labels in text order, or by size if all of them are numbers."""
    names = sorted(labels)
    try:
        return tuple(sorted(names, key=float))
    except ValueError:
        return tuple(names)


def unknown_label(
    label: str | None, labels: Sequence[str], *, file: str | None = None, row: int | None = None
) -> Fault:
    """The fault of a label outside the declared set, with the folding that most likely mends it."""
    hint = nearest(str(label).strip().casefold(), labels)
    return Fault(
        code="unknown_label",
        message="the label is not in the declared set",
        file=file,
        row=row,
        column="label",
        expected=", ".join(labels),
        found=repr(label),
        fix=f"if {hint} is meant, declare it: --fold {label!r}={hint}" if hint else None,
    )


def alike(labels: Collection[str], file: str | None) -> list[Fault]:
    """Labels that differ only by case or blanks: one label written in two ways, unless both are declared."""
    groups: dict[str, list[str]] = {}
    for label in sorted(labels):
        groups.setdefault(" ".join(label.casefold().split()), []).append(label)
    return [
        Fault(
            code="labels_alike",
            message="labels differ only by case or blanks",
            file=file,
            column="label",
            found=", ".join(map(repr, group)),
            fix=f"fold them ({_folds(group)}), or declare the label set with --labels",
        )
        for group in groups.values()
        if len(group) > 1
    ]


def _folds(group: Sequence[str]) -> str:
    """The folding of labels into the one without blanks at its ends and in lower case, if one is.

    >>> _folds(["Y", "y", "y "])
    "--fold 'Y'=y --fold 'y '=y"
    """
    meant = min(group, key=lambda label: (label != label.strip(), label != label.casefold(), label))
    return " ".join(f"--fold {label!r}={meant}" for label in group if label != meant)


def too_many(labels: Collection[str], file: str | None) -> list[Fault]:
    """More labels than a label set has: most likely the column holds something else."""
    if len(labels) <= MOST_LABELS:
        return []
    return [
        Fault(
            code="many_labels",
            message="there are too many different labels for a label set",
            file=file,
            column="label",
            expected=f"at most {MOST_LABELS}",
            found=str(len(labels)),
            fix="name the column of the labels (--label-column, or --annotators with --wide), or round numbers",
        )
    ]
