"""Words for people stand in `locales/`: no call that speaks to somebody holds them itself.

Only the playground's page and the command line speak English from their code: they are for who runs the bot.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "bot"

SPEAKS = {
    "whisper": (1, {"text"}),
    "send": (0, {"content"}),
    "reply": (0, {"content"}),
    "send_message": (0, {"content"}),
    "edit": (0, {"content"}),
    "edit_message": (0, {"content"}),
    "edit_original_response": (None, {"content"}),
    "Embed": (None, {"title", "description"}),
    "EmbedPlan": (0, {"title", "description", "footer"}),
    "add_field": (None, {"name", "value"}),
    "set_footer": (None, {"text"}),
    "set_author": (None, {"name"}),
    "TextDisplay": (0, {"content"}),
    "TextInput": (None, {"label", "placeholder", "default"}),
    "Label": (None, {"text", "description"}),
    "Button": (2, {"label"}),
    "Select": (None, {"placeholder"}),
    "ChannelSelect": (None, {"placeholder"}),
    "RoleSelect": (None, {"placeholder"}),
    "UserSelect": (None, {"placeholder"}),
    "SelectOption": (None, {"label", "description"}),
    "MessagePlan": (0, {"content"}),
    "command": (None, {"name", "description"}),
    "Group": (None, {"name", "description"}),
    "ContextMenu": (None, {"name"}),
    "Choice": (None, {"name"}),
}
"""By function: which of its positional arguments is read by people, and which named ones."""


def literals(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        nr, names = SPEAKS.get(name, (None, set()))
        read = [keyword.value for keyword in node.keywords if keyword.arg in names]
        read += node.args[nr : nr + 1] if nr is not None else []
        yield from (
            f"line {node.lineno}: {text!r}" for each in read for text in texts(each) if re.search(r"[^\W\d_]", text)
        )


def texts(node: ast.expr) -> Iterator[str]:
    """The literal parts of what an expression says; calls say what they say themselves."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield from (text for part in parts if isinstance(part, ast.Constant) for text in texts(part))
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            yield from (*texts(left), *texts(right))
        case ast.BoolOp(values=values) | ast.List(elts=values) | ast.Tuple(elts=values):
            yield from (text for value in values for text in texts(value))
        case ast.Call(func=ast.Attribute(value=joint, attr="join" | "format"), args=args):
            yield from (text for part in (joint, *args) for text in texts(part))


def sentences(source: str) -> Iterator[str]:
    """Literals with two words side by side, but for docstrings and the texts of errors, which people do not see."""
    tree = ast.parse(source)
    apart = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise | ast.Assert)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in apart:
            continue
        if re.search(r"[^\W\d_]{2,} [^\W\d_]{2,}", node.value):
            yield f"line {node.lineno}: {node.value!r}"


FILES = [path for path in sorted(SOURCE.rglob("*.py")) if "playground" not in path.parts]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_call_holds_its_words_itself(path: Path) -> None:
    assert list(literals(path.read_text(encoding="utf-8"))) == []


A_PAGE_OF_DOCS = "setting_docs.py"
COMMANDS = [path for path in sorted((SOURCE / "commands").rglob("*.py")) if path.name != A_PAGE_OF_DOCS]


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.name)
def test_commands_hold_no_sentence_at_all(path: Path) -> None:
    assert list(sentences(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "call",
    [
        "await whisper(interaction, 'Done.')",
        "await whisper(interaction, f'{name} is gone')",
        "await interaction.response.send_message('Done.', ephemeral=True)",
        "await interaction.edit_original_response(content=text or 'nothing')",
        "await interaction.followup.send(words('done-it') if done else 'not yet')",
        "discord.Embed(title='Memory', colour=1)",
        "embed.add_field(name=words('a-b'), value='\\n'.join(['one', word]))",
        "embed.set_footer(text='page ' + number)",
        "ui.TextInput(custom_id='text', label='Note')",
        "ui.Button(custom_id='parley:x', label='Забыть')",
        "Button('parley:1:x', '🔁', 'Again')",
        "ui.Select(placeholder='Which one?')",
        "discord.SelectOption(label=note, description='a note', value='1')",
        "app_commands.command(name='stop', description=said(translator, 'command-stop-description'))",
    ],
)
def test_a_literal_is_found(call: str) -> None:
    assert list(literals(f"async def x():\n {call}"))


@pytest.mark.parametrize(
    "call",
    [
        "await whisper(interaction, words('done-it', name='x'))",
        "await whisper(interaction, '\\n'.join(lines))",
        "embed.add_field(name='\\u200b', value=f'`{text}`')",
        "ui.Button(custom_id='parley:x', label=f'{nr}/{count}', emoji='🔁')",
        "discord.SelectOption(label=note.text, value='text')",
        "log.info('message_sent', content='text')",
    ],
)
def test_what_is_no_words_is_left_alone(call: str) -> None:
    assert list(literals(f"async def x():\n {call}")) == []


def test_a_sentence_is_found_and_a_docstring_is_not() -> None:
    code = '"""Two words."""\nlines = ["Not done", key]\nraise ValueError("no such thing")'
    assert list(sentences(code)) == ["line 2: 'Not done'"]
