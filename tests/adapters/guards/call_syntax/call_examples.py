"""Calls as the families of models write them into their text: what is read in each block."""

from __future__ import annotations

from typing import Any

from adapters.guards.call_syntax.written import Written

OSLO = '{"city": "Oslo"}'


def written(name: str, raw: str) -> Written:
    return Written(name, raw)


def fields(name: str, raw: str, **values: Any) -> Written:
    return Written(name, raw, values)


BLOCKS: dict[str, tuple[str, list[Written]]] = {
    "Hermes, Qwen": (
        f'<tool_call>\n{{"name": "get_weather", "arguments": {OSLO}}}\n</tool_call>',
        [written("get_weather", OSLO)],
    ),
    "Hermes, closing marks in a string": (
        '<tool_call>{"name": "say", "arguments": {"text": "</tool_call> ends it"}}</tool_call>',
        [written("say", '{"text": "</tool_call> ends it"}')],
    ),
    "Hermes, the closing mark of the first call forgotten": (
        '<tool_call>{"name": "a", "arguments": {}}\n<tool_call>{"name": "b", "arguments": {}}</tool_call>',
        [written("a", "{}"), written("b", "{}")],
    ),
    "Jamba, a list": (
        '<tool_calls>[{"name": "a", "arguments": {"n": [1, 2]}}, {"name": "b", "arguments": {}}]</tool_calls>',
        [written("a", '{"n": [1, 2]}'), written("b", "{}")],
    ),
    "Nemotron": (f'<TOOLCALL>[{{"name": "f", "arguments": {OSLO}}}]</TOOLCALL>', [written("f", OSLO)]),
    "Granite 20B": (f'<function_call> {{"name": "f", "arguments": {OSLO}}}</function_call>', [written("f", OSLO)]),
    "LM Studio": (f'[TOOL_REQUEST]{{"name": "f", "arguments": {OSLO}}}[END_TOOL_REQUEST]', [written("f", OSLO)]),
    "fenced": (f'<tool_call>\n```json\n{{"name": "f", "arguments": {OSLO}}}\n```\n</tool_call>', [written("f", OSLO)]),
    "the name as an attribute": (f'<tool_call id="1" name="f">{OSLO}</tool_call>', [written("f", OSLO)]),
    "the name between tags": (
        f"<tool_use>\n<tool_name>f</tool_name>\n<arguments>{OSLO}</arguments>\n</tool_use>",
        [written("f", OSLO)],
    ),
    "Llama 3, custom functions": (f"<function=get_weather>{OSLO}</function>", [written("get_weather", OSLO)]),
    "Llama 3, several": (
        '<|python_tag|>{"name": "f", "parameters": {"a": 1}}; {"name": "g", "parameters": {}}<|eom_id|>',
        [written("f", '{"a": 1}'), written("g", "{}")],
    ),
    "Gemini": (
        '<tool_code>\nprint(f(a="b, c", n=3))\nprint(g())\n</tool_code>',
        [fields("f", 'a="b, c", n=3', a="b, c", n=3), fields("g", "")],
    ),
    "Llama 4": ('<|python_start|>[f(a="b, c", n=3)]<|python_end|>', [fields("f", 'a="b, c", n=3', a="b, c", n=3)]),
    "LFM2": (
        "<|tool_call_start|>[f(a='it\\'s', b=[1, {'c': None}], d=True), g()]<|tool_call_end|>",
        [
            fields("f", "a='it\\'s', b=[1, {'c': None}], d=True", a="it's", b=[1, {"c": None}], d=True),
            fields("g", ""),
        ],
    ),
    "OLMo 3": (
        "<function_calls>\nf(a=1)\ng(b=2)\n</function_calls>",
        [fields("f", "a=1", a=1), fields("g", "b=2", b=2)],
    ),
    "Mistral": (
        '[TOOL_CALLS][{"name": "a", "arguments": {"x": "]"}}, {"name": "b", "arguments": {}}]',
        [written("a", '{"x": "]"}'), written("b", "{}")],
    ),
    "Mistral, with the id": (f"[TOOL_CALLS]get_weather[CALL_ID]abc123def[ARGS]{OSLO}", [written("get_weather", OSLO)]),
    "Mistral, name and object": (f"[TOOL_CALLS]get_weather{OSLO}", [written("get_weather", OSLO)]),
    "Claude's form": (
        '<function_calls>\n<invoke name="get_weather">\n<parameter name="city" string="true">Oslo</parameter>\n'
        "</invoke>\n</function_calls>",
        [fields("get_weather", '<parameter name="city" string="true">Oslo</parameter>', city="Oslo")],
    ),
    "MiniMax M2": (
        '<minimax:tool_call>\n<invoke name="f">\n<parameter name="a">Oslo</parameter>\n<parameter name="n">3</parameter>\n'
        '</invoke>\n<invoke name="g">\n</invoke>\n</minimax:tool_call>',
        [
            fields("f", '<parameter name="a">Oslo</parameter>\n<parameter name="n">3</parameter>', a="Oslo", n="3"),
            written("g", ""),
        ],
    ),
    "MiniMax M3": (
        ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="f">]<]minimax[>[<city>Oslo]<]minimax[>[</city>'
        "]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
        [fields("f", "<city>Oslo</city>", city="Oslo")],
    ),
    "DeepSeek V3.2": (
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="n" string="false">5</｜DSML｜parameter>\n'
        "</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        [fields("f", '<｜DSML｜parameter name="n" string="false">5</｜DSML｜parameter>', n="5")],
    ),
    "DeepSeek V4": (
        f'<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n{OSLO}\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
        [written("f", OSLO)],
    ),
    "Qwen3-Coder": (
        "<tool_call>\n<function=run>\n<parameter=code>\nif a < b:\n    print('</parameter>')\n\n</parameter>\n"
        "<parameter=lang>\npy\n</parameter>\n</function>\n</tool_call>",
        [
            fields(
                "run",
                "<parameter=code>\nif a < b:\n    print('</parameter>')\n\n</parameter>\n<parameter=lang>\npy\n</parameter>",
                code="if a < b:\n    print('</parameter>')\n",
                lang="py",
            )
        ],
    ),
    "Qwen3-Coder, marks forgotten": (
        "<function=f>\n<parameter=a>\n1\n<parameter=b>\n2\n</function>",
        [fields("f", "<parameter=a>\n1\n<parameter=b>\n2", a="1", b="2")],
    ),
    "Seed-OSS": (
        "<seed:tool_call>\n<function=f>\n<parameter=a>x</parameter>\n</function>\n</seed:tool_call>",
        [fields("f", "<parameter=a>x</parameter>", a="x")],
    ),
    "MiniCPM 5": (
        '<function name="f"><param name="city"><![CDATA[a\n<b>]]></param></function>',
        [fields("f", '<param name="city"><![CDATA[a\n<b>]]></param>', city="a\n<b>")],
    ),
    "GLM-4.5": (
        "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>Oslo</arg_value>\n<arg_key>n</arg_key>\n<arg_value>3</arg_value>\n"
        "</tool_call>",
        [
            fields(
                "f",
                "<arg_key>a</arg_key>\n<arg_value>Oslo</arg_value>\n<arg_key>n</arg_key>\n<arg_value>3</arg_value>",
                a="Oslo",
                n="3",
            )
        ],
    ),
    "GLM-4.5, no arguments": ("<tool_call>list_rooms\n</tool_call>", [written("list_rooms", "")]),
    "Hunyuan 3": (
        "<tool_calls:opensource><tool_call:opensource>f<tool_sep:opensource>\n<arg_key:opensource>a</arg_key:opensource>\n"
        "<arg_value:opensource>v</arg_value:opensource>\n</tool_call:opensource></tool_calls:opensource>",
        [
            fields(
                "f",
                "<arg_key:opensource>a</arg_key:opensource>\n<arg_value:opensource>v</arg_value:opensource>",
                a="v",
            )
        ],
    ),
    "DeepSeek V3": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n"
        f"{OSLO}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        [written("get_weather", OSLO)],
    ),
    "DeepSeek V3.1": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜>"
        f"<｜tool▁call▁begin｜>g<｜tool▁sep｜>{OSLO}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        [written("f", "{}"), written("g", OSLO)],
    ),
    "DeepSeek, spelt plainly": (
        "<|tool_calls_begin|><|tool_call_begin|>f<|tool_sep|>{}<|tool_call_end|><|tool_calls_end|>",
        [written("f", "{}")],
    ),
    "Step 3": (
        '<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="f">\n'
        '<steptml:parameter name="a">v</steptml:parameter>\n</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>',
        [fields("f", '<steptml:parameter name="a">v</steptml:parameter>', a="v")],
    ),
    "Kimi K2": (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
        f"{OSLO}<|tool_call_end|><|tool_calls_section_end|>",
        [written("functions.get_weather", OSLO)],
    ),
    "Kimi K3": (
        '<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="a" type="string"<|sep|>Seoul'
        "<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>",
        [
            fields(
                "f",
                '<|open|>argument key="a" type="string"<|sep|>Seoul<|close|>argument<|sep|>',
                a="Seoul",
            )
        ],
    ),
    "Kimi K3, without the wrapper": ('<|open|>call tool="f"<|sep|><|close|>call<|sep|>', [written("f", "")]),
    "gpt-oss": (
        f"<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{OSLO}",
        [written("functions.get_weather", OSLO)],
    ),
    "gpt-oss, the recipient first": (
        f"<|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>{OSLO}",
        [written("functions.get_weather", OSLO)],
    ),
    "Gemma 4": (
        '<|tool_call>call:f{city:<|"|>Os}lo<|"|>,n:3,tags:[<|"|>a<|"|>,true],o:{x:null}}<tool_call|>',
        [
            fields(
                "f",
                '{city:<|"|>Os}lo<|"|>,n:3,tags:[<|"|>a<|"|>,true],o:{x:null}}',
                city="Os}lo",
                n=3,
                tags=["a", True],
                o={"x": None},
            )
        ],
    ),
    "FunctionGemma": (
        "<start_function_call>call:f{city:<escape>Oslo<escape>,n:2}<end_function_call>",
        [fields("f", "{city:<escape>Oslo<escape>,n:2}", city="Oslo", n=2)],
    ),
    "Granite 3": (f'<|tool_call|>[{{"name": "f", "arguments": {OSLO}}}]', [written("f", OSLO)]),
    "GigaChat 3": (f'<|function_call|>{{"name": "f", "arguments": {OSLO}}}', [written("f", OSLO)]),
    "Cohere": (
        f'<|START_ACTION|>[\n    {{"tool_call_id": "0", "tool_name": "f", "parameters": {OSLO}}}\n]<|END_ACTION|>',
        [written("f", OSLO)],
    ),
    "InternLM": (
        f'<|action_start|> <|plugin|>\n{{"name": "f", "parameters": {OSLO}}}<|action_end|>',
        [written("f", OSLO)],
    ),
    "Apertus": (
        f'<|tools_prefix|>[{{"f": {OSLO}}}, {{"g": {{}}}}]<|tools_suffix|>',
        [written("f", OSLO), written("g", "{}")],
    ),
    "a log line": (f"[Calling tool: get_weather with arguments: {OSLO}]", [written("get_weather", OSLO)]),
}
