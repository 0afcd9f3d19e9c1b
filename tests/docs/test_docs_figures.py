"""Figures in the README come from stored results and from nowhere else."""

import json

from covey_docs.figures import block
from covey_docs.markers import names
from repository import ROOT

STORED = {
    "name": "fedncf/table-6",
    "title": "FedNCF beside central NCF",
    "paper": "A paper",
    "protocol": "Leave one out.",
    "metrics": ["hr@10", "ndcg@10"],
    "command": "covey reproduce fedncf/table-6",
    "rows": [
        {
            "id": "a",
            "labels": {"data": "ML-100K", "model": "FedGMF"},
            "ours": {"hr@10": {"mean": 0.6174, "sd": 0.004, "seeds": {"1": 0.6134, "2": 0.6214}}},
            "theirs": {"hr@10": 0.59, "ndcg@10": ".33"},
            "global_rounds": 400.0,
            "upload_bytes_per_person": 8_400_000,
            "note": "4 seeds would be better",
        },
        {
            "id": "b",
            "labels": {"data": "ML-100K", "model": "central GMF"},
            "ours": {"hr@10": {"mean": 0.68, "sd": None, "seeds": {"1": 0.68}}},
            "theirs": {},
            "global_rounds": 20.0,
            "upload_bytes_per_person": None,
        },
        {"id": "c", "labels": {"data": "Foursquare", "model": "FedGMF"}, "ours": {}, "theirs": {}},
    ],
}


def written(tmp_path, stored) -> str:
    (tmp_path / "fedncf").mkdir()
    (tmp_path / "fedncf/table-6.json").write_text(json.dumps(stored))
    return block("fedncf/table-6", tmp_path)


def test_what_was_never_measured_says_so_with_the_command(tmp_path):
    assert block("fedncf/table-6", tmp_path) == "Not measured yet; `covey reproduce fedncf/table-6` does it."


def test_a_row_shows_ours_with_its_spread_beside_the_published_figure(tmp_path):
    lines = written(tmp_path, STORED).splitlines()
    assert lines[0] == "**FedNCF beside central NCF**"
    cells = [cell.strip() for cell in lines[4].strip("|").split("|")]
    assert cells == ["ML-100K", "FedGMF", "0.617 (sd 0.004, 2 seeds)", "0.59", "—", ".33", "400", "8.4 MB"]


def test_a_single_seed_shows_no_spread_and_a_central_run_no_bytes(tmp_path):
    cells = [cell.strip() for cell in written(tmp_path, STORED).splitlines()[5].strip("|").split("|")]
    assert cells == ["ML-100K", "central GMF", "0.680", "—", "—", "—", "20", "—"]


def test_a_figure_without_published_numbers_has_no_column_for_them(tmp_path):
    rows = [{**row, "theirs": {}} for row in STORED["rows"]]
    lines = written(tmp_path, {**STORED, "rows": rows}).splitlines()
    assert lines[2] == "| data | model | HR@10 | global rounds | sent a person |"


def test_a_row_without_any_figure_is_left_out(tmp_path):
    assert "Foursquare" not in written(tmp_path, STORED)


def test_protocol_command_and_notes_stand_with_the_table(tmp_path):
    text = written(tmp_path, STORED)
    for said in (
        "Leave one out.",
        "`covey reproduce fedncf/table-6`",
        "- ML-100K, FedGMF: 4 seeds would be better",
    ):
        assert said in text


def test_the_readme_has_blocks_of_results():
    assert "fedncf/table-6" in names((ROOT / "README.md").read_text("utf-8"), "results")
