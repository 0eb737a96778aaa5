"""Readers and writers of annotated text, one module a format."""
