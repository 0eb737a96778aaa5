"""probeta: build, annotate, validate, score and publish diagnostic test sets for NLP."""

__version__ = "0.1.0"
