"""Parley's commands: `python -m bot run | playground | render | db | settings`."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import Callable

from bot.settings import Settings, SettingsError, load_settings


def run(argv: list[str]) -> int:
    """Run the bot on Discord, configured by environment variables or `.env`."""
    argparse.ArgumentParser(prog="python -m bot run", description=run.__doc__).parse_args(argv)
    return asyncio.run(_run(load_settings()))


async def _run(settings: Settings) -> int:
    from bot.app import App
    from bot.observability import configure_logging
    from bot.serving import Refused

    configure_logging(settings.log_format, settings.log_level, settings.secrets())
    async with App.open(settings) as app:
        app.stop_on_signals()
        try:
            await app.run()
        except Refused as refused:
            print(refused, file=sys.stderr)
            return 2
    return 0


def playground(argv: list[str]) -> int:
    """Try the bot in a page, without Discord and without keys."""
    from bot.playground.run import main

    return main(argv)


def render(argv: list[str]) -> int:
    """Print the Discord messages that an answer becomes."""
    from bot.render_command import main

    return main(argv)


def db(argv: list[str]) -> int:
    """Upgrade, back up, export or import the database."""
    from bot.database_command import main

    return main(argv)


def settings(argv: list[str]) -> int:
    """Print the page of docs/ that says what can be chosen with /settings."""
    from bot.commands.setting_docs import settings_page
    from bot.localization import Translator

    argparse.ArgumentParser(prog="python -m bot settings", description=settings.__doc__).parse_args(argv)
    print(settings_page(Translator()), end="")
    return 0


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "run": run,
    "playground": playground,
    "render": render,
    "db": db,
    "settings": settings,
}


def main(argv: list[str]) -> int:
    """Exit status: 0, or 2 for wrong usage or settings, which are told in one line each."""
    if not argv or argv[0] not in COMMANDS:
        asked_for_help = argv[:1] in (["-h"], ["--help"])
        lines = [f"  {name:12}{command.__doc__}" for name, command in COMMANDS.items()]
        print("usage: python -m bot COMMAND ...\n", *lines, sep="\n", file=sys.stdout if asked_for_help else sys.stderr)
        return 0 if asked_for_help else 2
    # Until the bot listens to signals itself, being asked to end is no failure.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        return COMMANDS[argv[0]](argv[1:])
    except SettingsError as error:
        print(*error.lines, sep="\n", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
