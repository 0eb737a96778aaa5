"""Content: bundled recipes, labelling configurations and the texts of cards and reports."""
