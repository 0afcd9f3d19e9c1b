"""Links between pages lead somewhere, and pages name no place that only one machine has."""

import re
from pathlib import Path

import pytest
from repository import PAGES, ROOT, name_of

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_inside_the_repository_leads_somewhere(page):
    for target in _links(page):
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.is_relative_to(ROOT), f"{target} leads out of the repository"
        assert found.exists(), f"{target} leads nowhere"
        assert not anchor or anchor in _anchors(found), f"{target}: no heading is called that"


def test_every_page_of_the_docs_can_be_reached_from_the_readme():
    reached, next_pages = set(), [ROOT / "README.md"]
    while next_pages:
        page = next_pages.pop()
        if page in reached or page.suffix != ".md" or not page.is_file():
            continue
        reached.add(page)
        next_pages += [(page.parent / target.partition("#")[0]).resolve() for target in _links(page)]
    assert {name_of(page) for page in PAGES} <= {name_of(page) for page in reached}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_pages_hold_no_path_of_one_machine(page):
    text = page.read_text("utf-8")
    assert not re.search(r"(?<![\w.])/(?:home|root|work|Users|tmp)/", text)


def _links(page: Path) -> list[str]:
    text = _CODE.sub("", page.read_text("utf-8"))
    return [
        target for target in _LINK.findall(text) if "://" not in target and not target.startswith("mailto:")
    ]


def _anchors(page: Path) -> set[str]:
    """Headings as hosts of Markdown turn them into anchors."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(text))
    return {heading.strip().replace(" ", "-") for heading in plain}
