"""A call as a model wrote it into its text: read, and not judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class Written(msgspec.Struct, frozen=True):
    """A call's words. Whether the tool is known and the arguments fit it is the verdict's business."""

    name: str
    raw: str
    """The arguments as written: JSON text, or what stands for it. Empty where none are written."""
    fields: Mapping[str, Any] | None = None
    """The arguments, where the form gives them one by one: a parameter's text between tags, a keyword's value."""
    positional: str | None = None
    """The one argument that was given without a name."""
    whole: bool = True
    """The model came to the end: the JSON value is complete, or the form's own closing mark was there."""
