"""The perturbations that a name may mean: those built in, installed ones, and those of a user's file."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any, get_type_hints

from probeta.builders.spans.casing import Casing
from probeta.builders.spans.noise import (
    DoubleWhitespace,
    DropFinalPunctuation,
    KeyboardTypo,
    StripDiacritics,
)
from probeta.builders.spans.orthography import RomanianOrthography
from probeta.builders.spans.perturbation import Perturbation, parameter_names
from probeta.builders.spans.quotes import Quotes
from probeta.errors import ProbetaError, UsageError, one_of

#: Entry point group under which an installed package offers perturbations.
GROUP = "probeta.perturbations"

BUILT_IN: tuple[type[Perturbation], ...] = (
    Casing,
    Quotes,
    StripDiacritics,
    DropFinalPunctuation,
    DoubleWhitespace,
    KeyboardTypo,
    RomanianOrthography,
)


class Registry:
    """Perturbation classes by name; ``plugins`` are Python files that define more.

    >>> Registry().find("quotes").values
    ('without', 'with')
    """

    def __init__(self, *, plugins: Sequence[Path] = ()) -> None:
        self._classes: dict[str, type[Perturbation]] = {}
        self._installed_read = False
        for cls in BUILT_IN:
            self.add(cls)
        self._plugged: list[list[str]] = []
        for path in plugins:
            found = load_plugin(path)
            for cls in found:
                self.add(cls)
            self._plugged.append([cls.name for cls in found])

    def add(self, cls: type[Perturbation]) -> None:
        """Register a class under its ``name``; a UsageError if the name is missing or taken."""
        name = getattr(cls, "name", None)
        if not isinstance(name, str) or not name or "|" in name:
            raise UsageError(f"the perturbation {cls.__qualname__} needs a class attribute `name` without |")
        if len(cls.values) < 2:
            raise UsageError(f"the perturbation {name} needs two values or more: the first changes nothing")
        other = self._classes.get(name)
        if other:
            raise UsageError(f"two perturbations are named {name!r}: {_where(other)} and {_where(cls)}")
        self._classes[name] = cls

    def _read_installed(self) -> None:
        # Reading every installed package's metadata is slow, and needed only for names not built in.
        if self._installed_read:
            return
        self._installed_read = True
        for entry in metadata.entry_points(group=GROUP):
            with _foreign_code(f"the entry point {entry.name} ({entry.value})"):
                cls = entry.load()
            if not (inspect.isclass(cls) and issubclass(cls, Perturbation)):
                raise UsageError(f"the entry point {entry.name} ({entry.value}) is no Perturbation class")
            self.add(cls)

    def names(self) -> list[str]:
        """Every name, built-in ones first."""
        self._read_installed()
        return list(self._classes)

    def unused(self, names: Collection[str]) -> list[str]:
        """The perturbations of plugins that define none of ``names``."""
        return [name for plugged in self._plugged if not set(plugged) & set(names) for name in plugged]

    def find(self, name: str) -> type[Perturbation]:
        """The class of that name; a UsageError names the nearest right one."""
        if name not in self._classes:
            one_of(name, self.names(), what="perturbation")
        return self._classes[name]

    def create(self, name: str, parameters: Mapping[str, Any]) -> Perturbation:
        """An instance with ``parameters``; text is read as the parameter's type.

        Raises a UsageError for a parameter that it does not have, or a value of another type.
        """
        cls = self.find(name)
        accepted = parameter_names(cls)
        types = get_type_hints(cls) if parameters else {}
        given = {}
        for parameter, value in parameters.items():
            if not accepted:
                raise UsageError(f"{name} has no parameters, but {parameter!r} is given")
            one_of(parameter, accepted, what=f"parameter of {name}")
            given[parameter] = _typed(value, types[parameter], what=f"{name}: {parameter}")
        try:
            return cls(**given)
        except ProbetaError:
            raise
        except (Exception, SystemExit) as error:
            raise UsageError(f"{name}: {error}") from error

    def parse(self, text: str) -> Perturbation:
        """From ``NAME`` or ``NAME:parameter=value,parameter=value``, as an option gives it.

        >>> Registry().parse("keyboard_typo:count=2").parameters()
        {'count': 2, 'layout': 'es'}
        """
        name, _, rest = text.partition(":")
        parameters = {}
        for part in rest.split(",") if rest else []:
            parameter, given, value = part.partition("=")
            if not given:
                raise UsageError(f"{text}: expected {name}:parameter=value, found {part!r}")
            parameters[parameter] = value
        return self.create(name, parameters)


def _typed(value: Any, wanted: Any, *, what: str) -> Any:
    """``value`` as an int, a float or a bool where the parameter is one and ``value`` is text."""
    if not isinstance(value, str) or wanted not in (bool, int, float):
        return value
    try:
        return {"true": True, "false": False}[value.lower()] if wanted is bool else wanted(value)
    except (KeyError, ValueError):
        expected = "true or false" if wanted is bool else "a number"
        raise UsageError(f"{what} is {value!r}; expected {expected}") from None


def _where(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


@contextmanager
def _foreign_code(what: str) -> Iterator[None]:
    """One message for whatever somebody else's code does at import, calling `sys.exit` included."""
    try:
        yield
    except (Exception, SystemExit) as error:
        said = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise UsageError(f"{what} cannot be run: {said}") from error


def load_plugin(path: Path) -> list[type[Perturbation]]:
    """The perturbations that a Python file defines, in its order; running the file is the user's wish."""
    if not path.is_file():
        raise UsageError(f"no such file: {path}")
    module_name = f"probeta_plugin_{path.stem}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path}: expected a Python file that ends in .py")
    module = importlib.util.module_from_spec(spec)
    # A dataclass looks its module up while it is made.
    sys.modules[module_name] = module
    with _foreign_code(str(path)):
        spec.loader.exec_module(module)
    found = [
        member
        for member in vars(module).values()
        if inspect.isclass(member) and issubclass(member, Perturbation) and member.__module__ == module_name
    ]
    if not found:
        raise UsageError(f"{path} defines no perturbation: expected a subclass of Perturbation")
    for cls in found:
        if inspect.isabstract(cls):
            raise UsageError(f"{path}: {cls.__qualname__} has no method `edits`")
    return found
