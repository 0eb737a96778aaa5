"""The promises of a built set, by the same checks as ``probeta check``: gates 1 to 3 for our own sets."""

from __future__ import annotations

from probeta.publishing.gates.result import Result
from probeta.publishing.gates.subject import Subject
from probeta.validation.check import check


def check_own(subject: Subject) -> Result:
    """Everything that ``check`` proves."""
    if subject.folder is None or subject.recipe is None:
        return Result(reason="this is not a built set of probeta")
    return Result(faults=list(check(subject.folder).faults))
