"""Aggregation: one label, or one set of spans, from several annotators' answers."""
