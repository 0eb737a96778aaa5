"""``lint``: the offline gates on any folder of a data set, or on a card alone, all faults in one report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from probeta.errors import DataError, Fault
from probeta.publishing.gates.documents import check_documents
from probeta.publishing.gates.held_back import check_held_back
from probeta.publishing.gates.info import check_info
from probeta.publishing.gates.loading import check_loading
from probeta.publishing.gates.metadata import check_metadata
from probeta.publishing.gates.names import check_names
from probeta.publishing.gates.own import check_own
from probeta.publishing.gates.pairs import check_pairs
from probeta.publishing.gates.result import Result
from probeta.publishing.gates.rows import check_rows
from probeta.publishing.gates.spans import check_spans
from probeta.publishing.gates.subject import Subject, open_subject

#: The gates by name, in their order.
GATES: Mapping[str, Callable[[Subject], Result]] = {
    "own_promises": check_own,
    "rows": check_rows,
    "spans": check_spans,
    "pairs": check_pairs,
    "names": check_names,
    "metadata": check_metadata,
    "declared_data": check_info,
    "documents": check_documents,
    "load_back": check_loading,
    "held_back": check_held_back,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Linted:
    """What the gates said."""

    subject: Subject
    gates: Mapping[str, Result]

    @property
    def faults(self) -> Sequence[Fault]:
        """All faults, in the order of the gates, none twice."""
        return list(dict.fromkeys(fault for result in self.gates.values() for fault in result.faults))

    @property
    def notes(self) -> Sequence[Fault]:
        """What is no fault, but good to know."""
        return [note for result in self.gates.values() for note in result.notes]

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        by_code = Counter(fault.code for fault in self.faults)
        return {
            "faults": [fault.to_json() for fault in self.faults],
            "counts": {"files": len(self.subject.files), "faults": dict(sorted(by_code.items()))},
            "gates": {name: result.to_json() for name, result in self.gates.items()},
            "notes": [note.to_json() for note in self.notes],
        }


def lint(path: Path) -> Linted:
    """Run every gate on the folder or card at ``path``; a UsageError where there is neither."""
    subject = open_subject(path)
    return Linted(subject=subject, gates={name: _run(gate, subject) for name, gate in GATES.items()})


def _run(gate: Callable[[Subject], Result], subject: Subject) -> Result:
    """What a gate says; a file that it cannot read is its fault."""
    try:
        return gate(subject)
    except DataError as error:
        return Result(faults=error.faults)
