"""The recipe: the declaration of a test set, ``probeta.yaml`` and the files that it names."""

from probeta.recipe.load import bundled_recipes, load_recipe
from probeta.recipe.schema import PairRecipe, Recipe, SpanRecipe, SpanSetRecipe, TaggedRecipe, json_schema

__all__ = [
    "PairRecipe",
    "Recipe",
    "SpanRecipe",
    "SpanSetRecipe",
    "TaggedRecipe",
    "bundled_recipes",
    "json_schema",
    "load_recipe",
]
