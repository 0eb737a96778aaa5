"""Sentences with spans: grid, lexicons, templates, perturbations, automatic attributes."""
