"""Content: authoring and annotation guidelines, versioned Markdown."""
