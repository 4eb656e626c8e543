"""Words around a call that say whether it is one, in the languages in which the bot mostly speaks.

A new word is a new entry, behind a comma. Where a script has no spaces between words, an entry counts wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Final

UNSPACED: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
"""For a class of a regular expression: the scripts of China, Japan and Korea, whose words touch what stands beside them."""

_UNSPACED: Final = re.compile(f"[{UNSPACED}]")


class Words:
    """Words of several languages, each language's separated by commas."""

    def __init__(self, languages: Mapping[str, str], *, behind: str = "") -> None:
        """`behind`: a pattern of what has to stand behind a word."""
        self._languages = languages
        self._behind = behind

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Matches any of the words, in `plain` text. Made when it is needed, which it is only where a tool's name turns up."""
        entries = sorted(
            {entry for line in self._languages.values() for entry in line.split(", ")}, key=len, reverse=True
        )
        letters = re.escape("".join(sorted({entry[0] for entry in entries})))
        unspaced = "|".join(re.escape(entry) for entry in entries if _UNSPACED.match(entry))
        spaced = "|".join(re.escape(entry) for entry in entries if not _UNSPACED.match(entry))
        return re.compile(rf"(?=[{letters}])(?:(?<!\w)(?:{spaced})(?!\w)|{unspaced}){self._behind}")


def plain(text: str) -> str:
    """As the words are spelt here."""
    return text.lower().replace("’", "'")


EXAMPLES: Final = Words(
    {
        "en": (
            "for example, for instance, e.g., eg., such as, like this, like so, as follows, example, syntax, "
            "usage, signature, how to, looks like, look like, written as, in the form, placeholder, "
            "here's how, here is how, how you would, how you'd, how i would, how i'd, you'd write, would write, "
            "to call it, here's the code, here is the code, in your code, put this in, this form:, the form:, "
            "this format:, the format:, call is:, command is:, would be:, you type, you write"
        ),
        "de": (
            "zum beispiel, beispielsweise, beispiel, z.b., z. b., wie folgt, folgendermaßen, syntax, so aus:, "
            "schreibweise, so sieht ein, so sieht der, so sieht es aus, sieht so aus, in dieser form, lautet:, wäre:"
        ),
        "fr": (
            "par exemple, exemple, p. ex., comme ceci, comme suit, comme cela, syntaxe, tel que, telle que, "
            "voici comment, cette forme, serait :, serait:"
        ),
        "es": (
            "por ejemplo, ejemplo, p. ej., como este, como esta, como esto, así:, sintaxis, tales como, "
            "esta forma:, así se, sería:"
        ),
        "pt": (
            "por exemplo, exemplo, p. ex., como este, como esta, como isto, assim:, sintaxe, tais como, "
            "esta forma:, assim se, seria:"
        ),
        "it": (
            "per esempio, ad esempio, esempio, p. es., come questo, come questa, così:, sintassi, ecco come, "
            "questa forma, sarebbe:"
        ),
        "ru": (
            "например, к примеру, пример, вот так, так:, следующим образом, синтаксис, такой как, "
            "выглядит так, в таком виде, будет:"
        ),
        "ja": "例えば, たとえば, 例:, 例：, 使用例, の例, のように, 構文, 書き方, 次の形, 以下の形",
        "zh": "例如, 比如, 譬如, 示例, 例子, 像这样, 像這樣, 如下, 语法, 語法, 用法, 格式:, 格式：, 形式:, 形式：",
        "ko": "예를 들어, 예를 들면, 예컨대, 예시, 예:, 다음과 같이, 구문, 문법, 형식:, 형식은",
    }
)
"""A call behind them is an example."""

OFFERS: Final = Words(
    {
        "en": "you can, you could, you may, you might, one can, one could, users can, can be called",
        "de": "du kannst, du könntest, kannst du, sie können, sie könnten, man kann, man könnte, ihr könnt",
        "fr": "vous pouvez, vous pourriez, tu peux, tu pourrais, on peut, on pourrait",
        "es": "puedes, podrías, usted puede, se puede, se podría",
        "pt": "você pode, você poderia, podes, poderias, pode-se",
        "it": "puoi, potresti, si può, si potrebbe, potete, lei può",
        "ru": "вы можете, ты можешь, можете, можно, могли бы",
        "ja": "ことができます, こともできます",
        "zh": "你可以, 您可以, 可以这样, 可以這樣",
        "ko": "사용할 수 있, 호출할 수 있",
    }
)
"""A call in the same sentence is left to somebody else."""

ORDERS: Final = Words(
    {
        "en": (
            "call, calls, calling, use, using, run, running, execute, executing, invoke, invoking, do, try, "
            "make, now, with"
        ),
        "de": "rufe, aufrufen, benutze, nutze, verwende, führe, starte, jetzt, nun, mit",
        "fr": "appelle, appeler, utilise, utiliser, exécute, lance, maintenant, avec",
        "es": "llamo, llamar, llama, uso, usar, usa, usando, ejecuto, ejecutar, ahora, con",
        "pt": "chamo, chamar, chama, uso, usar, usando, executo, executar, agora, com",
        "it": "chiamo, chiamare, chiama, uso, usare, usa, usando, eseguo, eseguire, adesso, ora",
        "ru": "вызываю, вызвать, вызови, использую, использовать, запускаю, запустить, теперь, сейчас",
        "ja": "呼び出し, 呼び出す, 実行, 使用, 使って, 今, 次に",
        "zh": "调用, 調用, 呼叫, 使用, 运行, 運行, 执行, 執行, 现在, 用",
        "ko": "호출, 실행, 사용, 지금",
    },
    behind=r"\Z",
)
"""Directly before a call that ends the line they make it one, although the sentence is not over."""

JOINING: Final = Words(
    {
        "en": "and, then, or, but, so, while, next, also, after, before, because, since",
        "de": "und, dann, oder, aber, danach, sowie, um, damit",
        "fr": "et, puis, ou, mais, ensuite, pour",
        "es": "y, e, luego, o, pero, después, para",
        "pt": "e, depois, ou, mas, para",
        "it": "e, ed, poi, o, ma, per",
        "ru": "и, затем, потом, или, но, а, чтобы",
        "ja": "そして, それから, 次に",
        "zh": "和, 并, 並, 然后, 然後, 再, 接着, 接著",
        "ko": "그리고, 그런 다음, 그다음",
    }
)
"""Behind a call they go on with what is done; any other word goes on about the call."""

DENIALS: Final = Words(
    {
        "en": (
            "not, never, no, without, instead of, don't, didn't, doesn't, won't, can't, cannot, couldn't, wouldn't, "
            "shouldn't, if, unless, can, could, would, should, may, might, already, tried to, failed to"
        ),
        "de": "nicht, nie, kein, keine, ohne, statt, wenn, falls, kann, könnte, würde, sollte, soll, schon, bereits",
        "fr": "pas, jamais, sans, si, peux, peut, pourrais, pourrait, devrais, déjà",
        "es": "no, nunca, sin, si, puedo, puede, podría, debería, ya",
        "pt": "não, nunca, sem, se, posso, pode, poderia, deveria, já",
        "it": "non, mai, senza, se, posso, può, potrei, potrebbe, dovrei, già",
        "ru": "не, никогда, без, если, могу, может, мог бы, могла бы, уже",
        "ja": "ない, なかった, せず, もし",
        "zh": "不, 没, 沒, 如果, 可以, 已经, 已經",
        "ko": "않, 없이, 만약, 이미",
    }
)
"""A sentence with one of them does not order, although its last word is to call."""
