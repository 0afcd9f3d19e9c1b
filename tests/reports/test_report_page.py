"""Claims about the page: self-contained, safe, complete, honest about its gaps, the same each time."""

import math
import re
from html.parser import HTMLParser
from importlib.resources import files

import polars
import pytest
from fake_runs import PROTOCOL, FakeRun, central, federated, ledger, most_popular

from covey.reports import page

HOSTILE = "</title><script>alert(1)</script>\"' onload=x & $title ${style}"


class Outline(HTMLParser):
    """Tags in order, checked to be balanced, with attributes and text apart."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data if self.open[-1:] != ["style"] else ""

    def attributes(self, name: str) -> list[str]:
        return [value for _, attributes in self.tags if (value := attributes.get(name)) is not None]


def not_a_number(run: FakeRun) -> FakeRun:
    run.metrics = run.metrics.with_columns(
        polars.lit(math.nan).alias("ndcg@10"), polars.lit(None).alias("hr@10")
    )
    run.summary["metrics"] = {"hr@10": math.nan, "ndcg@10": math.inf}
    return run


def unfinished() -> FakeRun:
    run = federated(3, "A title as long as somebody could wish for, and then some more of it " * 3)
    run.summary, run.ledger = {}, None
    run.config["rounds"] = 200
    return run


CASES = {
    "three": lambda: [federated(), central(), most_popular()],
    "single": lambda: [federated()],
    "one evaluated round": lambda: [federated(1)],
    "only central": lambda: [central(), most_popular()],
    "not a number": lambda: [not_a_number(federated()), most_popular()],
    "all not a number": lambda: [not_a_number(federated())],
    "unfinished": lambda: [unfinished()],
    "never evaluated": lambda: [FakeRun()],
    "twelve": lambda: [federated(4, f"run {i}", 0.5 + i / 100) for i in range(12)],
    "hostile": lambda: [federated(2, HOSTILE), central(2, HOSTILE)],
    "none": list,
}


@pytest.fixture(params=CASES, name="source")
def every_case(request: pytest.FixtureRequest) -> str:
    return page(CASES[request.param]())


def test_the_page_is_well_formed(source: str) -> None:
    assert Outline(source).tags[0][0] == "html"


def test_the_page_fetches_nothing(source: str) -> None:
    outline = Outline(source)
    assert not {"script", "link", "img", "iframe", "object", "embed", "use", "image"} & {
        tag for tag, _ in outline.tags
    }
    assert not outline.attributes("src") + outline.attributes("href") + outline.attributes("srcset")
    assert not re.search(r"https?:|@import|url\(", source)


def test_the_page_is_the_same_each_time() -> None:
    for make in CASES.values():
        assert page(make()) == page(make())


def test_every_place_in_a_chart_is_a_finite_number(source: str) -> None:
    outline = Outline(source)
    places = [value for name in ("d", "cx", "cy", "x", "y", "viewbox") for value in outline.attributes(name)]
    assert not [place for place in places if re.search(r"nan|inf|None", place)]


def test_ids_are_used_once_and_every_label_points_to_one(source: str) -> None:
    outline = Outline(source)
    ids = outline.attributes("id")
    assert len(ids) == len(set(ids))
    assert {word for value in outline.attributes("aria-labelledby") for word in value.split()} <= set(ids)


def test_every_chart_has_a_role_a_title_and_a_description() -> None:
    outline = Outline(page(CASES["three"]()))
    charts = [
        attributes
        for tag, attributes in outline.tags
        if tag == "svg" and "chart" in (attributes["class"] or "")
    ]
    assert len(charts) == 8  # two metrics, against rounds and against bytes, for a wide and for a narrow page
    assert all(chart["role"] == "img" and chart["aria-labelledby"] for chart in charts)
    assert "HR@10 against global rounds. FedGMF: 0.602 at 12;" in outline.text


def test_a_hostile_title_stays_text() -> None:
    source = page(CASES["hostile"]())
    outline = Outline(source)
    assert HOSTILE in outline.text
    assert not [name for _, attributes in outline.tags for name in attributes if name.startswith("on")]


def test_hostile_settings_ledgers_and_sentences_stay_text() -> None:
    run = federated(2, split=HOSTILE, protocol=HOSTILE, version=HOSTILE, started=HOSTILE)
    run.config |= {HOSTILE: HOSTILE, "data": HOSTILE, "split": HOSTILE}
    run.ledger = ledger().with_columns(
        *(polars.lit(HOSTILE).alias(name) for name in ("direction", "message", "field", "reveals"))
    )
    outline = Outline(page([run]))
    assert outline.text.count(HOSTILE) > 8
    assert "script" not in {tag for tag, _ in outline.tags}


def test_every_run_is_in_the_comparison_and_comes_before_any_chart() -> None:
    source = page([federated(), central(), most_popular()])
    table = source[source.index("<h2>Comparison") : source.index('class="chart')]
    assert all(title in table for title in ("FedGMF", "central GMF", "most popular"))


def test_the_first_sentence_sets_the_central_figure_beside_the_federated_one() -> None:
    text = Outline(page([federated(), most_popular(), central()])).text.replace("\N{NO-BREAK SPACE}", " ")
    assert "FedGMF reaches HR@10 0.602 ± 0.016; a person sent 96 kB on average for it." in text
    assert "With every history in one place, central GMF reaches HR@10 0.623" in text


def test_a_federated_run_alone_is_said_to_lack_its_yardstick() -> None:
    assert "No central yardstick was given" in page([federated()])
    assert "No central yardstick" not in page([federated(), central()])


def test_every_field_of_the_ledger_is_shown_with_what_it_reveals() -> None:
    text = Outline(page([federated()])).text
    for row in ledger().to_dicts():
        assert f"{row['message']}.{row['field']}" in text
        assert row["reveals"] in text


def test_shares_are_of_the_bytes_in_one_direction() -> None:
    text = Outline(page([federated()])).text
    assert all(share in text for share in ("99.3%", "0.7%", "100.0%"))


def test_clipped_values_are_counted_on_the_page_and_their_absence_is_claimed_only_if_counted() -> None:
    calm, silent = federated(), federated()
    calm.ledger = ledger().with_columns(clipped=polars.lit(0))
    silent.ledger = ledger().drop("clipped")
    assert "Clipped values lay outside" in page([federated()])
    assert "No value lay outside" in page([calm])
    assert "lay outside" not in page([silent])


def test_a_federated_run_without_a_ledger_is_not_said_to_have_sent_nothing() -> None:
    assert "kept no ledger, so this page cannot say" in page([unfinished()])


def test_a_run_that_never_ended_is_said_to_be_unfinished_or_interrupted() -> None:
    stopped = federated(3, finished=False, interrupted=True)
    assert "is unfinished: these are its figures after 60 of 200 rounds." in page([unfinished()])
    assert "was interrupted: these are its figures after 60 of 60 rounds." in page([stopped])
    assert "unfinished" not in page([federated(), central()])


def test_figures_are_never_without_their_protocol() -> None:
    assert page([federated(), central()]).count(PROTOCOL) >= 4
    assert "protocol behind these figures was not recorded" in page([unfinished()])


def test_a_protocol_that_only_some_runs_state_is_shown_as_theirs() -> None:
    assert "Protocol of FedGMF: " in page([federated(), unfinished()])


def test_runs_on_unlike_data_are_said_to_be_beyond_comparison() -> None:
    other = central()
    other.config["data"] = "ml-1m"
    assert "different data sets" in page([federated(), other])
    assert "different protocols" in page([federated(), federated(protocol="Ranked among all items.")])


def test_a_run_without_an_end_is_split_as_the_one_that_was_asked_the_same() -> None:
    done, begun = federated(split="leave-last-out: each person's last row is test"), unfinished()
    done.config["split"] = begun.config["split"] = "auto"
    said = page([done, begun])
    assert "different splits" not in said
    assert "split: leave-last-out;" in said
    begun.config["split"] = "temporal"
    assert "different splits" in page([done, begun])


def test_the_command_that_rebuilds_a_run_is_quoted_for_a_shell() -> None:
    run = federated()
    run.config["data"] = "my plays.csv"
    text = Outline(page([run])).text
    assert "covey train fedncf --data 'my plays.csv' --seed 7 \\\n" in text
    assert "--set learning_rate=0.01" in text
    assert "--set people=" not in text


def test_a_thousand_rounds_do_not_make_a_heavy_page() -> None:
    assert len(page([federated(1000), federated(1000), central(1000)])) < 250_000


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [0, 1, 2], ids=["light", "dark", "print"])
def test_text_and_lines_stand_out_from_the_paper_in_every_theme(theme: int) -> None:
    style = files("covey.reports").joinpath("page.css").read_text("utf-8")
    block = re.findall(r":root \{(.*?)\}", style, flags=re.DOTALL)[theme]
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
    paper = luminance(colours["paper"])
    for name in ("ink", "soft", "warn", *(f"s{i}" for i in range(8))):
        low, high = sorted((paper, luminance(colours[name])))
        assert (high + 0.05) / (low + 0.05) >= 4.5, name


def test_settings_that_differ_come_before_those_that_all_runs_share() -> None:
    text = Outline(page([federated(), central()])).text
    differ, shared = text.index("Where the runs differ"), text.index("The same in all of them")
    assert differ < text.index("algorithm", differ) < shared < text.index("learning_rate", differ)
