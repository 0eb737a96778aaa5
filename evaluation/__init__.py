"""Scoring per attribute, protocols, projection, comparison."""
