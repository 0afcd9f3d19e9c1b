"""The section on how runs were set up, and how to build them again."""

from collections.abc import Sequence

from covey.reports import units, wording
from covey.reports.facts import RunFiles
from covey.reports.markup import Safe, element, joined
from covey.reports.parts import NOTHING, table_of


def configured(runs: Sequence[RunFiles]) -> Safe:
    """Every setting of every run, and the command that rebuilds each; nothing if no setting is known."""
    keys = list(dict.fromkeys(key for run in runs for key in run.config))
    if not keys:
        return NOTHING
    headers = ["setting", *(wording.short(run.title) for run in runs)]
    table = table_of("Configuration", headers, _rows(runs, keys), right=False)
    commands = [
        joined(
            element("h3", wording.short(run.title)),
            element("pre", element("code", wording.command(run)), tabindex=0),
        )
        for run in runs
    ]
    again = element("section", element("h2", "To build it again"), *commands)
    return joined(element("section", element("h2", "Configuration"), table), again)


def _rows(runs: Sequence[RunFiles], keys: Sequence[str]) -> list[Safe]:
    """A row a setting: of several runs, those where they differ first, to save a search."""
    texts = {key: [_text(run, key) for run in runs] for key in keys}
    if len(runs) == 1:
        return [_row(key, texts[key]) for key in keys]
    differing = [_row(key, texts[key]) for key in keys if len(set(texts[key])) > 1]
    shared = [_row(key, texts[key][:1], len(runs)) for key in keys if len(set(texts[key])) == 1]
    return [
        *(_group("Where the runs differ", differing, len(runs) + 1)),
        *(_group("The same in all of them", shared, len(runs) + 1)),
    ]


def _group(title: str, rows: Sequence[Safe], columns: int) -> list[Safe]:
    head = element("tr", element("th", title, colspan=columns), class_="group")
    return [head, *rows] if rows else []


def _row(key: str, texts: Sequence[str], columns: int | None = None) -> Safe:
    name = element("th", element("code", key), scope="row")
    return element("tr", name, *(element("td", text, colspan=columns) for text in texts))


def _text(run: RunFiles, key: str) -> str:
    return units.MISSING if run.config.get(key) is None else units.value(run.config[key])
