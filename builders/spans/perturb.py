"""Perturbed sentences: the grid of casing and quotes, any other grid, and single operations.

A row of a grid has the id ``<base_id>|<value>|<value>…`` in the grid's order, for casing and quotes
``<base_id>|<casing>|<quotes>``. Its attributes are the input's and, over them:

* ``base_id``: the input's ``base_id``, else its id: copies of copies keep the sentence that all were made from;
* one column for each dimension (``casing``, ``quotes``) with its value;
* ``operation``: null for a base sentence, that is, a row whose values all leave a sentence as it is
  (``standard``, ``without``) and whose text is the input's; for every other row the grid's dimensions,
  joined by ``+``: ``casing+quotes``. So is ``standard|without`` where a pair of quotation marks was stripped;
* ``parameters``: null for a base sentence, else a JSON object with the policies that are not the
  default ones, with the seed where a value draws by it, and with what was met (``found_quotes``);
* ``duplicate_of``: the id of the first row of the same base with the same text and spans, else null.

A row of a single operation has the id ``<base_id>|<operation>|<hash of the parameters>``, ``operation``
and ``parameters`` with all of them; every other attribute stays as it was. Where the operation changed
nothing, ``duplicate_of`` is the base's id or that of the grid's row with that text.

Attributes that would be wrong for the new text: ``text_hash`` is computed anew; ``tokens`` and ``tags``, which
spell the old text, are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import chain, product, zip_longest
from typing import Any, NamedTuple

from probeta.builders.spans.casing import CASINGS, CasingPolicies
from probeta.builders.spans.perturbation import Perturbation, Variant, parameter_names
from probeta.builders.spans.quotes import QuotePolicies, Quotes
from probeta.builders.spans.registry import BUILT_IN, Registry
from probeta.errors import DataError, ProbetaError, UsageError, one_of
from probeta.hashing import text_hash
from probeta.records import Sentence, Span, span_faults

QUOTES = Quotes.values

#: The columns of every row besides those of the grid's dimensions.
ROW_COLUMNS = ("operation", "parameters", "duplicate_of")


@dataclass(frozen=True, kw_only=True)
class Policies(CasingPolicies, QuotePolicies):
    """The named choices of casing and quotes, with their defaults; see the two parents."""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Policies:
        """From a mapping; a UsageError names the nearest right word for an unknown policy or value.

        >>> Policies.of({"title_rest": "lower"}).title_rest
        'lower'
        """
        for name in given:
            one_of(name, [field.name for field in fields(cls)], what="policy")
        return cls(**given)

    def chosen(self) -> dict[str, str]:
        """The policies that do not have their default value."""
        default = asdict(Policies())
        return {name: value for name, value in asdict(self).items() if value != default[name]}


#: Policy -> the dimension that it belongs to, and the values of that dimension that it has a say in.
_CONCERNS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "title_rest": ("casing", ("title", "span_title")),
    "hyphens": ("casing", ("title", "span_title")),
    "span_words": ("casing", ("span_title",)),
    "locale": ("casing", ("lower", "upper", "title", "span_upper", "span_title")),
    "quote_style": ("quotes", ("with",)),
    "nested_style": ("quotes", ("with",)),
    "existing_quotes": ("quotes", ("without", "with")),
}


def refuse_idle(policies: Mapping[str, Any], grid: Mapping[str, Sequence[str]]) -> None:
    """Raise a UsageError for policies that no configuration of ``grid`` asks about.

    >>> refuse_idle({"title_rest": "lower"}, {"casing": ["title"]})
    """
    idle = []
    for name in policies:
        dimension, values = _CONCERNS[name]
        if not set(values) & set(grid.get(dimension, ())):
            idle.append(f"{name} concerns {dimension} {' or '.join(values)}")
    if idle:
        raise UsageError(f"{'; '.join(idle)}: no such configuration is written")


class _Dimension(NamedTuple):
    perturbation: Perturbation
    values: Sequence[str]


class _Cell(NamedTuple):
    """One combination of a grid: the end of its rows' ids and the attributes that they share.

    ``chosen``: the parameters that are not the default ones, and the seed where something was drawn by it.
    ``may_be_base``: all of its values are those that leave a sentence as it is.
    """

    suffix: str
    chosen: dict[str, Any]
    shared: dict[str, Any]
    may_be_base: bool


def configurations(
    sentences: Iterable[Sentence],
    *,
    casings: Sequence[str] = CASINGS,
    quotes: Sequence[str] = QUOTES,
    policies: Policies | None = None,
) -> Iterator[Sentence]:
    """The configurations of every sentence, casing by casing, in the order given.

    >>> from probeta.records import Span
    >>> pie = Sentence("a1", "Hay pie.", (Span(4, 7, "ENG"),))
    >>> [(row.id, row.text) for row in configurations([pie], casings=["span_upper"])]
    [('a1|span_upper|without', 'Hay PIE.'), ('a1|span_upper|with', 'Hay “PIE”.')]
    """
    grid = {"casing": casings, "quotes": quotes}
    return perturbed(sentences, grid=grid, policies=policies.chosen() if policies else {})


def perturbed(
    sentences: Iterable[Sentence],
    *,
    grid: Mapping[str, Sequence[str]] | None = None,
    policies: Mapping[str, Any] | None = None,
    operations: Sequence[Perturbation] = (),
    registry: Registry | None = None,
    seed: int = 0,
) -> Iterator[Sentence]:
    """For every sentence the rows of ``grid`` (dimension to values), then one for each operation.

    ``policies`` are parameters of the grid's perturbations, by name. The dimensions are applied in the
    grid's order. A wrong word is a UsageError, raised before the first sentence is read; a perturbation
    that loses a span is a DataError. Memory stays flat: one base sentence is held at a time.
    """
    registry = registry or Registry()
    dimensions = _dimensions(grid or {}, policies or {}, registry)
    asked = [(operation.name, _json(operation.parameters())) for operation in operations]
    for name, parameters in asked:
        if asked.count((name, parameters)) > 1:
            raise UsageError(f"the operation {name} is asked for twice with the same parameters")
    return _rows(sentences, dimensions, operations, seed)


#: The rows of one base by text: the spans and id of each.
_Seen = dict[str, list[tuple[tuple[Span, ...], str]]]


def _dimensions(
    grid: Mapping[str, Sequence[str]], policies: Mapping[str, Any], registry: Registry
) -> list[_Dimension]:
    accepted = {name: parameter_names(registry.find(name)) for name in grid}
    for policy in policies:
        one_of(policy, chain(*accepted.values()), what="policy")
    dimensions = []
    for name, values in grid.items():
        given = {policy: value for policy, value in policies.items() if policy in accepted[name]}
        perturbation = registry.create(name, given)
        if not values:
            raise UsageError(
                f"the dimension {name} has no values: expected some of {', '.join(perturbation.values)}"
            )
        for value in values:
            one_of(value, perturbation.values, what=name)
        if len(set(values)) < len(values):
            raise UsageError(f"the dimension {name} names a value twice: {', '.join(values)}")
        dimensions.append(_Dimension(perturbation, tuple(values)))
    return dimensions


def _rows(
    sentences: Iterable[Sentence],
    dimensions: Sequence[_Dimension],
    operations: Sequence[Perturbation],
    seed: int,
) -> Iterator[Sentence]:
    chosen: dict[str, Any] = {}
    for dimension in dimensions:
        chosen |= dimension.perturbation.chosen()
    cells = _cells(dimensions, chosen, seed)
    operation = _operation_name(dimensions)
    for sentence in sentences:
        base = {**sentence.attributes, "base_id": sentence.attributes.get("base_id") or sentence.id}
        for spelt in ("tokens", "tags"):
            base.pop(spelt, None)
        hashed = "text_hash" in base
        seen: _Seen = {}
        variants = _product(sentence, dimensions, seed) if dimensions else []
        for (suffix, parameters, shared, may_be_base), (text, spans, record) in zip(
            cells, variants, strict=True
        ):
            row_id = sentence.id + suffix
            attributes = base | shared
            if text in seen:
                attributes["duplicate_of"] = _first(seen, text, spans, row_id)
            else:
                seen[text] = [(spans, row_id)]
            if (record or may_be_base) and not (may_be_base and text == sentence.text):
                attributes["operation"] = operation
                attributes["parameters"] = _json({**parameters, **(record or {})})
            if hashed:
                attributes["text_hash"] = text_hash(text)
            yield Sentence.unchecked(row_id, text, spans, attributes)
        if operations:
            _first(seen, sentence.text, sentence.spans, sentence.id)
            for single in operations:
                yield from _operated(sentence, single, base, seen, seed)


def _operation_name(dimensions: Sequence[_Dimension]) -> str:
    return "+".join(dimension.perturbation.name for dimension in dimensions)


def _cells(dimensions: Sequence[_Dimension], chosen: Mapping[str, Any], seed: int) -> list[_Cell]:
    """Every combination, the last dimension varying fastest."""
    if not dimensions:
        return []
    cells = []
    for values in product(*(dimension.values for dimension in dimensions)):
        shared: dict[str, Any] = {}
        parameters = dict(chosen)
        base = True
        for (perturbation, _), value in zip(dimensions, values, strict=True):
            shared[perturbation.name] = value
            if value != perturbation.values[0]:
                base = False
                parameters = _with_seed(perturbation, parameters, seed)
        shared["operation"] = None if base else _operation_name(dimensions)
        shared["parameters"] = None if base else _json(parameters)
        shared["duplicate_of"] = None
        cells.append(_Cell("".join(f"|{value}" for value in values), parameters, shared, base))
    return cells


def _product(sentence: Sentence, dimensions: Sequence[_Dimension], seed: int) -> list[Variant]:
    """The sentence under every combination, in the order of ``_cells``."""
    made = [Variant(sentence.text, sentence.spans)]
    for perturbation, values in dimensions:
        versions = [
            Sentence.unchecked(sentence.id, text, spans, sentence.attributes) for text, spans, _ in made
        ]
        following = _variants(perturbation, versions, values=values, seed=seed)
        if any(before.record for before in made):
            following = [
                after._replace(record={**(made[at // len(values)].record or {}), **(after.record or {})})
                for at, after in enumerate(following)
            ]
        made = following
    return made


def _variants(
    perturbation: Perturbation, versions: Sequence[Sentence], *, values: Sequence[str], seed: int
) -> list[Variant]:
    """The perturbation's variants; those of a class that is not ours are checked."""
    if type(perturbation) in BUILT_IN:
        return perturbation.variants(versions, values=values, seed=seed)
    name, base_id = perturbation.name, versions[0].id
    try:
        found = [Variant(*variant) for variant in perturbation.variants(versions, values=values, seed=seed)]
    except ProbetaError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"the perturbation {name} fails on {base_id!r}: {type(error).__name__}: {error}"
        ) from error
    labels = [[span.label for span in sentence.spans] for sentence in versions for _ in values]
    for variant, expected in zip_longest(found, labels):
        if variant is None or [span.label for span in variant.spans] != expected:
            raise UsageError(f"the perturbation {name} does not keep the spans of {base_id!r}")
        if faults := span_faults(variant.text, variant.spans, row=base_id):
            raise DataError(faults)
    return found


