"""Character cards, as SillyTavern and many others exchange them, → personas, and back without loss.

Versions 1 to 3 are read; version 3 is written, in a PNG also as version 2 for those who know no other. What a persona has no place
for (lore book, alternate greetings, extensions) stays in `Persona.card` and comes back on export. A field of the card is only
written anew where the persona says something else than what was once read from it. What is too long is refused, never cut.

Fields: https://github.com/kwaroran/character-card-spec-v3/blob/main/SPEC_V3.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from bot.conversation.aside import LONGEST_NOTE
from bot.conversation.card_files import (
    LARGEST_CARD,
    V2_CHUNK,
    V3_CHUNK,
    CardError,
    CardFile,
    Fault,
    open_card_file,
    png_with,
)
from bot.conversation.people import NOBODY, safe_line
from bot.persona import LONGEST_NAME, LONGEST_PROMPT, Persona

LONGEST_GREETING = 8000
LONGEST_EXAMPLES = 20_000
"""Code points, as all of these."""
MOST_TRIGGER_WORDS = 20
LONGEST_TRIGGER_WORD = 50
LONGEST_MODEL = 200

_Word = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_TRIGGER_WORD)]


class ParleyExtension(msgspec.Struct, frozen=True, omit_defaults=True):
    """`data.extensions.parley`: what only Parley knows of a persona. Its fields are those of Persona."""

    trigger_words: Annotated[tuple[_Word, ...], msgspec.Meta(max_length=MOST_TRIGGER_WORDS)] = ()
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_MODEL)] | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, msgspec.Meta(gt=0, le=1)] | None = None
    max_output_tokens: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None


class Card(msgspec.Struct, frozen=True):
    """A card as it was read, with what is worth telling about it."""

    persona: Persona
    picture: bytes | None
    """As the file has it; nobody looked whether it is a picture."""
    version: str
    creator: str = ""
    tags: tuple[str, ...] = ()
    greetings: int = 0
    """Alternate ones, which are kept and not used; as is the next."""
    lore: int = 0
    """Entries of its lore book."""


_VERSIONS = {"chara_card_v2": "V2", "chara_card_v3": "V3"}
_TEXTS = (
    "description",
    "personality",
    "scenario",
    "system_prompt",
    "first_mes",
    "mes_example",
    "post_history_instructions",
)
_OLDER = frozenset({"name", *_TEXTS})
_SIGNS = frozenset({"personality", "scenario", "first_mes", "mes_example"})
"""An object with a name and one of these is a card, whatever else it says of itself."""
_EMPTY: Mapping[str, Any] = {
    "name": "",
    **dict.fromkeys(_TEXTS, ""),
    "creator_notes": "",
    "creator": "",
    "character_version": "",
    "tags": [],
    "alternate_greetings": [],
    "group_only_greetings": [],
    "extensions": {},
}
"""What a card of version 3 must have."""
_ORIGINAL = re.compile(r"\{\{original\}\}\n?", re.IGNORECASE)
"""In a prompt of a card: here stands what the program would say without it. Parley says its own in any case."""


def read_card(data: bytes) -> Card:
    """Takes a PNG, JSON or CHARX file. Raises CardError. Some tenths of a second for a large file."""
    file = open_card_file(data)
    persona = _persona(file)
    fields = _fields(file.card)
    book = fields.get("character_book")
    lore = book.get("entries") if isinstance(book, dict) else None
    return Card(
        persona,
        file.picture,
        _VERSIONS.get(str(file.card.get("spec")), "V1"),
        creator=safe_line(str(fields.get("creator") or ""), 100),
        tags=tuple(safe_line(str(tag), 50) for tag in _listed(fields.get("tags"))[:20]),
        greetings=len(_listed(fields.get("alternate_greetings"))),
        lore=len(lore) if isinstance(lore, list | dict) else 0,
    )


def card_json(persona: Persona) -> bytes:
    """Version 3; for people's eyes too, where it can be read in again like that. Some tenths of a second for a large card."""
    compact = _written(persona, "chara_card_v3", "3.0")
    spread = msgspec.json.format(compact, indent=2)
    return spread if len(spread) <= LARGEST_CARD else compact


def card_png(persona: Persona, avatar: bytes | None) -> bytes:
    """The picture (PNG; without one a plain one), with the card inside as versions 3 and 2."""
    cards = {
        V2_CHUNK: _written(persona, "chara_card_v2", "2.0"),
        V3_CHUNK: _written(persona, "chara_card_v3", "3.0"),
    }
    return png_with(cards, avatar)


# --------------------------------------------------------------------------------------------------------------- reading


def _fields(card: Mapping[str, Any]) -> Mapping[str, Any]:
    """Where the fields stand: in `data`, and in version 1 at the top. Raises CardError for what is no card."""
    data = card.get("data")
    if isinstance(data, dict) and (str(card.get("spec")) in _VERSIONS or _SIGNS & data.keys()):
        return data
    if _SIGNS & card.keys():
        return card
    raise CardError(Fault.NOT_A_CARD)


