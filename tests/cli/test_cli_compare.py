"""`covey compare` on the command line: what it prints, and what it refuses in one sentence."""

from pathlib import Path

import pytest
from test_cli_bad_input import assert_refused, everything_in

QUICK = ("--data", "synthetic:village", "--set", "people_per_round=20", "--set", "global_rounds=1")
BOTH = ("compare", "fedncf", "most-popular", *QUICK)

CASES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "an unknown algorithm": (("compare", "fedncf", "most-poplar", *QUICK), ("did you mean 'most-popular'?",)),
    "one algorithm": (("compare", "fedncf", *QUICK), ("at least 2 algorithms, got 1",)),
    "none": (("compare", *QUICK), ("two algorithms or more are missing", "for example")),
    "no data": (("compare", "fedncf", "most-popular"), ("--data is missing",)),
    "the same twice": (("compare", "fedncf", "fedncf", *QUICK), ("fedncf is named twice", "fedncf:other")),
    "the same settings twice": (
        ("compare", "fedncf", "fedncf:b", *QUICK),
        ("fedncf and b would be the same runs", "--set b.KEY=VALUE"),
    ),
    "a name that is no folder": (("compare", "fedncf", "fedncf:../b", *QUICK), ("letters, digits", "fedncf:../b")),
    "another's name": (("compare", "fedncf:central-ncf", "most-popular", *QUICK), ("name of another algorithm",)),
    "keys of nobody": ((*BOTH, "--set", "fedncg.factors=2"), ("'fedncg'", "did you mean 'fedncf'?")),
    "a key that nobody knows": ((*BOTH, "--set", "factor=2"), ("unknown key 'factor'", "did you mean 'factors'?")),
    "a key that the entry does not know": ((*BOTH, "--set", "most-popular.factors=2"), ("key for most-popular",)),
    "a key of runs for one alone": ((*BOTH, "--set", "fedncf.k=5"), ("k is the same for all", "--set k=5")),
    "a value out of range": ((*BOTH, "--set", "fedncf.factors=0"), ("factors must be from 1 to 1024, got 0",)),
    "no repeats": ((*BOTH, "--repeats", "0"), ("repeats must be from 1 to 1000, got 0",)),
    "an unknown metric": ((*BOTH, "--metric", "ndcg@11"), ("unknown metric 'ndcg@11'", "did you mean 'ndcg@10'?")),
    "a metric that they do not have": ((*BOTH, "--metric", "rmse"), ("fedncf has no rmse", "it has hr@10")),
    "an unknown test": ((*BOTH, "--test", "bays"), ("did you mean 'bayes'?",)),
    "repeats of one": ((*BOTH, "--repeats", "1", "--test", "repeats"), ("needs at least 2 repeats, got 1",)),
    "bayes of one": ((*BOTH, "--repeats", "1", "--test", "bayes"), ("'bayes' needs at least 2 repeats, got 1",)),
    "people of all lists": ((*BOTH, "--metric", "gini@10"), ("belongs to all lists together", "--test repeats")),
    "a rope of nothing": ((*BOTH, "--rope", "0"), ("rope must be above 0",)),
    "a rope without end": ((*BOTH, "--rope", "inf"), ("rope must be above 0 and finite",)),
    "unknown data": (("compare", "fedncf", "most-popular", "--data", "ml-1n"), ("did you mean 'ml-1m'?",)),
    "resuming nothing": (("compare", "--resume", "nowhere"), ("no comparison at nowhere",)),
    "resuming with algorithms": (("compare", "fedncf", "--resume", "c"), ("algorithms cannot go with --resume",)),
    "resuming with data": (("compare", "--resume", "c", "--data", "x"), ("--data cannot go with --resume",)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_one_sentence_and_leaves_nothing(covey, home: Path, case: str):
    words, parts = CASES[case]
    assert_refused(covey(*words), *parts)
    assert everything_in(home) == []


def test_it_prints_the_table_the_tests_and_where_the_report_is(covey, home: Path):
    ended = covey(*BOTH, "--repeats", "2", "--out", "c")
    assert ended.code == 0
    assert "Names that share a letter" in ended.out
    assert "told" in ended.out
    assert "repeat 2 of 2 (seed 1): most-popular" in ended.err
    assert (home / "c/report.html").exists()
    before = everything_in(home)

    assert_refused(
        covey(*BOTH, "--repeats", "2", "--out", "c"), "already holds this comparison", "--resume c"
    )
    other = covey(*BOTH, "--set", "fedncf.factors=3", "--out", "c")
    assert_refused(other, "another configuration", "fedncf.factors is 12 there, 3 here")
    assert_refused(
        covey("compare", "fedncf", "central-ncf", *QUICK, "--out", "c"),
        "who is compared is 'fedncf, most-popular' there",
    )
    assert_refused(covey(*BOTH, "--seed", "5", "--out", "c"), "seed is 0 there, 5 here")
    assert everything_in(home) == before

    again = covey("compare", "--resume", "c", "--metric", "ndcg@10", "--test", "bayes", "-q")
    assert again.code == 0
    assert again.err == ""
    assert "Bayesian" in again.out


def test_without_the_extra_a_bayesian_comparison_is_not_begun(covey, home: Path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "baycomp.single", None)
    assert_refused(covey(*BOTH, "--repeats", "2", "--test", "bayes"), "needs baycomp", "covey[compare]")
    assert everything_in(home) == []


def test_a_damaged_folder_is_one_sentence(covey, home: Path):
    covey(*BOTH, "--repeats", "1", "--out", "c", "-q")
    (home / "c/comparison.json").write_text("{")
    assert_refused(covey("compare", "--resume", "c"), "comparison.json is damaged")
