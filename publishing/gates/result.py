"""What a gate says: passed, failed with faults, or not applicable with a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from probeta.errors import Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One gate's answer; ``reason`` says why it is not applicable, ``notes`` what a person may want to know."""

    faults: Sequence[Fault] = ()
    notes: Sequence[Fault] = ()
    reason: str | None = None

    @property
    def status(self) -> Literal["passed", "failed", "not_applicable"]:
        """``failed`` with any fault, ``not_applicable`` with a reason, else ``passed``."""
        if self.faults:
            return "failed"
        return "not_applicable" if self.reason else "passed"

    def to_json(self) -> dict[str, Any]:
        """The status with its reason and the number of faults."""
        return {"status": self.status, "reason": self.reason, "faults": len(self.faults)}
