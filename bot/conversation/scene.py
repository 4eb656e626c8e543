"""What a request is made of besides the messages: who is asked, as whom it speaks, and what stands around the conversation."""

from __future__ import annotations

import msgspec

from adapters.contract import ModelInfo, Origin, Reasoning, ToolSpec


class Scene(msgspec.Struct, frozen=True):
    model: str
    origin: Origin
    """Who is asked: tokens are counted as this one counts."""
    system: str = ""
    """The same for as long as nobody changes a setting (prompt.system_prompt)."""
    aside: str = ""
    """What is new with every question (aside.aside): stands at the end of the newest turn, and in no later request."""
    persona: str = ""
    """As whom the model speaks. What it said as another is that one's words."""
    info: ModelInfo = ModelInfo("")
    summary: str = ""
    """Of what is no longer read."""
    starts_after: int | None = None
    """Message id: the conversation begins behind it."""
    most_messages: int = 60
    tools: tuple[ToolSpec, ...] = ()
    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    reasoning: Reasoning | None = None
    """Wanted; None: as the model does by itself."""
    text_tool_calls: bool = False
    """See GenerationRequest."""
    cache_key: str | None = None
    """Names the conversation."""


def with_sight(scene: Scene, sees: bool) -> Scene:
    """The same for a model of which it turned out whether it sees pictures."""
    return msgspec.structs.replace(scene, info=msgspec.structs.replace(scene.info, vision=sees))
