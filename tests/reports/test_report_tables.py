"""Claims about comparisons, and about ours beside theirs."""

import json
import math
import re

import pytest
from fake_runs import FakeRun, central, federated, most_popular
from hypothesis import given
from hypothesis import strategies as st

from covey.reports import comparison, markdown, ours_and_theirs, summary_text, to_json
from covey.reports.tables import markdown_table


def cells(table: str) -> list[list[str]]:
    """A Markdown table read back: its cells, without the rule under the headers and without escapes."""
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    split = [_split(line) for i, line in enumerate(lines) if i != 1]
    return [[re.sub(r"\\(.)", r"\1", cell.strip()) for cell in line] for line in split]


def _split(line: str) -> list[str]:
    """A line's cells: a bar that an even number of backslashes precedes ends one."""
    return re.findall(r"((?:[^|\\]|\\.)*)\|", line)[1:]


def test_a_comparison_has_one_row_a_run_in_the_given_order() -> None:
    runs = [federated(), central(), most_popular()]
    assert [row["title"] for row in comparison(runs)] == ["FedGMF", "central GMF", "most popular"]


def test_a_row_holds_final_metrics_rounds_and_the_mean_bytes_of_a_person() -> None:
    row = comparison([federated(12)])[0]
    assert row["hr@10"] == pytest.approx(0.613 - 0.5 / 13**1.5)
    assert (row["rounds"], row["global_rounds"], row["seconds"]) == (240, 12.0, 18.0)
    assert (row["upload_bytes"], row["download_bytes"]) == (96_000.0, 1_080_000.0)


def test_the_error_of_a_hit_rate_is_binomial_and_no_other_metric_has_one() -> None:
    row = comparison([federated()])[0]
    rate = row["hr@10"]
    assert row["hr@10_se"] == pytest.approx(math.sqrt(rate * (1 - rate) / 943))
    assert row["ndcg@10_se"] is None


def test_a_central_run_has_no_bytes_rather_than_zero_bytes() -> None:
    row = comparison([central()])[0]
    assert row["upload_bytes"] is None
    assert row["download_bytes"] is None


def test_a_run_without_a_summary_shows_its_last_evaluated_round() -> None:
    run = federated(5)
    run.summary = {}
    row = comparison([run])[0]
    assert row["hr@10"] == run.metrics.get_column("hr@10")[-1]
    assert row["status"] == "unfinished"


def test_a_run_that_never_evaluated_has_a_row_without_numbers() -> None:
    row = comparison([FakeRun()])[0]
    assert row["rounds"] is None
    assert "FedGMF (unfinished)" in markdown([row])


def test_markdown_reads_back_cell_by_cell() -> None:
    header, *rows = cells(markdown(comparison([federated(), central()])))
    assert header[:3] == ["run", "HR@10", "NDCG@10"]
    assert rows[0][0] == "FedGMF"
    assert rows[0][5:] == ["96 kB", "1.1 MB", "18 s"]
    assert rows[1][5:7] == ["—", "—"]


def test_markdown_names_the_runs_that_held_every_history() -> None:
    assert "Central, with every history in one place: central GMF." in markdown(
        comparison([federated(), central()])
    )


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="&<"), min_size=1))
def test_whatever_a_cell_says_it_stays_one_cell_and_starts_no_markup(text: str) -> None:
    read = cells(markdown_table(["a", "b"], [[text, "end"]]))
    assert read[1] == [" ".join(text.split()), "end"]


def test_markdown_cells_start_no_html() -> None:
    assert "<script" not in markdown_table(["a"], [["<script>alert(1)</script>"]])


def test_json_reads_back_as_the_same_rows() -> None:
    rows = comparison([federated(), central()])
    assert json.loads(to_json(rows)) == rows


def test_json_says_null_for_what_is_no_number() -> None:
    assert json.loads(to_json([{"title": "a", "hr@10": math.nan}])) == [{"title": "a", "hr@10": None}]


def test_summary_text_is_aligned_and_has_every_run() -> None:
    text = summary_text([federated(), most_popular()])
    assert len({len(line) for line in text.splitlines()}) == 1
    assert "most popular" in text


def test_summary_text_stays_aligned_when_a_title_holds_line_breaks() -> None:
    text = summary_text([federated(title="two\nlines   here"), most_popular()])
    assert len({len(line) for line in text.splitlines()}) == 1


def test_ours_and_theirs_shows_both_the_difference_and_the_note() -> None:
    table = ours_and_theirs(
        [
            {
                "data": "ml-100k",
                "metric": "HR@10",
                "ours": 0.6153,
                "theirs": 0.61,
                "people": 943,
                "note": "300 rounds",
            },
            {"data": "ml-1m", "metric": "NDCG@10", "ours": None, "theirs": ".33"},
            {"data": "ml-1m", "metric": "HR@10", "ours": 0.5, "theirs": "n/a"},
        ]
    )
    header, first, second, third = cells(table)
    assert header == ["data", "metric", "ours", "theirs", "difference", "note"]
    assert first == ["ml-100k", "HR@10", "0.615 ± 0.016", "0.61", "+0.005", "300 rounds"]
    assert second == ["ml-1m", "NDCG@10", "—", ".33", "—", ""]
    assert third[3:5] == ["n/a", "—"]
