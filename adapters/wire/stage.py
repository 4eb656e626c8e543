"""The one shape of every decoding step: feed it an item, get messages; close it, get what it held back.

A stage is a small state machine without a clock or a socket. Its output must not depend on how its input was cut. Stages
compose: a pipeline hands each message of one stage to the next, and is a stage itself. An observer, when given, sees every
message under the name of the layer that made it, between a `<layer>.begin` and a `<layer>.end` with the totals, so that a
tool can print any layer; without one nothing is paid for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

import msgspec

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)


class Stage(Protocol[In_contra, Out_co]):
    """Synchronous and never raising on bad input: what is wrong with the input is a message too."""

    def feed(self, item: In_contra) -> Sequence[Out_co]: ...

    def close(self) -> Sequence[Out_co]:
        """The input has ended. Called once; nothing is fed afterwards."""
        ...


Observer: TypeAlias = Callable[[str, Any], None]
"""Called with a layer's name (`line`, `data`, `sse`, `delta`) and each message that it gave."""


class Totals(msgspec.Struct, frozen=True):
    """What went through a layer so far."""

    fed_nr: int = 0
    """Items that it was fed."""
    fed_bytes_nr: int = 0
    """Their bytes, where they are bytes: the sum does not depend on the cut, as `fed_nr` of the first layer does."""
    messages_nr: int = 0
    """Messages that it gave, errors included."""
    errors_nr: int = 0


class LayerBegin(msgspec.Struct, frozen=True):
    """`line.begin` and the like, before all else of the layer, also where nothing ever reaches it."""

    type: str


class LayerError(msgspec.Struct, frozen=True):
    """`sse.error` and the like, of a layer whose messages have no errors of their own."""

    type: str
    message: str


class LayerStats(msgspec.Struct, frozen=True):
    """`line.stats` and the like, whenever somebody asks, and once at the end."""

    type: str
    totals: Totals


class LayerEnd(msgspec.Struct, frozen=True):
    """`line.end` and the like: nothing more comes from this layer."""

    type: str
    totals: Totals


class Layer:
    """Counts one layer's messages and shows them to an observer."""

    def __init__(self, name: str, observer: Observer) -> None:
        self._name = name
        self._observer = observer
        self._begun = self._ended = False
        self._fed = self._bytes = self._messages = self._errors = 0

    def fed(self, item: object) -> None:
        """An item goes in."""
        self._begin()
        self._fed += 1
        self._bytes += len(item) if isinstance(item, bytes) else 0

    def gave(self, message: object) -> None:
        self._begin()
        self._messages += 1
        self._errors += _is_error(message)
        self._tell(message)

    def failed(self, reason: str) -> None:
        self.gave(LayerError(f"{self._name}.error", reason))

    def stats(self) -> None:
        self._tell(LayerStats(f"{self._name}.stats", self.totals))

    def end(self) -> None:
        if not self._ended:
            self._begin()
            self._ended = True
            self.stats()
            self._tell(LayerEnd(f"{self._name}.end", self.totals))

    @property
    def totals(self) -> Totals:
        return Totals(self._fed, self._bytes, self._messages, self._errors)

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self._tell(LayerBegin(f"{self._name}.begin"))

    def _tell(self, message: object) -> None:
        self._observer(self._name, message)


class Layers:
    """The layers of one stream that an observer looks at, from the bytes upward."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._layers: list[Layer] = []

    def add(self, name: str) -> Layer:
        layer = Layer(name, self._observer)
        self._layers.append(layer)
        return layer

    def stats(self) -> None:
        """Every layer says what went through it so far."""
        for layer in self._layers:
            layer.stats()

    def end(self) -> None:
        """The stream is over; layers that have not ended do now."""
        for layer in self._layers:
            layer.end()


def _is_error(message: object) -> bool:
    if isinstance(message, LayerError):
        return True
    tag = message.__struct_config__.tag if isinstance(message, msgspec.Struct) else None
    return isinstance(tag, str) and tag.endswith("error")


class Pipeline:
    """Several stages as one; `pipeline` makes it."""

    __slots__ = ("_stages",)

    def __init__(self, stages: Sequence[Stage[Any, Any]]) -> None:
        self._stages = tuple(stages)

    def feed(self, item: Any) -> Sequence[Any]:
        return self._push(0, (item,))

    def close(self) -> Sequence[Any]:
        """Closes the stages from first to last; what one releases still passes through all that follow."""
        released: list[Any] = []
        for position, stage in enumerate(self._stages, start=1):
            released.extend(self._push(position, stage.close()))
        return released

    def _push(self, position: int, batch: Sequence[Any]) -> Sequence[Any]:
        for stage in self._stages[position:]:
            if not batch:
                break
            feed = stage.feed
            batch = feed(batch[0]) if len(batch) == 1 else [message for item in batch for message in feed(item)]
        return batch


class _Watched:
    """A stage whose messages an observer sees."""

    def __init__(self, stage: Stage[Any, Any], layer: Layer) -> None:
        self._stage = stage
        self._layer = layer

    def feed(self, item: Any) -> Sequence[Any]:
        self._layer.fed(item)
        return self._show(self._stage.feed(item))

    def close(self) -> Sequence[Any]:
        messages = self._show(self._stage.close())
        self._layer.end()
        return messages

    def _show(self, messages: Sequence[Any]) -> Sequence[Any]:
        for message in messages:
            self._layer.gave(message)
        return messages


def watched(stage: Stage[Any, Any], layer: Layer) -> Stage[Any, Any]:
    """The same stage, seen by the layer's observer."""
    return _Watched(stage, layer)


def pipeline(*stages: Stage[Any, Any]) -> Pipeline:
    """The stages in a row: bytes in at the first, messages out at the last."""
    return Pipeline(stages)
