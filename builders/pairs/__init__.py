"""Sentence pairs mined from corpora: segment, match, filter, split, stress."""
