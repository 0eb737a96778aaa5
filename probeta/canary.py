"""The canary: one string per data set that should never turn up in a model's training data."""

from __future__ import annotations

import uuid

#: Namespace of our canaries: uuid5 of the project's name under the DNS namespace.
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "probeta")


def canary(name: str, version: str) -> str:
    """The canary of a test set; the same for the same name and version.

    >>> canary("blas", "1.0") == canary("blas", "1.0") != canary("blas", "1.1")
    True
    """
    return f"probeta:canary:{uuid.uuid5(_NAMESPACE, f'{name} {version}')}"
