"""Arguments between tags, one parameter each, as the text that stands there.

    <parameter=city>Oslo</parameter>            Qwen3-Coder, Seed-OSS
    <parameter name="city">Oslo</parameter>     MiniMax M2, DeepSeek V3.2 (`<｜DSML｜parameter …>`), Step 3; `<param …>` MiniCPM 5
    <arg_key>city</arg_key><arg_value>Oslo…     GLM-4.5, Hunyuan 3
    <|open|>argument key="city" …<|sep|>Oslo…   Kimi K3
    <city>Oslo</city>                           MiniMax M3, and models that make it up

A value may hold what looks like its closing mark (a model writes about calls, or writes a parser): the mark counts where another
parameter or the call's end follows. Closing marks that models forget are taken as read before the next parameter.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from adapters.guards.call_syntax.marks import NAMESPACE, SUFFIX

_KEY: Final = r"""["']?(?P<key>[^"'<>\n]{1,128}?)["']?"""
_REST: Final = r"(?:\s[^<>]{0,128})?>"
_CALL_END: Final = rf"</{NAMESPACE}(?:function|invoke|tool_call){SUFFIX}>|<\|close\|>call<\|sep\|>"
_OWN_LINES: Final = re.compile(r"\A\r?\n|\r?\n\Z")
_CDATA: Final = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>\s*", re.DOTALL)


class _Form(msgspec.Struct, frozen=True):
    opening: str
    """Its group `key` is the parameter's name."""
    closing: str
    """What closes the value; repeats groups of the opening mark."""
    closings: str
    """What looks like it."""
    follows: str
    """What can stand behind it."""
    another: str = ""
    """How the next parameter begins, which ends a value whose closing mark was forgotten. Without it none is ever forgotten."""


class _Compiled:
    def __init__(self, form: _Form) -> None:
        self.opening = re.compile(form.opening, re.ASCII)
        self.closing = form.closing
        self.forgetful = bool(form.another)
        marks = rf"(?P<another>{form.another})|(?P<ender>{_CALL_END})|" if form.another else ""
        self.marks = re.compile(rf"{marks}{form.closings}", re.ASCII)
        self.follows = re.compile(rf"\s*(?:\Z|{form.follows})", re.ASCII)


_PARAMETER: Final = rf"<{NAMESPACE}(?i:parameter|param)"
_FORMS: Final = tuple(
    _Compiled(form)
    for form in (
        _Form(
            rf"<(?P<tag>{NAMESPACE}(?i:parameter|param))(?:\s?=|\s{{1,8}}name\s?=)\s?{_KEY}{_REST}",
            r"</\g<tag>>",
            closings=rf"</{NAMESPACE}(?i:parameter|param)>",
            follows=rf"</|```|<\||{_PARAMETER}|<{NAMESPACE}(?i:invoke|function)",
            another=rf"{_PARAMETER}(?:\s?=|\s{{1,8}}name\s?=)",
        ),
        _Form(
            rf"<arg_key{SUFFIX}>\s{{0,8}}(?P<key>[^<>\n]{{1,128}}?)\s{{0,8}}</arg_key{SUFFIX}>\s*<(?P<tag>arg_value{SUFFIX})>",
            r"</\g<tag>>",
            closings=rf"</arg_value{SUFFIX}>",
            follows="</|<arg_key|<tool_call",
            another=rf"<arg_key{SUFFIX}>",
        ),
        _Form(
            rf"<\|open\|>argument\s{{1,8}}(?:key|name)\s?=\s?{_KEY}(?:\s[^<>|]{{0,128}})?<\|sep\|>",
            "<|close|>argument<|sep|>",
            closings=r"<\|close\|>argument<\|sep\|>",
            follows=r"<\|",
            another=r"<\|open\|>argument\s",
        ),
        _Form(
            r"<(?P<key>[A-Za-z_][\w.-]{0,127})>",
            r"</\g<key>>",
            closings=r"</[A-Za-z_][\w.-]{0,127}>",
            follows="<",
        ),
    )
)


class Parameter(msgspec.Struct, frozen=True):
    key: str
    value: str
    end: int
    """Index behind the closing mark."""
    whole: bool
    """It was not the text's end that ended the value."""


def parameter_at(text: str, at: int, *, closed: bool) -> Parameter | None:
    """The parameter whose opening mark begins at `at`. `closed`: a closing mark of the call stands behind the text."""
    for form in _FORMS:
        if opened := form.opening.match(text, at):
            stop, end = _end_of_value(form, opened) or (len(text), len(text))
            whole = stop < len(text) or (closed and form.forgetful)
            return Parameter(opened["key"], _value(text[opened.end() : stop]), end, whole)
    return None


def _end_of_value(form: _Compiled, opened: re.Match[str]) -> tuple[int, int] | None:
    """Where the value ends, and where what closes it ends."""
    closing = opened.expand(form.closing)
    fallback: tuple[int, int] | None = None
    call_end: int | None = None
    for mark in form.marks.finditer(opened.string, opened.end()):
        if mark[0] == closing:
            if form.follows.match(opened.string, mark.end()):
                return mark.span()
            fallback = fallback or mark.span()
        elif mark.lastgroup == "ender":
            call_end = mark.start() if call_end is None else call_end
        elif mark.lastgroup == "another":
            stop = mark.start() if call_end is None else call_end
            return stop, stop
    return fallback or ((call_end, call_end) if call_end is not None else None)


def _value(written: str) -> str:
    """As the templates write them: a line each for the marks, which is not the value's."""
    if found := _CDATA.fullmatch(written):
        return found[1]
    return _OWN_LINES.sub("", written)
