"""What the wording of an error may make of a reason that its code or status left coarse: the last resort.

Most vendors have no code for "the conversation is too long" or "there is no such model", and each has words of its own. The
patterns are kept apart by the coarse reason that they may refine, so that the word "deprecated" in a 429 means nothing. Where
each wording comes from stands beside the real messages in tests/adapters/errors/error_messages.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final, TypeAlias

from adapters.contract import ErrorReason
from adapters.errors.codes import Grade, Row

R = ErrorReason

MAX_CHARS: Final = 4000
"""How much of an error's text is looked at: what follows is the request quoted back, and that may talk of anything."""


def _words(*patterns: str) -> str:
    return "|".join(patterns)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Only a process that sees such an error pays for it."""
    return re.compile(pattern, re.IGNORECASE)


_ANSWER_LIMIT: Final = _words(
    # The wish for a long answer is refused, not the conversation: Groq, Bedrock, DeepSeek, Anthropic.
    r"max_(?:completion_|output_)?tokens.{0,20}must be less than",
    r"maximum tokens you requested",
    r"valid range of max_tokens",
    r"maximum allowed number of output tokens",
)
_CONTEXT: Final = _words(
    r"context[ _-]?(?:length|window|size|limit)",
    r"context the overflows|context overflow",
    r"maximum (?:prompt|input|sequence|model|token) length",
    r"(?:prompt|input|conversation|messages?) (?:is |are )?too (?:long|large)",
    r"too (?:long|large) for (?:the )?(?:requested )?model",
    r"(?:input|prompt) token count",
    r"exceed\w* (?:the )?(?:model'?s? )?(?:max\w* )?(?:context|input|token) limit",
    r"exceed\w* (?:the )?(?:max\w* )?(?:allowed )?(?:number of )?(?:input )?tokens",
    r"exceed\w* model token limit|token limit (?:was )?(?:exceeded|reached)",
    r"exceed\w* (?:the )?max(?:imum)? (?:model |sequence |prompt |input )?len",
    r"max(?:imum)? (?:model |sequence |prompt |input )?len(?:gth)? (?:was )?exceeded",
    r"too many (?:input |prompt |total )?tokens(?!.{0,30}(?:please wait|per (?:minute|day)))",
    r"reduce the (?:length|size) of",
    r"(?:reduce|shorten) your (?:prompt|messages?|input)",
    r"longer than the (?:maximum|model)",
    r"tokens \+ .max_new_tokens",
    r"max_tokens must be at least 1, got -",
    r"range of input length should be",
    r"trying to keep the first \d+ tokens|tokens to keep from the initial prompt",
    r"request body too large for .{1,60} model",
    r"prompt_tokens .{0,40}must be less than",
    # OpenAI, of a text or of the list of messages, and not of an id or a name inside of them
    r"invalid '(?:messages|input|instructions|prompt)(?:\[\d+\]|\.(?:content|text|output|tool_calls|function|arguments))*': \w+ too long",
    r"上下文.{0,10}(?:超|过长)|输入.{0,10}(?:超长|过长)|prompt ?超长|(?:超过|超出).{0,12}(?:上下文|最大长度|长度限制)",
)
_TOO_LARGE_FOR_MINUTE: Final = _words(r"request too large for")
_NO_CHANNEL: Final = r"无可用渠道|no (?:available channels?|channels available) for model"
"""one-api and new-api: no host behind the router has this model."""

_MODEL_GONE: Final = _words(
    r"\bmodel\b.{0,120}?(?:not found|(?:does|do|did) ?n[o']t exist|not exist|is not available|not a valid model)",
    r"\bmodels?/\S{1,120} is not found",
    r"not found the model",
    r"(?:unknown|no such|invalid|unrecognized|unsupported) model\b(?! (?:parameter|output|input|response))",
    r"model (?:identifier|name|id) is invalid",
    r"(?:not|isn't) a valid model",
    r"no endpoints found for",
    r"no allowed providers",
    r"\bmodel ['\"`][^'\"`]{1,120}['\"`] is not supported",
    r"\bmodel\b.{0,120}?(?:decommissioned|end of (?:its )?life|no longer (?:available|supported)|been (?:retired|removed|shut down))",
    r"model is unavailable",
    r"on-demand throughput",
    r"unable to access (?:non-serverless )?model",
    r"function '[^']{1,80}': not found for account",
    r"no models? (?:is |are )?loaded",
    r"supported (?:api )?model names are",
    r"\A\W*model: \S+\W*\Z",
    r"is not supported for task",
    r"模型.{0,40}(?:不存在|已下线)|不支持的模型",
    _NO_CHANNEL,
)
_UNSUPPORTED: Final = _words(
    r"(?:not supported|unsupported).{0,60}\bmodel\b",
    r"\bmodel\b.{0,80}(?:does not|doesn't|do not) support",
    r"\bmodel is not supported (?:by|in|on|for|with)\b",
    r"(?:unsupported|unrecognized|unknown) (?:request )?(?:parameter|value|argument|field|name)",
    r"(?:does not|doesn't) support (?:tool|image|function|stream|thinking|vision|chat|reasoning|generate|completion|param)",
    r"(?:does not|doesn't) support \w{2,60}=",
    r"(?:image|audio|video|tool|file)s? (?:inputs? )?(?:is|are) not supported",
    r"endpoints found that support",
    r"extra inputs are not permitted|extra_forbidden|extra fields not permitted",
    r"additional properties are not allowed|extraneous key",
    r"property .{1,80} is unsupported",
    r"(?:is|was|are) deprecated for this model",
    r"argument not supported",
    r"not enabled for (?:this model|models/)",
    r"only works in thinking mode|can't be disabled for this model",
    r"tools param requires|tool choice requires",
    r"not a (?:multimodal|chat) model|not a VLM\b",
    r"only supported in v1/|response_format type is unavailable|(?:does not|doesn't) support this \w+_\w+",
    r"模型不支持",
)
_BAD_KEY: Final = _words(
    r"api[ _-]?key.{0,30}(?:not valid|invalid|incorrect|expired|revoked|disabled|leaked)",
    r"(?:invalid|incorrect|wrong|expired|missing|revoked) (?:or \w+ )?(?:x-)?api[ _-]?key",
    r"(?:authentication|authorization) (?:fails|failed|error)",
    r"(?:invalid|expired) (?:access |bearer |auth\w* )?token|token (?:has |is )?expired|token .{0,40}is (?:invalid|expired)",
    r"no auth credentials found|invalid credentials|user not found",
    r"(?:didn't|did not) provide an api key|no api key provided|make sure your api key is valid",
    r"has been suspended|reported as leaked",
    r"user not authenticated",
    r"无效的.{0,6}(?:令牌|密钥|key)|(?:令牌|密钥|key).{0,6}(?:无效|过期|不正确)",
)
_NO_MONEY: Final = _words(
    r"insufficient[ _](?:account )?(?:balance|credits?|funds|quota)",
    r"credit balance is too low",
    r"(?:not enough|more|out of|used all (?:available )?|additional) credits|not enough (?:balance|funds)",
    r"please (?:recharge|top[ -]up)",
    r"exceeded your monthly",
    # The same sentence with Google's address stands for any of its limits.
    r"exceeded your current quota(?!.{0,400}google)",
    r"credits (?:are|were|have been) (?:depleted|exhausted|used up)",
    r"(?:spending|spend) (?:limit|cap)",
    r"billing (?:is )?(?:not (?:active|enabled)|hard limit|disabled)|payment (?:required|method|instrument)|_payment_instrument",
    r"suspended.{0,80}(?:spending|invoice|billing|payment)",
    r"account is in good standing|overdue payment|arrear",
    r"free tier .{0,40}exhausted|exhausted its free|free quota .{0,20}(?:used up|exhausted)",
    r"extra usage is required",
    r"余额不足|额度不足|额度已用尽|欠费",
)
_FILTERED: Final = _words(
    r"content[ _-]?(?:policy|filter|management policy|moderation|inspection)",
    r"flagged (?:by|as|for)|(?:was|been|were) flagged",
    r"safety (?:system|filter|check|policy|reasons|settings)",
    r"(?:usage|acceptable use) (?:policy|policies|guidelines)",
    r"requires? moderation|blocked by moderation|prohibited content|inappropriate content",
    r"considered high risk|content exists risk|data inspection|responsible ai",
    r"new_sensitive|敏感|不安全|违规",
)
_NOT_ALLOWED: Final = _words(
    r"location is not supported|country, region,? or territory|not available in your (?:country|region)",
    r"data policy|guardrail restrictions",
    r"operation not allowed|not authorized to|no permission|not allowed to (?:use|access)",
    r"organization has been (?:disabled|restricted)|must be verified",
    r"(?:do not|don't|does not|doesn't) have (?:access|permission)",
    r"requires? (?:a )?subscription|terms acceptance",
)
_WINDOW: Final = _words(
    r"per[ _-]?(?:day|week|month)\b|per(?:day|month)(?:per|[A-Z_-])|by(?:day|month)\b|per 86400 ?s",
    r"\b(?:daily|weekly|monthly|hourly)\b",
    r"\((?:TPD|RPD|ASPD)\)|\b(?:TPD|RPD) rate limit",
    r"(?:usage|session) limits?|usage quota|\d[\w ]{0,20} ?/ ?(?:day|week|month)\b",
    r"regain access on|limit will reset (?:at|on)",
    r"(?:hour|week|month) allocated quota exceeded",
    r"今日|每日|每周|每月",
)
_OVERLOADED: Final = _words(
    r"overloaded",
    r"(?:at|over|out of|no) (?:maximum )?capacity|capacity (?:exceeded|exhausted|constraints)",
    r"model (?:is )?busy|server overload",
    r"上游负载|访问量过大|饱和",
)
_BUSY: Final = _words(
    r"(?:server|system|engine|service) (?:is )?(?:currently |too )?busy|(?:experiencing )?high demand",
    r"temporarily unavailable|please wait, loading|loading model|no (?:available|healthy) (?:server|upstream|worker)",
    r"maximum pending requests",
    r"繁忙",
)
_TOO_OFTEN: Final = _words(
    r"rate[ _-]?limit", r"too many requests", r"throttl", r"too many tokens", r"并发数过高|频率过高|过于频繁|速率限制"
)
_OUT_OF_MEMORY: Final = _words(r"requires more (?:system )?memory", r"insufficient memory|out of memory")

Rules: TypeAlias = tuple[tuple[str, Row], ...]

_NEVER_FITS: Final = Row(R.RATE_LIMIT, Grade.OPEN, retryable=False)
"""OpenAI: one request is larger than what a whole minute allows."""

_TOO_SMALL_A_MACHINE: Final = Row(R.SERVER, Grade.OPEN, retryable=False)
"""Ollama: the model does not fit into the memory, now or later."""

_MODEL_RULES: Final[Rules] = (
    (_ANSWER_LIMIT, Row(R.BAD_REQUEST)),
    (_CONTEXT, Row(R.CONTEXT_LENGTH)),
    (_BAD_KEY, Row(R.AUTH)),
    (_NO_MONEY, Row(R.QUOTA)),
    (_MODEL_GONE, Row(R.MODEL_NOT_FOUND)),
    (_UNSUPPORTED, Row(R.MODEL_UNSUPPORTED)),
    (_FILTERED, Row(R.CONTENT_FILTER)),
    (_NOT_ALLOWED, Row(R.PERMISSION)),
)

WORDING: Final[Mapping[ErrorReason, Rules]] = {
    R.BAD_REQUEST: (
        *_MODEL_RULES,
        (_words(r"reached your specified api usage limits", r"regain access on"), Row(R.QUOTA_WINDOW)),
        (_words(r"overloaded"), Row(R.OVERLOADED)),
        (_TOO_OFTEN, Row(R.RATE_LIMIT)),
    ),
    R.PAYLOAD_TOO_LARGE: (
        (_TOO_LARGE_FOR_MINUTE, Row(R.CONTEXT_LENGTH)),
        (_CONTEXT, Row(R.CONTEXT_LENGTH)),
    ),
    R.AUTH: ((_NO_MONEY, Row(R.QUOTA)),),
    R.PERMISSION: (
        (_NO_MONEY, Row(R.QUOTA)),
        (_words(r"limit exceeded \((?:daily|weekly|monthly)"), Row(R.QUOTA_WINDOW)),
        (_words(r"limit exceeded"), Row(R.QUOTA)),
        (_FILTERED, Row(R.CONTENT_FILTER)),
        (_BAD_KEY, Row(R.AUTH)),
    ),
    R.RATE_LIMIT: (
        (_NO_MONEY, Row(R.QUOTA)),
        (_OVERLOADED, Row(R.OVERLOADED)),
        (_WINDOW, Row(R.QUOTA_WINDOW)),
        (_TOO_LARGE_FOR_MINUTE, _NEVER_FITS),
    ),
    R.OVERLOADED: ((_words(_NO_CHANNEL), Row(R.MODEL_NOT_FOUND)),),
    R.SERVER: (
        (_OVERLOADED, Row(R.OVERLOADED)),
        (_BUSY, Row(R.OVERLOADED)),
        (_OUT_OF_MEMORY, _TOO_SMALL_A_MACHINE),
        *_MODEL_RULES,
        (_words(r"reached your specified api usage limits"), Row(R.QUOTA_WINDOW)),
        (_TOO_OFTEN, Row(R.RATE_LIMIT)),
    ),
}
"""Coarse reason -> what its wording may make of it; the first that fits counts."""


def refined(row: Row, text: str) -> Row:
    """The row, or the finer one that the wording tells."""
    text = text[:MAX_CHARS]
    rules = WORDING.get(row.reason, ())
    return next((finer for words, finer in rules if _compiled(words).search(text)), row)
