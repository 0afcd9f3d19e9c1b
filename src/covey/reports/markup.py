"""Markup that cannot be injected into: text is escaped where it enters an element, never afterwards."""

import html

_VOID = frozenset({"meta", "br", "col"})


class Safe(str):
    """Text that is markup already; only `element` and `joined` make it, and the page around them."""

    __slots__ = ()


def element(name: str, *children: str, **attributes: str | float | None) -> Safe:
    """An element with escaped text and attributes; `class_` stands for class, `aria_label` for aria-label."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(_number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Safe(f"<{name}{written}>")
    return Safe(f"<{name}{written}>{joined(*children)}</{name}>")


def joined(*children: str) -> Safe:
    """Children one after the other, each escaped unless it is markup already."""
    return Safe("".join(child if isinstance(child, Safe) else html.escape(child) for child in children))


def _number(value: str | float) -> str:
    """Places on a page to a tenth of a pixel: finer ones only make the page longer."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