def _first(seen: _Seen, text: str, spans: tuple[Span, ...], row_id: str) -> str | None:
    """The id under which this text with these spans was seen before; else remember this one."""
    known = seen.setdefault(text, [])
    for other, other_id in known:
        if other == spans:
            return other_id
    known.append((spans, row_id))
    return None


def _operated(
    sentence: Sentence,
    operation: Perturbation,
    base: Mapping[str, Any],
    seen: _Seen,
    seed: int,
) -> Iterator[Sentence]:
    """The rows of one operation: one for each value but the first, which changes nothing."""
    values = operation.values[1:]
    for value, variant in zip(
        values, _variants(operation, [sentence], values=values, seed=seed), strict=True
    ):
        parameters = _with_seed(operation, operation.parameters(), seed)
        if len(values) > 1:
            parameters["value"] = value
        identity = text_hash(_json(parameters))
        row_id = f"{sentence.id}|{operation.name}|{identity}"
        attributes = {
            **base,
            "operation": operation.name,
            "parameters": _json({**parameters, **(variant.record or {})}),
            "duplicate_of": _first(seen, variant.text, variant.spans, row_id),
        }
        if "text_hash" in base:
            attributes["text_hash"] = text_hash(variant.text)
        yield Sentence.unchecked(row_id, variant.text, variant.spans, attributes)


def _with_seed(perturbation: Perturbation, parameters: dict[str, Any], seed: int) -> dict[str, Any]:
    return {**parameters, "seed": seed} if perturbation.seeded else parameters


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
