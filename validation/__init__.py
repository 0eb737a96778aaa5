"""Checks of a built set, agreement, aggregation, adjudication, artifacts."""
