"""What a model can guess from half of a pair: baselines, and the report with its gates."""

from probeta.validation.artifacts.baselines import BASELINES
from probeta.validation.artifacts.report import artifact_report, artifacts, gate_warnings

__all__ = ["BASELINES", "artifact_report", "artifacts", "gate_warnings"]
