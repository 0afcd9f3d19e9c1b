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
    body = [
        element("tr", element("th", element("code", key), scope="row"), *_settings(runs, key)) for key in keys
    ]
    table = table_of(
        "Configuration", ["setting", *(wording.short(run.title) for run in runs)], body, right=False
    )
    commands = [
        joined(
            element("h3", wording.short(run.title)),
            element("pre", element("code", wording.command(run)), tabindex=0),
        )
        for run in runs
    ]
    again = element("section", element("h2", "To build it again"), *commands)
    return joined(element("section", element("h2", "Configuration"), table), again)


def _settings(runs: Sequence[RunFiles], key: str) -> list[Safe]:
    """A setting's cells; one for all where all agree, so that differences stand out."""
    texts = [
        units.value(run.config[key]) if run.config.get(key) is not None else units.MISSING for run in runs
    ]
    if len(runs) > 1 and len(set(texts)) == 1:
        return [element("td", texts[0], colspan=len(runs))]
    return [element("td", text) for text in texts]
