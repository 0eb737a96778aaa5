"""croissant.json: version 1.1 of the format with the fields of responsible AI (``rai:``).

The Hub makes a Croissant file of its own from the data; this one adds checksums of the files as built, the
labels with their definitions, and what is known about collection, annotation, limits and use. mlcroissant
reads it record by record in the gates; it is written without it, since its import takes seconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from probeta.hashing import file_sha256
from probeta.publishing import citation, views
from probeta.publishing.facts import Config, Facts, SplitFile
from probeta.publishing.fields import meaning
from probeta.publishing.sources import source_rows
from probeta.publishing.wording import ENGLISH, Words

#: The context that the format prescribes, with the vocabulary of responsible AI.
CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}

#: Where a set without a published address says that it is from: the format requires a URL.
NOWHERE = "https://huggingface.co/datasets"

#: Kind of recipe -> how its texts came together, and where its labels come from.
COLLECTION: Mapping[str, str] = {
    "spans": "Sentences written by hand or drawn from templates over a lexicon.",
    "tagged": "Sentences of a released corpus, with its own tokens and tags.",
    "pairs": "Sentence pairs mined from corpora by linking phrases.",
}
ANNOTATION: Mapping[str, str] = {
    "spans": "Spans known by construction.",
    "tagged": "The tags of the corpus as released.",
    "pairs": "The linking phrase is the label.",
}

#: Arrow's names of types -> schema.org's.
_TYPES = {"string": "sc:Text", "large_string": "sc:Text", "bool": "sc:Boolean"}


def croissant(facts: Facts) -> str:
    """The text of ``croissant.json``."""
    own, recipe = facts.card, facts.recipe
    found: dict[str, Any] = {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "name": recipe.name,
        "alternateName": recipe.title,
        "description": own.summary or recipe.title,
        "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
        "citeAs": citation.bibtex(facts),
        "creator": [_creator(author) for author in own.authors],
        "datePublished": recipe.date.isoformat(),
        "inLanguage": list(own.varieties) or [recipe.language],
        "isLiveDataset": False,
        "keywords": facts.keywords,
        "license": facts.licence.url or facts.licence.name,
        "url": facts.url or NOWHERE,
        "version": _semantic(recipe.version),
        **responsible(facts),
        "distribution": [_file(facts, split) for config in facts.configs for split in config.splits],
        "recordSet": [
            _labels(facts),
            *(_records(facts, config, split) for config in facts.configs for split in config.splits),
        ],
    }
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def responsible(facts: Facts) -> dict[str, Any]:
    """The ``rai:`` fields, each from a report or the recipe; what is not known is left out."""
    own, told = facts.card, facts.card.statement
    report = facts.reports.get("agreement", {})
    steps = views.funnel(facts)
    filters = [name.replace("_", " ") for kind, name, _ in steps if kind == "filter"]
    agreed = [
        f"{name.replace('_', ' ')} {estimate['value']:z.3f}"
        for name, estimate in views.agreement(facts)
        if estimate.get("value") is not None
    ]
    annotators = report.get("annotators", {})
    sentences = {
        "dataCollection": told.curation or COLLECTION[facts.recipe.kind],
        "dataCollectionRawData": told.collection
        or "; ".join(row.source for row in source_rows(facts))
        or None,
        "dataCollectionMissingData": _missing(facts),
        "dataPreprocessingProtocol": told.preprocessing
        or (f"Filters that refused pairs: {', '.join(filters)}." if filters else "Unicode normal form C."),
        "dataManipulationProtocol": _manipulation(facts),
        "dataImputationProtocol": "None: an empty value stays empty.",
        "dataAnnotationProtocol": "GUIDELINES.md"
        if facts.recipe.guidelines
        else ANNOTATION[facts.recipe.kind],
        "dataAnnotationPlatform": own.campaign.platform or f"probeta {facts.build['versions']['probeta']}",
        "dataAnnotationAnalysis": f"Agreement: {', '.join(agreed)}." if agreed else None,
        "annotationsPerItem": f"{report['annotations'] / report['items']['total']:.2f} on average"
        if report.get("items", {}).get("total")
        else None,
        "annotatorDemographics": told.annotators
        or (f"{len(annotators)} annotators; more is not recorded." if annotators else None),
        "machineAnnotationTools": facts.build.get("tagger")
        or f"spaCy {facts.build['versions'].get('spacy')} (tokens)",
        "dataBiases": [*own.biases, *_artifact_biases(facts)] or None,
        "dataLimitations": list(own.limits) or None,
        "dataUseCases": list(own.uses) or None,
        "dataSocialImpact": told.social_impact,
        "personalSensitiveInformation": own.personal_data,
        "dataReleaseMaintenancePlan": told.maintenance
        or (
            f"Versioned releases, see CHANGELOG.md. Contact: {'; '.join(own.contacts)}."
            if own.contacts
            else None
        ),
    }
    return {f"rai:{name}": value for name, value in sentences.items() if value}


def _missing(facts: Facts) -> str | None:
    refused = sum(
        count
        for corpus in facts.reports.get("funnel", {}).get("corpora", ())
        for count in corpus["documents_refused"].values()
    )
    return f"{refused} documents were refused; reports/funnel.json says why." if refused else None


def _manipulation(facts: Facts) -> str | None:
    if grid := facts.recipe.perturbations.grid:
        parts = "; ".join(f"{name}: {', '.join(values)}" for name, values in grid.items())
        return f"Every base sentence in every configuration of {parts}."
    stress = [config.name for config in facts.configs if config.name.startswith("stress_")]
    return f"Test pairs changed in one way each: {', '.join(stress)}." if stress else None


def _artifact_biases(facts: Facts) -> list[str]:
    return [
        f"{name.replace('_', ' ')} alone reaches {accuracy['value']:.1%} accuracy "
        f"(95 % interval {accuracy['low']:.1%} to {accuracy['high']:.1%})."
        for name, accuracy, _ in views.artifacts(facts)
        if accuracy["value"] is not None and accuracy.get("low") is not None and name != "majority"
    ]


def _creator(author: Any) -> dict[str, Any]:
    person = {"@type": "sc:Person" if author.family else "sc:Organization", "name": author.name}
    if author.orcid:
        person["url"] = f"https://orcid.org/{author.orcid}"
    if author.affiliation and author.family:
        person["affiliation"] = {"@type": "sc:Organization", "name": author.affiliation}
    return person


def _semantic(version: str) -> str:
    """A version as the format wants it, of three numbers, where it is of one or two.

    >>> _semantic("1.0"), _semantic("2026a")
    ('1.0.0', '2026a')
    """
    parts = version.split(".")
    if all(part.isdigit() for part in parts) and len(parts) < 3:
        return ".".join([*parts, *["0"] * (3 - len(parts))])
    return version


def _file(facts: Facts, split: SplitFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": split.path,
        "name": split.path,
        "contentUrl": split.path,
        "contentSize": f"{split.file_bytes} B",
        "encodingFormat": "application/x-parquet",
        "sha256": file_sha256(facts.folder / split.path),
    }


def _labels(facts: Facts) -> dict[str, Any]:
    rows = [
        {"labels/name": name, "labels/definition": label.definition}
        for name, label in facts.recipe.labels.items()
    ]
    return {
        "@type": "cr:RecordSet",
        "@id": "labels",
        "name": "labels",
        "description": "The labels and what they mean.",
        "dataType": "sc:Enumeration",
        "key": {"@id": "labels/name"},
        "field": [
            _field("labels/name", "name", "sc:Text"),
            _field("labels/definition", "definition", "sc:Text"),
        ],
        "data": rows,
    }


def record_set_name(config: Config, split: SplitFile) -> str:
    """The id of a split's record set."""
    return f"{config.name}/{split.name}"


