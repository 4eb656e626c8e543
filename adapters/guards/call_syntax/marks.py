"""The marks between which models write calls, when a server leaves them in the text.

Two shapes. Tags: `<tool_call>`, `<invoke name="…">`, `<function=…>`, with any namespace, in any case, with attributes. And fixed
marks, special tokens of one model family each. A row says how a block begins, what ends it, and, where the mark itself says it,
which tool it calls; a new family is a new row. What stands inside is block.py's. That a mark stands there makes no call: an
answer may speak of it, so `plausible` looks at the first characters behind it, and lets go early.

Sources: the chat templates that the models ship with, and the parsers of vLLM, SGLang and llama.cpp for them.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import msgspec
import regex

LONGEST: Final = 256
"""Characters of the longest opening or closing mark, attributes included."""

LOOK_AHEAD: Final = 256
"""Characters behind an opening mark that `plausible` looks at."""

SECONDS: Final = {"<": "A-Za-z|｜", "[": "TC", "]": "<"}
"""The first characters of opening marks, and those that can follow each, as in a class of a regular expression."""

M3: Final = "]<]minimax[>["
"""Stands before every tag of MiniMax M3."""


class Opening(msgspec.Struct, frozen=True):
    """A mark that begins a block."""

    end: int
    """Index behind the mark."""
    closes: tuple[str, ...] = ()
    """Any of these ends the block. Without any, the JSON value that follows the mark is the rest of it."""
    name: str = ""
    """The tool, where the mark says it."""
    tail: str = ""
    """Belongs to the block where it stands directly behind the JSON value."""


class Row(msgspec.Struct, frozen=True):
    """A way to begin a block. A group `name` of the pattern is the tool; the closing marks may repeat other groups of it."""

    pattern: str
    closes: tuple[str, ...] = ()
    tail: str = ""


NAME: Final = r"[A-Za-z0-9_][\w.-]{0,127}"
NAMESPACE: Final = r"(?i:[a-z][a-z0-9_.-]{0,31}:|[|｜]{1,2}DSML[|｜]{1,2})?"
"""`minimax:`, `seed:`, `steptml:`; and `｜DSML｜` of DeepSeek V3.2 and V4, also seen with other bars."""
SUFFIX: Final = r"(?::[\w-]{1,32})?"
"""Hunyuan 3 writes `<tool_calls:opensource>`."""
_ATTRIBUTE: Final = r"""\s{1,8}[A-Za-z_][\w:.-]{0,63}\s?=\s?(?:"[^"<>]{0,128}"|'[^'<>]{0,128}'|[^\s"'<>=]{1,128})"""
_CALLED: Final = r"""\s{1,8}name\s?=\s?["']?(?P<name>[^\s"'<>]{1,128})["']?"""
_ATTRIBUTES: Final = rf"(?:{_ATTRIBUTE})*?(?:{_CALLED}(?:{_ATTRIBUTE})*)?"
_JSON: Final = r"\s{0,8}(?=[{\[])"

_ONE: Final = "(?i:tool_call|toolcall|function_call|longcat_tool_call)"
_MANY: Final = "(?i:tool_calls|toolcalls|function_calls|tool_use|tools|tool_code)"
"""Holds calls between marks of their own, or as Python; `<tools>` is written by Qwen2.5-Coder, `<tool_code>` by Gemini."""
_M3: Final = rf"(?:{regex.escape(M3)}\s{{0,8}})?"


def _tag(words: str, rest: str) -> str:
    return rf"{_M3}<(?P<tag>{NAMESPACE}(?P<word>{words}){SUFFIX}){rest}\s{{0,8}}>"


_OWN: Final = (r"</\g<tag>>", r"</\g<word>>")

