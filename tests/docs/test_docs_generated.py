"""What the code says already is in the pages as the code says it now."""

import pytest
from covey_docs.commands import leaves
from covey_docs.markers import fill, names, table
from covey_docs.pages import pages, written_anew
from repository import PAGES, ROOT, name_of

from covey.algorithms.registry import ALGORITHMS
from covey.messages.catalogue import SCHEMAS
from covey.runs.keys import algorithm_keys, run_keys


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_holds_what_make_docs_would_write(page):
    text = page.read_text("utf-8")
    assert written_anew(text) == text, f"{name_of(page)} has fallen behind the code: run make docs"


def test_make_docs_looks_at_every_page():
    assert pages() == sorted(PAGES)


def test_every_field_of_every_message_is_listed_with_what_it_reveals():
    page = _page("docs/reference/what-leaves-the-device.md")
    assert {f"message/{schema.message}" for schema in SCHEMAS} <= set(names(page, "generated"))
    for schema in SCHEMAS:
        section = page.split(f"<!-- generated:message/{schema.message} -->")[1].split("<!-- /generated -->")[
            0
        ]
        for field in schema.fields:
            row = next(line for line in section.splitlines() if line.startswith(f"| `{field.name}` |"))
            assert field.reveals in row


def test_no_message_is_listed_that_does_not_exist():
    listed = names(_page("docs/reference/what-leaves-the-device.md"), "generated")
    assert {name for name in listed if name.startswith("message/")} == {
        f"message/{schema.message}" for schema in SCHEMAS
    }


def test_every_key_of_a_run_and_of_every_algorithm_is_listed():
    page = _page("docs/reference/configuration.md")
    assert set(names(page, "generated")) == {"run-keys", *(f"keys/{name}" for name in ALGORITHMS)}
    for key in [*run_keys(), *(key for name in ALGORITHMS for key in algorithm_keys(name))]:
        assert f"\n| `{key.name}` |" in page


def test_every_command_and_every_option_is_listed():
    page = _page("docs/reference/command-line.md")
    for name, command in leaves().items():
        section = page.split(f"## `{name}`\n")[1].split("\n## ")[0]
        for param in command.params:
            for option in (each for each in param.opts if each.startswith("-")):
                assert f"`{option}" in section, f"{name} {option}"


def test_the_list_of_commands_is_that_of_the_program():
    assert {"covey train", "covey report", "covey recommend", "covey datasets list"} <= set(leaves())


def test_a_block_is_replaced_and_what_is_around_it_stays():
    text = "before\n<!-- generated:a -->\nold\n<!-- /generated -->\nafter\n"
    filled = fill(text, "generated", lambda name: f"new {name}")
    assert filled == "before\n<!-- generated:a -->\n\nnew a\n\n<!-- /generated -->\nafter\n"
    assert fill(filled, "generated", lambda name: f"new {name}") == filled


def test_blocks_of_another_kind_are_left_alone():
    text = "<!-- results:a/b -->\nold\n<!-- /results -->\n"
    assert fill(text, "generated", lambda name: "new") == text


@pytest.mark.parametrize(
    "text",
    [
        "<!-- generated:a -->\nnever closed\n",
        "<!-- /generated -->",
        "<!-- results:a -->\n<!-- /generated -->",
    ],
)
def test_a_marker_without_its_partner_is_refused(text):
    with pytest.raises(ValueError, match="has no partner"):
        fill(text, "generated", lambda name: "")


def test_a_bar_in_a_cell_does_not_end_it():
    assert table(["a"], [["b|c"]]).splitlines()[-1] == "| b\\|c |"


def _page(name: str) -> str:
    return (ROOT / name).read_text("utf-8")