def _records(facts: Facts, config: Config, split: SplitFile) -> dict[str, Any]:
    name = record_set_name(config, split)
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"Config {config.name}, split {split.name}: {split.rows} rows.",
        "field": list(_fields(facts, config, split, name)),
    }


def _fields(facts: Facts, config: Config, split: SplitFile, record_set: str) -> Iterable[dict[str, Any]]:
    from datasets import List

    for column, feature in config.features.items():
        identifier = f"{record_set}/{column}"
        source = {"fileObject": {"@id": split.path}, "extract": {"column": column}}
        found = _field(
            identifier, column, None, meaning(facts, config.name, column, Words(ENGLISH, facts.recipe))
        )
        inner = feature.feature if isinstance(feature, List) else feature
        if isinstance(feature, List):
            found |= {"isArray": True, "arrayShape": "-1"}
        if isinstance(inner, dict):
            found["subField"] = [
                _field(f"{identifier}/{key}", key, _type(kind))
                | {"source": source | {"transform": {"jsonPath": key}}}
                for key, kind in inner.items()
            ]
        else:
            found |= {"dataType": _type(inner), "source": source}
        yield found


def _field(identifier: str, name: str, kind: str | None, description: str = "") -> dict[str, Any]:
    found = {"@type": "cr:Field", "@id": identifier, "name": name}
    found |= {"description": description} if description else {}
    return found | ({"dataType": kind} if kind else {})


def _type(feature: Any) -> str:
    dtype = str(feature.dtype)
    if "int" in dtype:
        return "sc:Integer"
    if "float" in dtype:
        return "sc:Float"
    return _TYPES.get(dtype, "sc:Text")
