"""docs/reference/command-line.md: every command with its arguments and options, from the help texts themselves."""

import inspect
import re
from typing import Any

import typer

from covey.cli.main import app
from covey_docs.markers import table

_MARKUP = re.compile(r"\[/?(?:bold|dim|italic)\]")


def leaves() -> dict[str, Any]:
    """Every command that can be called, by its whole name."""
    return dict(_walk("covey", typer.main.get_command(app)))


def commands(_: str) -> str:
    """All commands, one section each."""
    return "\n\n".join(_section(name, command) for name, command in leaves().items())


def _walk(name: str, command: Any) -> list[tuple[str, Any]]:
    inner = getattr(command, "commands", {})
    if not inner:
        return [(name, command)]
    own = [(name, command)] if getattr(command, "invoke_without_command", False) else []
    return own + [found for each, below in inner.items() for found in _walk(f"{name} {each}", below)]


def _section(name: str, command: Any) -> str:
    given = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
    usage = " ".join([name, *(["[OPTIONS]"] if options else []), *map(_argument, given)])
    parts = [f"## `{name}`", _prose(command.help), f"```\n{usage}\n```"]
    if given or options:
        rows = [[f"`{_argument(each)}`", _said(each)] for each in given]
        rows += [[_option(each), _said(each)] for each in options]
        parts.append(table(["argument or option", "what it is"], rows))
    if command.epilog:
        parts.append(_examples(command.epilog))
    return "\n\n".join(parts)


def _argument(param: Any) -> str:
    name = param.metavar or param.name.upper()
    return name if param.required else f"[{name}]"


def _option(param: Any) -> str:
    takes = "" if param.is_flag else f" {param.metavar or 'NUMBER'}"
    return ", ".join(f"`{name}{takes}`" for name in param.opts)


def _said(param: Any) -> str:
    said = " ".join((param.help or "").split())
    shown = param.show_default if isinstance(param.show_default, str) else ""
    if not shown and param.param_type_name == "option" and not param.is_flag and not param.multiple:
        shown = "" if param.default is None or callable(param.default) else str(param.default)
    return f"{said} Default: {shown}." if shown else said


def _prose(text: str | None) -> str:
    return _MARKUP.sub("", inspect.cleandoc(text or ""))


def _examples(epilog: str) -> str:
    lines = [line.rstrip() for line in inspect.cleandoc(_MARKUP.sub("", epilog)).splitlines() if line.strip()]
    return "```\n" + "\n".join(lines) + "\n```"
