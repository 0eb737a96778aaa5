"""Compositions of the layers below: a build is examples, tables, a card and checks."""
