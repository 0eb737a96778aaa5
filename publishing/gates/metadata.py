"""Gate 5: the header is YAML that every reader understands alike, in the Hub's own words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from probeta.errors import Fault, nearest
from probeta.publishing.gates.header import Header
from probeta.publishing.gates.result import Result
from probeta.publishing.gates.subject import Subject
from probeta.publishing.vocabularies import languages, licences, read, tasks
from probeta.recipe.source import Place

#: Keys whose values are texts or lists of texts.
_TEXTS = ("license", "language", "tags", "task_categories", "task_ids", "size_categories", "pretty_name")


def check_metadata(subject: Subject) -> Result:
    """Form, keys, vocabularies and configs of the header."""
    header = subject.header
    if not header.readable:
        return Result(faults=header.faults)
    faults = [*header.faults]
    notes: list[Fault] = []
    for check in (_keys, _texts, _licence, _languages, _vocabularies, _gating, _configs, _class_labels):
        faults += check(header)
    if "license" not in header.value and not any(fault.column in ("licence", "licenses") for fault in faults):
        notes.append(header.fault("licence_missing", "no licence is named", (), fix="add `license:`"))
    return Result(faults=faults, notes=notes)


def _values(header: Header, key: str) -> Iterator[tuple[Place, Any]]:
    """The values of a key that holds one or a list, each with its place."""
    value = header.value.get(key)
    if isinstance(value, list):
        yield from (((key, at), one) for at, one in enumerate(value))
    elif value is not None:
        yield (key,), value


def _keys(header: Header) -> Iterator[Fault]:
    vocabulary = read("card_keys")
    for key in header.value:
        if key in vocabulary["keys"]:
            continue
        meant = vocabulary["meant"].get(key) or _close(key, vocabulary["keys"])
        if meant:
            yield header.fault(
                "unknown_key",
                f"the Hub does not know the key {key}; what it holds is not seen",
                (key,),
                fix=f"write {meant}",
            )


def _close(word: str, known: Sequence[str]) -> str | None:
    import difflib

    found = difflib.get_close_matches(word, known, n=1, cutoff=0.85)
    return found[0] if found else None


def _texts(header: Header) -> Iterator[Fault]:
    for key in _TEXTS:
        for place, value in _values(header, key):
            if isinstance(value, bool):
                word = "no" if value is False else "yes"
                yield header.fault(
                    "text_boolean",
                    f"YAML reads an unquoted {word} as a truth value, not as text",
                    place,
                    found=str(value),
                    fix=f'quote it: "{word}"',
                )
            elif not isinstance(value, str):
                yield header.fault(
                    "text_type", f"{key} is not text", place, found=repr(value), fix="quote it"
                )


def _licence(header: Header) -> Iterator[Fault]:
    for place, value in _values(header, "license"):
        if isinstance(value, str) and value not in licences():
            hint = nearest(value.lower(), licences())
            yield header.fault(
                "licence",
                f"the Hub does not know the licence {value}",
                place,
                expected="an identifier such as cc-by-4.0",
                fix=f"write {hint}, or other with license_name and license_link"
                if hint
                else "write other, with license_name and license_link",
            )
    if header.value.get("license") == "other":
        for key in ("license_name", "license_link"):
            if not header.value.get(key):
                yield header.fault(
                    "licence_other",
                    f"the licence is other, but {key} is not given",
                    ("license",),
                    fix=f"add {key}",
                )


def _languages(header: Header) -> Iterator[Fault]:
    names = {name.lower(): code for code, name in read("languages")["iso_639_1"].items()}
    for place, value in _values(header, "language"):
        if isinstance(value, str) and value.split("-")[0] not in languages():
            code = names.get(value.lower())
            yield header.fault(
                "language",
                f"{value} is no language code",
                place,
                expected="ISO 639-1 or 639-3",
                fix=f"write {code}" if code else None,
            )


def _vocabularies(header: Header) -> Iterator[Fault]:
    known: dict[str, list[str]] = {
        "task_categories": list(tasks()),
        "task_ids": sorted({one for some in tasks().values() for one in some}),
        **read("card_keys")["values"],
    }
    for key, words in known.items():
        for place, value in _values(header, key):
            if isinstance(value, str) and value not in words and not value.startswith("other"):
                hint = nearest(value, words)
                yield header.fault(
                    "vocabulary",
                    f"{value} is none of the Hub's {key}",
                    place,
                    expected=", ".join(words) if len(words) < 15 else None,
                    fix=f"did you mean {hint}?" if hint else None,
                )


def _gating(header: Header) -> Iterator[Fault]:
    fields = header.value.get("extra_gated_fields")
    kinds = read("card_keys")["gated_field_types"]
    # The Hub's own example writes a list of one question each.
    if isinstance(fields, list) and all(isinstance(one, Mapping) for one in fields):
        fields = {name: kind for one in fields for name, kind in one.items()}
    if fields is not None and not isinstance(fields, Mapping):
        yield header.fault("gating", "extra_gated_fields is not a mapping", ("extra_gated_fields",))
        return
    for name, kind in (fields or {}).items():
        given = kind.get("type") if isinstance(kind, Mapping) else kind
        if given not in kinds:
            yield header.fault(
                "gating",
                f"{given} is no kind of answer",
                ("extra_gated_fields", name),
                expected=", ".join(kinds),
            )


def _configs(header: Header) -> Iterator[Fault]:
    configs = header.value.get("configs")
    if configs is None:
        return
    if not isinstance(configs, list):
        yield header.fault("configs", "configs is not a list", ("configs",), expected="- config_name: …")
        return
    known = read("card_keys")
    names: list[str] = []
    for at, config in enumerate(configs):
        here: Place = ("configs", at)
        if not isinstance(config, Mapping):
            yield header.fault("configs", "a config is not a mapping", here, expected="config_name: …")
            continue
        name = config.get("config_name")
        if name is None:
            yield header.fault("config_name", "a config has no config_name", here, fix="add config_name")
        elif not isinstance(name, str):
            yield header.fault(
                "config_name",
                f"the config name {name!r} is not text",
                (*here, "config_name"),
                fix=f'quote it: "{name}"',
            )
        else:
            names.append(name)
        for key in config:
            if key not in known["config_keys"] and (hint := _close(key, known["config_keys"])):
                yield header.fault(
                    "unknown_key", f"a config has no key {key}", (*here, key), fix=f"write {hint}"
                )
        yield from _entries(header, here, config)
    for name, count in Counter(names).items():
        if count > 1:
            yield header.fault(
                "config_doubled",
                f"the config {name} stands {count} times",
                ("configs",),
                fix="keep one, with all its data_files",
            )
    if sum(1 for config in configs if isinstance(config, Mapping) and config.get("default")) > 1:
        yield header.fault(
            "config_default",
            "more than one config is the default",
            ("configs",),
            fix="keep default: true at one",
        )


def _entries(header: Header, here: Place, config: Mapping[str, Any]) -> Iterator[Fault]:
    files = config.get("data_files")
    if files is not None and not isinstance(files, list | str):
        yield header.fault(
            "data_files",
            "data_files is neither a path nor a list",
            (*here, "data_files"),
            expected="a path, paths, or entries of split and path",
            found=", ".join(map(str, files)) if isinstance(files, Mapping) else repr(files),
            fix="write a list: - split: train, path: …",
        )
    if not isinstance(files, list):
        return
    keys = read("card_keys")["data_file_keys"]
    splits: list[str] = []
    for at, entry in enumerate(files):
        place = (*here, "data_files", at)
        if not isinstance(entry, Mapping):
            continue
        for key in entry:
            if key not in keys:
                yield header.fault(
                    "data_files",
                    f"an entry of data_files has no key {key}",
                    (*place, key),
                    expected="split, path",
                    fix="remove it",
                )
        split = entry.get("split")
        if not isinstance(split, str):
            yield header.fault(
                "split_name", f"the split {split!r} is not text", (*place, "split"), fix="quote it"
            )
            continue
        splits.append(split)
    for split, count in Counter(splits).items():
        if count > 1:
            yield header.fault(
                "split_doubled",
                f"the split {split} stands {count} times; one of them is lost",
                (*here, "data_files"),
                fix="list its paths under one entry",
            )


def _class_labels(header: Header) -> Iterator[Fault]:
    """Names of class labels that YAML does not read as text, and ids with gaps."""
    for place, names in _label_maps(header.value.get("dataset_info"), ("dataset_info",)):
        if not isinstance(names, Mapping):
            continue
        for key, name in names.items():
            if not isinstance(name, str):
                yield header.fault(
                    "label_name",
                    f"the name of label {key} is not text",
                    (*place, key),
                    found=repr(name),
                    fix="quote it",
                )
        ids = [str(key) for key in names]
        if ids != [str(number) for number in range(len(ids))]:
            yield header.fault(
                "label_ids", "the ids of the labels are not 0, 1, 2, …", place, found=", ".join(ids)
            )
        doubled = [name for name, count in Counter(map(str, names.values())).items() if count > 1]
        if doubled:
            yield header.fault("label_doubled", f"the label {doubled[0]} stands twice", place)


def _label_maps(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key == "class_label" and isinstance(inner, Mapping):
                yield (*place, key, "names"), inner.get("names")
            else:
                yield from _label_maps(inner, (*place, key))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from _label_maps(inner, (*place, at))
