"""What a recipe names against what there is: perturbations, their values and policies, families of rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from probeta.builders.spans import ambiguity
from probeta.builders.spans.lists import WITHOUT
from probeta.builders.spans.perturbation import parameter_names
from probeta.builders.spans.registry import Registry
from probeta.builders.spans.spelling import spelling
from probeta.errors import Fault, UsageError, nearest, one_of
from probeta.recipe.schema import SpanSetRecipe
from probeta.recipe.source import Place, dotted


def perturbation_faults(recipe: SpanSetRecipe) -> Iterator[Fault]:
    """Every wrong name in ``perturbations``, with its line.

    A dimension must have the value that changes nothing (the first one of its perturbation): without it,
    the set would hold no base sentences.
    """
    registry = Registry()
    grid = recipe.perturbations.grid
    accepted: dict[str, str] = {}
    for name, values in grid.items():
        place: Place = ("perturbations", "grid", name)
        try:
            known = registry.find(name).values
        except UsageError:
            yield _unknown(recipe, place, name, registry.names(), what="perturbation")
            continue
        accepted |= dict.fromkeys(parameter_names(registry.find(name)), name)
        for at, value in enumerate(values):
            if value not in known:
                yield _unknown(recipe, (*place, at), value, known, what=f"value of {name}")
            elif value in values[:at]:
                yield _fault(recipe, (*place, at), "dimension_doubled", f"{value} stands twice")
        if known[0] not in values:
            yield _fault(
                recipe,
                place,
                "dimension_base",
                f"{name} leaves out {known[0]}, so the set would hold no base sentences",
                expected=f"{known[0]} among the values",
            )
    for policy, value in recipe.perturbations.policies.items():
        place = ("perturbations", "policies", policy)
        if policy not in accepted:
            yield _unknown(recipe, place, policy, accepted, what="policy")
            continue
        try:
            registry.create(accepted[policy], {policy: value})
        except UsageError as error:
            yield _fault(recipe, place, "unknown_value", str(error))


def family_faults(recipe: SpanSetRecipe) -> Iterator[Fault]:
    """Every family that the recipe's language does not have, with its line."""
    for name, family in recipe.families.items():
        try:
            if name == "spelling":
                spelling(recipe.language, family)
            else:
                one_of(family, ambiguity.families(recipe.language), what="word list")
        except UsageError as error:
            yield _fault(
                recipe,
                ("families", name),
                "family",
                str(error).removesuffix(WITHOUT),
                fix="leave it out; the set has no such attribute then" if WITHOUT in str(error) else None,
            )


def _fault(
    recipe: SpanSetRecipe,
    place: Place,
    code: str,
    message: str,
    *,
    expected: str | None = None,
    fix: str | None = None,
) -> Fault:
    return Fault(
        code=code,
        message=message,
        file=recipe.shown("probeta.yaml"),
        row=recipe.line(place),
        column=dotted(place),
        expected=expected,
        fix=fix,
    )


def _unknown(recipe: SpanSetRecipe, place: Place, word: str, known: Iterable[str], *, what: str) -> Fault:
    names = list(known)
    hint = nearest(word, names)
    return _fault(
        recipe,
        place,
        f"unknown_{what.split()[0]}",
        f"unknown {what} {word}",
        expected=", ".join(names) or "none: the grid's perturbations have no options",
        fix=f"did you mean {hint}?" if hint else None,
    )
