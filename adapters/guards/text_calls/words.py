"""Words around a call that say whether it is one, in the languages in which the bot mostly speaks.

A new word is a new entry. Where a script has no spaces between words, an entry counts wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from adapters.guards.text_calls.patterns import any_word, by_first_letter

EXAMPLES: Final[Mapping[str, Sequence[str]]] = {
    "en": (
        *("for example", "for instance", "e.g.", "eg.", "such as", "like this", "like so", "as follows", "example"),
        *(
            "syntax",
            "usage",
            "signature",
            "how to",
            "looks like",
            "look like",
            "written as",
            "in the form",
            "placeholder",
        ),
    ),
    "de": (
        *("zum beispiel", "beispielsweise", "beispiel", "z.b.", "z. b.", "wie folgt", "folgendermaßen", "syntax"),
        *("so aus:", "schreibweise"),
    ),
    "fr": (
        "par exemple",
        "exemple",
        "p. ex.",
        "comme ceci",
        "comme suit",
        "comme cela",
        "syntaxe",
        "tel que",
        "telle que",
    ),
    "es": ("por ejemplo", "ejemplo", "p. ej.", "como este", "como esta", "como esto", "así:", "sintaxis", "tales como"),
    "pt": ("por exemplo", "exemplo", "p. ex.", "como este", "como esta", "como isto", "assim:", "sintaxe", "tais como"),
    "it": ("per esempio", "ad esempio", "esempio", "p. es.", "come questo", "come questa", "così:", "sintassi"),
    "ru": ("например", "к примеру", "пример", "вот так", "так:", "следующим образом", "синтаксис", "такой как"),
    "ja": ("例えば", "たとえば", "例:", "例：", "使用例", "の例", "のように", "構文", "書き方"),
    "zh": ("例如", "比如", "譬如", "示例", "例子", "像这样", "像這樣", "如下", "语法", "語法", "用法"),
    "ko": ("예를 들어", "예를 들면", "예컨대", "예시", "예:", "다음과 같이", "구문", "문법"),
}
"""A call behind them is an example."""

OFFERS: Final[Mapping[str, Sequence[str]]] = {
    "en": ("you can", "you could", "you may", "you might", "one can", "one could", "users can", "can be called"),
    "de": ("du kannst", "du könntest", "kannst du", "sie können", "sie könnten", "man kann", "man könnte", "ihr könnt"),
    "fr": ("vous pouvez", "vous pourriez", "tu peux", "tu pourrais", "on peut", "on pourrait"),
    "es": ("puedes", "podrías", "usted puede", "se puede", "se podría"),
    "pt": ("você pode", "você poderia", "podes", "poderias", "pode-se"),
    "it": ("puoi", "potresti", "si può", "si potrebbe", "potete", "lei può"),
    "ru": ("вы можете", "ты можешь", "можете", "можно", "могли бы"),
    "ja": ("ことができます", "こともできます"),
    "zh": ("你可以", "您可以", "可以这样", "可以這樣"),
    "ko": ("사용할 수 있", "호출할 수 있"),
}
"""A call in the same sentence is left to somebody else."""

ORDERS: Final[Mapping[str, Sequence[str]]] = {
    "en": (
        *("call", "calls", "calling", "use", "using", "run", "running", "execute", "executing", "invoke", "invoking"),
        *("do", "try", "make", "then", "now", "with"),
    ),
    "de": ("rufe", "aufrufen", "benutze", "nutze", "verwende", "führe", "starte", "dann", "jetzt", "nun", "mit"),
    "fr": ("appelle", "appeler", "utilise", "utiliser", "exécute", "lance", "maintenant", "avec"),
    "es": ("llamo", "llamar", "llama", "uso", "usar", "usa", "usando", "ejecuto", "ejecutar", "ahora", "con"),
    "pt": ("chamo", "chamar", "chama", "uso", "usar", "usando", "executo", "executar", "agora", "com"),
    "it": ("chiamo", "chiamare", "chiama", "uso", "usare", "usa", "usando", "eseguo", "eseguire", "adesso", "ora"),
    "ru": ("вызываю", "вызвать", "вызови", "использую", "использовать", "запускаю", "запустить", "теперь", "сейчас"),
    "ja": ("呼び出し", "呼び出す", "実行", "使用", "使って", "今", "次に"),
    "zh": ("调用", "調用", "呼叫", "使用", "运行", "運行", "执行", "執行", "现在", "用"),
    "ko": ("호출", "실행", "사용", "지금"),
}
"""Directly before a call that ends the line they make it one, although the sentence is not over."""

JOINING: Final[Mapping[str, Sequence[str]]] = {
    "en": ("and", "then", "or", "but", "so", "while", "next", "also", "after", "before", "because", "since"),
    "de": ("und", "dann", "oder", "aber", "danach", "sowie", "um", "damit"),
    "fr": ("et", "puis", "ou", "mais", "ensuite", "pour"),
    "es": ("y", "e", "luego", "o", "pero", "después", "para"),
    "pt": ("e", "depois", "ou", "mas", "para"),
    "it": ("e", "ed", "poi", "o", "ma", "per"),
    "ru": ("и", "затем", "потом", "или", "но", "а", "чтобы"),
    "ja": ("そして", "それから", "次に"),
    "zh": ("和", "并", "並", "然后", "然後", "再", "接着", "接著"),
    "ko": ("그리고", "그런 다음", "그다음"),
}
"""Behind a call they go on with what is done; any other word goes on about the call."""


UNSPACED: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
"""For a class of a regular expression: the scripts of China, Japan and Korea, whose words touch what stands beside them."""

_UNSPACED: Final = re.compile(f"[{UNSPACED}]")


def any_of(words: Mapping[str, Sequence[str]], behind: str = "") -> re.Pattern[str]:
    """Matches any of the words, in lower-case text, where `behind` matches behind it."""
    entries = {entry for entries in words.values() for entry in entries}
    unspaced = {entry for entry in entries if _UNSPACED.match(entry)}
    spaced = (rf"{letter}(?<!\w{letter}){rest}(?!\w)" for letter, rest in by_first_letter(entries - unspaced).items())
    return re.compile(f"(?:{'|'.join([*spaced, any_word(unspaced)])}){behind}")