ROWS: Final = (
    # ---- tags
    Row(_tag(_ONE, _ATTRIBUTES), (*_OWN, "</tool_call>", "</function_call>")),
    Row(_tag(_MANY, _ATTRIBUTES), _OWN),
    Row(_tag("(?i:invoke|function)", _ATTRIBUTES.removesuffix("?")), _OWN),
    # Qwen3-Coder and Seed-OSS, often without the outer tag; Llama 3 with JSON inside.
    Row(_tag("(?i:function)", r"""\s?=\s?["']?(?P<name>[^\s"'<>]{1,128})["']?"""), (*_OWN, "</tool_call>")),
    # ---- DeepSeek V3, R1 and V3.1, Step 3 (`<｜tool▁calls▁begin｜>`, also spelt plainly), Kimi K2 (with `section`)
    Row(
        r"<(?P<head>[|｜]tool[▁_ ]calls?(?:[▁_ ]section)?[▁_ ])begin(?P<bar>[|｜])>",
        (r"<\g<head>end\g<bar>>",),
    ),
    # ---- Kimi K3
    Row(r"<\|open\|>tools<\|sep\|>", ("<|close|>tools<|sep|>",)),
    Row(
        r"""<\|open\|>call\s{1,8}tool=["'](?P<name>[^"'<>|]{1,128})["'](?:[^<>|\n]{0,64})<\|sep\|>""",
        ("<|close|>call<|sep|>",),
    ),
    # ---- Mistral: a list of JSON; or, since its eleventh tokenizer, each call with a name before it
    Row(rf"\[TOOL_CALLS\]{_JSON}"),
    Row(rf"\[TOOL_CALLS\]\s?(?P<name>{NAME})(?:\[CALL_ID\]\w{{1,64}})?(?:\[ARGS\])?\s{{0,8}}(?={{)"),
    # ---- LM Studio, of models without a form of their own
    Row(r"\[TOOL_REQUEST\]", ("[END_TOOL_REQUEST]",)),
    # ---- gpt-oss; `<|call|>` ends the answer there, so that servers leave it out
    Row(
        r"(?:<\|start\|>assistant)?<\|channel\|>(?:commentary|analysis) to=(?P<name>[\w.-]{1,128})"
        rf"\s?(?:<\|constrain\|>)?\s?(?:json|code)?\s?<\|message\|>{_JSON}"
    ),
    Row(
        r"<\|start\|>assistant to=(?P<name>[\w.-]{1,128})\s?<\|channel\|>(?:commentary|analysis)"
        rf"\s?(?:<\|constrain\|>)?\s?(?:json|code)?\s?<\|message\|>{_JSON}"
    ),
    # ---- one family each
    Row(r"<\|python_tag\|>", ("<|eom_id|>", "<|eot_id|>")),  # Llama 3: to the end of the answer
    Row(r"<\|python_start\|>", ("<|python_end|>",)),  # Llama 4
    Row(r"<\|tool_call>", ("<tool_call|>",)),  # Gemma 4
    Row("<start_function_call>", ("<end_function_call>",)),  # FunctionGemma
    Row(rf"<\|tool_call\|>{_JSON}"),  # Granite 3, Phi-4-mini
    Row(rf"<\|function_call\|>{_JSON}"),  # GigaChat 3
    Row(r"<\|START_ACTION\|>", ("<|END_ACTION|>",)),  # Cohere Command
    Row(r"<\|action_start\|>\s?<\|plugin\|>", ("<|action_end|>",)),  # InternLM
    Row(r"<\|tool_call_start\|>", ("<|tool_call_end|>",)),  # LFM2
    Row(r"<\|tools_prefix\|>", ("<|tools_suffix|>",)),  # Apertus
    # ---- what models write that saw logs of calls in their own history
    Row(rf"\[(?:Calling|Called) tool: ?(?P<name>{NAME}) with arguments:\s{{0,8}}(?={{)", tail="]"),
)

STRAYS: Final = (
    rf"{_M3}</{NAMESPACE}(?:{_ONE}|{_MANY}|(?i:invoke|function|tool)){SUFFIX}\s{{0,8}}>",
    r"<[|｜]tool[▁_ ]calls?(?:[▁_ ]section)?[▁_ ]end[|｜]>",
    r"<\|close\|>(?:call|tools|message|response)<\|sep\|>",
    r"<\|(?:eom_id|eot_id|im_end|end|call|return|endoftext|end_of_text|end_of_msg|/tool_call|END_ACTION|action_end|"
    r"END_OF_TURN_TOKEN|tools_suffix|tool_call_end|python_end|assistant_end|message_sep)\|>",
    r"<(?:tool_call\||end_function_call|start_function_response|\|tool_response|end_of_turn|turn\||/s|eos)>",
    "<｜end▁of▁sentence｜>",
    r"\[(?:/TOOL_CALLS|END_TOOL_REQUEST)\]",
)
"""Closing and end marks that may trail behind a call, and mean nothing there."""


