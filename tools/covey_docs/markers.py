"""Blocks of a page that a command writes: what lies between two markers, and nothing else.

<!-- generated:settings/run -->
anything here is replaced
<!-- /generated -->
"""

import re
from collections.abc import Callable

_BLOCK = re.compile(
    r"(?P<open><!-- (?P<kind>generated|results):(?P<name>[\w./-]+) -->\n).*?(?P<close><!-- /(?P=kind) -->)",
    re.DOTALL,
)
_MARKER = re.compile(r"<!-- /?(?:generated|results)\b[^>]*-->")


def fill(text: str, kind: str, write: Callable[[str], str]) -> str:
    """The page with every block of this kind written anew; `write` gets the block's name."""
    _refuse_strays(text)

    def block(match: re.Match[str]) -> str:
        if match["kind"] != kind:
            return match[0]
        body = write(match["name"]).strip("\n")
        return f"{match['open']}\n{body}\n\n{match['close']}" if body else f"{match['open']}{match['close']}"

    return _BLOCK.sub(block, text)


def names(text: str, kind: str) -> list[str]:
    """The names of the blocks of this kind, in their order."""
    return [match["name"] for match in _BLOCK.finditer(text) if match["kind"] == kind]


def _refuse_strays(text: str) -> None:
    """A marker without its partner would be passed over in silence, and its block never written again."""
    strays = _MARKER.findall(_BLOCK.sub("", text))
    if strays:
        raise ValueError(f"marker {strays[0]} has no partner; a block is opened once and closed once")


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; a bar inside a cell is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