def _persona(file: CardFile) -> Persona:
    fields = _fields(file.card)
    persona = _as_persona(fields)
    for field, text, most in (
        ("name", persona.name, LONGEST_NAME),
        ("description, personality, scenario, system_prompt", persona.prompt, LONGEST_PROMPT),
        ("first_mes", persona.greeting, LONGEST_GREETING),
        ("mes_example", persona.examples, LONGEST_EXAMPLES),
        ("post_history_instructions", persona.note, LONGEST_NOTE),
    ):
        if len(text) > most:
            raise CardError(Fault.TEXT_TOO_LONG, field=field, length=len(text), most=most)
    return msgspec.structs.replace(persona, card=msgspec.json.encode(file.card).decode())


def _as_persona(fields: Mapping[str, Any]) -> Persona:
    """What the card says, of any length."""
    texts = {field: _text(fields, field) for field in _TEXTS}
    extension = _extension(fields)
    return Persona(
        _name(fields),
        prompt=_prompt(texts),
        greeting=texts["first_mes"],
        examples=texts["mes_example"],
        note=_ORIGINAL.sub("", texts["post_history_instructions"]).strip(),
        trigger_words=extension.trigger_words,
        model=extension.model,
        temperature=extension.temperature,
        top_p=extension.top_p,
        max_output_tokens=extension.max_output_tokens,
    )


def _name(fields: Mapping[str, Any]) -> str:
    """A nickname is what it is called in a conversation; its name may be that of a file (`Luna (moon version 2)`)."""
    for field in ("nickname", "name"):
        text = _text(fields, field)
        if name := safe_line(text, len(text)):
            return name
    raise CardError(Fault.NO_NAME)


def _prompt(texts: Mapping[str, str]) -> str:
    pieces = (
        _ORIGINAL.sub("", texts["system_prompt"]).strip(),
        texts["description"],
        f"Personality: {texts['personality']}" if texts["personality"] else "",
        f"Scenario: {texts['scenario']}" if texts["scenario"] else "",
    )
    return "\n\n".join(filter(None, pieces))


def _text(fields: Mapping[str, Any], field: str) -> str:
    value = fields.get(field)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise CardError(Fault.WRONG_KIND, field=field)
    return value.replace("\r\n", "\n").strip()


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _extension(fields: Mapping[str, Any]) -> ParleyExtension:
    extensions = fields.get("extensions")
    ours = extensions.get("parley") if isinstance(extensions, dict) else None
    try:
        return msgspec.convert(ours or {}, ParleyExtension)
    except msgspec.ValidationError:
        raise CardError(Fault.WRONG_KIND, field="extensions.parley") from None


# --------------------------------------------------------------------------------------------------------------- writing


def _written(persona: Persona, spec: str, version: str) -> bytes:
    card: dict[str, Any] = msgspec.json.decode(persona.card) if persona.card else {}
    fields = _fields(card) if card else {}
    # In version 1 the fields stand at the top, and move into `data`.
    root = {} if fields is card else card
    data = {
        **_EMPTY,
        **{field: value for field, value in fields.items() if value is not None},
        **_changed(persona, fields),
    }
    # Many write the older fields at the top too, for programs that look there.
    kept = {field: data[field] if field in _OLDER else value for field, value in root.items()}
    return msgspec.json.encode({**kept, "spec": spec, "spec_version": version, "data": data})


def _changed(persona: Persona, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of the card that must be written anew, so that this persona is read from it."""
    read = _as_persona(fields) if fields else Persona(NOBODY)
    changed: dict[str, Any] = {}
    if persona.name != read.name:
        changed |= {"name": persona.name} | ({"nickname": persona.name} if fields.get("nickname") else {})
    if persona.prompt != read.prompt:
        changed |= {"description": persona.prompt, "personality": "", "scenario": "", "system_prompt": ""}
    if persona.greeting != read.greeting:
        changed["first_mes"] = persona.greeting
    if persona.examples != read.examples:
        changed["mes_example"] = persona.examples
    if persona.note != read.note:
        changed["post_history_instructions"] = persona.note
    return {**changed, "extensions": _extensions(persona, fields.get("extensions"))}


def _extensions(persona: Persona, written: Any) -> dict[str, Any]:
    """Those of others as they were, and ours as they are now."""
    extensions = dict(written) if isinstance(written, dict) else {}
    of_now = ParleyExtension(**{field: getattr(persona, field) for field in ParleyExtension.__struct_fields__})
    ours = extensions.pop("parley", None) or {}
    ours = {key: value for key, value in ours.items() if key not in ParleyExtension.__struct_fields__}
    ours |= msgspec.to_builtins(of_now)
    return {**extensions, "parley": ours} if ours else extensions