_ANY_OPENING: Final = "|".join(f"(?:{row.pattern})" for row in ROWS)
_STRAY: Final = "|".join(STRAYS)


@cache
def _compiled(pattern: str) -> regex.Pattern[str]:
    """Once it is needed: to compile them all takes longer than to import the rest of the package."""
    return regex.compile(pattern, regex.ASCII)


def opening_at(text: str, at: int) -> Opening | None:
    """The whole opening mark that begins at `at`. Where blanks or a tool's name may belong to it, the character behind it decides,
    so that it is not whole before that has come."""
    if text[at : at + 1] not in SECONDS or _compiled(_ANY_OPENING).match(text, at, at + LONGEST) is None:
        return None
    for row in ROWS:
        if found := _compiled(row.pattern).match(text, at, at + LONGEST):
            closes = tuple(dict.fromkeys(found.expand(close) for close in row.closes))
            return Opening(found.end(), closes, found.groupdict().get("name") or "", row.tail)
    return None


def may_become_opening(text: str, at: int) -> bool:
    """Whether the text from `at` to its end is the beginning of an opening mark, and not a whole one."""
    return _is_begun(_ANY_OPENING, text, at)


def stray_at(text: str, at: int) -> int | None:
    """Where the stray mark ends that begins at `at`."""
    found = _compiled(_STRAY).match(text, at, at + LONGEST)
    return found.end() if found else None


def may_become_stray(text: str, at: int) -> bool:
    """Whether the text from `at` to its end is the beginning of a stray mark, and not a whole one."""
    return _is_begun(_STRAY, text, at)


def _is_begun(pattern: str, text: str, at: int) -> bool:
    if not 0 < len(text) - at < LONGEST:
        return False
    found = _compiled(pattern).match(text, at, partial=True)
    return found is not None and found.partial


# ------------------------------------------------------------------------------------------- what may stand behind them

_BLANK: Final = r"\s{0,64}"
_FENCE: Final = r"(?:```\w{0,16}\s{0,8})?"
_OBJECT: Final = rf"""\{{{_BLANK}(?:["'}}]|{NAME}\s?:)"""
_PAYLOAD: Final = regex.compile(
    rf"{_BLANK}{_FENCE}(?:{_OBJECT}|\[{_BLANK}(?:{_OBJECT}|{NAME}\()"
    rf"|{_M3}<{NAMESPACE}(?i:function|invoke|tool_|name>|tool_name>)|<[|｜]tool|<\|open\|>"
    rf"|(?:call:)?{NAME}(?::\d{{1,4}})?(?:[({{]|\s{{0,8}}(?:<[|｜]?tool|<arg_|```|\n\s{{0,8}}\{{)))"
    rf"|(?:\s{{0,8}}\n\s{{0,8}})?{NAME}\s{{0,8}}</",
    regex.ASCII,
)
"""A name alone is a call of a tool without arguments (GLM-4.5), but not in a row: "between <tool_call> and </tool_call>"."""
_BODY: Final = regex.compile(
    rf"{_BLANK}{_FENCE}(?:{_OBJECT}|\[|{_M3}</?{NAMESPACE}[A-Za-z]|<\|(?:open|close)\|>)", regex.ASCII
)
"""Behind a mark that names the tool: its arguments, or its end."""


def plausible(opening: Opening, payload: str) -> bool | None:
    """Whether what follows the opening mark can still be a call. None: not known yet, for want of characters."""
    found = (_BODY if opening.name else _PAYLOAD).match(payload, 0, LOOK_AHEAD, partial=True)
    if found is None:
        return False
    if not found.partial:
        return True
    return None if len(payload) < LOOK_AHEAD else False
