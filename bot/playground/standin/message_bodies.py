"""From the body of a request to a message, or to the edit of one: shared by channels and interactions."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from bot.playground.standin.backend import Backend
from bot.playground.standin.contents import Upload
from bot.playground.standin.drafts import Change, Draft
from bot.playground.standin.errors import invalid_form
from bot.playground.standin.events import Json
from bot.playground.standin.media import check_references, with_addresses, with_media
from bot.playground.standin.routing import ApiRequest
from bot.playground.standin.validation import SETTABLE_FLAGS, MessageFlag, check_files, check_message, check_not_empty


def draft_of(backend: Backend, channel_id: str, request: ApiRequest, body: Json) -> Draft:
    """The new message of a body that has the right shape, its files stored. Raises ApiError."""
    check_message(body)
    check_files((len(file.data) for file in request.files), backend.world.file_limit(channel_id))
    _check_attachments(body, (file.placeholder_id for file in request.files))
    check_not_empty({**body, "attachments": request.files})
    check_references(body, _new_names(request, body).values())
    attachments = _store_files(backend, channel_id, request, body)
    files = {attachment["filename"]: attachment for attachment in attachments}
    return Draft(
        content=body.get("content") or "",
        embeds=tuple(with_addresses(_rich(body.get("embeds")), files)),
        components=tuple(with_media(body.get("components") or (), files, backend.world.new_id)),
        attachments=attachments,
        flags=int(body.get("flags") or 0) & SETTABLE_FLAGS,
        nonce=body.get("nonce"),
        allowed_mentions=body.get("allowed_mentions"),
    )


def change_of(backend: Backend, message: Json, request: ApiRequest, body: Json) -> Change:
    """The edit of `message` by a body that has the right shape: null empties a field. Raises ApiError."""
    check_message(body, earlier_flags=message["flags"])
    kept = _kept_attachments(message, body)
    limit = backend.world.file_limit(message["channel_id"])
    check_files((len(file.data) for file in request.files), limit, kept=len(kept))
    own = [attachment["id"] for attachment in message["attachments"]]
    _check_attachments(body, (*own, *(file.placeholder_id for file in request.files)))
    change = Change(
        content=(body["content"] or "") if "content" in body else None,
        embeds=_rich(body["embeds"]) if "embeds" in body else None,
        components=tuple(body["components"] or ()) if "components" in body else None,
        flags=_edited_flags(message, body) if body.get("flags") is not None else None,
        allowed_mentions=body.get("allowed_mentions"),
    )
    after = {
        field: message[field] if getattr(change, field) is None else getattr(change, field)
        for field in ("content", "embeds", "components", "flags")
    }
    check_not_empty({**after, "attachments": (*kept, *request.files)})
    # An edit may turn a message into components V2, and then has to clear what cannot stay.
    check_message({**after, "embeds": list(after["embeds"])})
    known = {attachment["filename"]: attachment for attachment in kept if _is_named(attachment, body)}
    check_references(body, {*known, *_new_names(request, body).values()})
    # Files are stored last, when nothing can refuse the edit any more.
    stored = _store_files(backend, message["channel_id"], request, body)
    files = known | {attachment["filename"]: attachment for attachment in stored}
    return msgspec.structs.replace(
        change,
        embeds=None if change.embeds is None else tuple(with_addresses(change.embeds, files)),
        components=None
        if change.components is None
        else tuple(with_media(change.components, files, backend.world.new_id)),
        attachments=(*kept, *stored) if "attachments" in body or stored else None,
    )


def _rich(embeds: list[Json] | None) -> tuple[Json, ...]:
    """An application's embeds are of this type, whatever it says."""
    return tuple({**embed, "type": "rich"} for embed in embeds or ())


def _edited_flags(message: Json, body: Json) -> int:
    """IS_COMPONENTS_V2 can be set by an edit but never removed."""
    kept = message["flags"] & ~MessageFlag.SUPPRESS_EMBEDS
    return int(kept | body["flags"] & (MessageFlag.SUPPRESS_EMBEDS | MessageFlag.IS_COMPONENTS_V2))


def _kept_attachments(message: Json, body: Json) -> list[Json]:
    """Those that the edit names, or all when it does not speak of attachments."""
    attachments: list[Json] = message["attachments"]
    if "attachments" not in body:
        return attachments
    named = {str(entry["id"]) for entry in body["attachments"] or ()}
    return [attachment for attachment in attachments if attachment["id"] in named]


def _is_named(attachment: Json, body: Json) -> bool:
    """Whether the edit may refer to this file that it keeps: an entry that has only its id does not name it."""
    entries = {str(entry["id"]): entry for entry in body.get("attachments") or ()}
    return "attachments" not in body or bool(entries[attachment["id"]].get("filename"))


def _check_attachments(body: Json, known_ids: Iterable[str]) -> None:
    """Raises 50035 for an entry that speaks of no file: none in the request, none on the message."""
    known = set(known_ids)
    for index, entry in enumerate(body.get("attachments") or ()):
        if str(entry["id"]) not in known:
            raise invalid_form(f"attachments.{index}", "ATTACHMENT_NOT_FOUND", "Attachment data not found")


def _new_names(request: ApiRequest, body: Json) -> dict[str, str]:
    """What the files of the request are called, by their placeholders; `attachments` may call them otherwise."""
    given = {str(entry["id"]): entry.get("filename") for entry in body.get("attachments") or ()}
    return {file.placeholder_id: given.get(file.placeholder_id) or file.filename for file in request.files}


def _store_files(backend: Backend, channel_id: str, request: ApiRequest, body: Json) -> tuple[Json, ...]:
    described = {str(entry["id"]): entry for entry in body.get("attachments") or ()}
    names = _new_names(request, body)
    stored = []
    for file in request.files:
        entry, name = described.get(file.placeholder_id, {}), names[file.placeholder_id]
        upload = Upload(filename=name, data=file.data, description=entry.get("description"))
        stored.append(backend.attachments.add(channel_id, backend.world.new_id(), upload))
    return tuple(stored)
