"""`covey tune` on the command line: what it prints, and what it refuses in one sentence."""

import sys
from pathlib import Path

import pytest
from test_cli_bad_input import assert_refused, everything_in

pytest.importorskip("optuna")

QUICK = ("--data", "synthetic:village", "--set", "people_per_round=20", "--set", "global_rounds=1")
TUNE = ("tune", "fedncf", *QUICK)

CASES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "an unknown algorithm": (("tune", "fedncg", *QUICK), ("did you mean 'fedncf'?",)),
    "no algorithm": (("tune", *QUICK), ("an algorithm is missing", "for example")),
    "no data": (("tune", "fedncf"), ("--data is missing",)),
    "no trials": ((*TUNE, "--trials", "0"), ("trials must be from 1 to 100000, got 0",)),
    "an unknown metric": ((*TUNE, "--metric", "hr@11"), ("unknown metric 'hr@11'", "did you mean 'hr@10'?")),
    "the test part": ((*TUNE, "--set", "part=test"), ("validation part alone", "leave part out")),
    "nothing to tune": (("tune", "most-popular", "--data", "synthetic:village"), ("most-popular has nothing to tune",)),
    "an unknown key to tune": ((*TUNE, "--over", "factor=2..8"), ("unknown key for fedncf 'factor'", "'factors'")),
    "a key of runs to tune": ((*TUNE, "--over", "k=5|10"), ("k says how a run is measured", "--set k=VALUE")),
    "a range of nothing": ((*TUNE, "--over", "factors"), ("key=value", "'factors'")),
    "one value": ((*TUNE, "--over", "factors=8"), ("expected a range LOW..HIGH", "got '8'")),
    "a range that ends before it begins": ((*TUNE, "--over", "factors=8..2"), ("must end above its beginning",)),
    "half a factor": ((*TUNE, "--over", "factors=2.5..8"), ("expected whole numbers", "'2.5'")),
    "words as ends": ((*TUNE, "--over", "learning_rate=a..b"), ("expected numbers at both ends", "'a'")),
    "a range without end": ((*TUNE, "--over", "learning_rate=1..inf"), ("must be finite",)),
    "logarithms of nothing": ((*TUNE, "--over", "learning_rate=0..1:log"), ("must begin above 0",)),
    "another scale": ((*TUNE, "--over", "factors=2..8:sqrt"), ("expected factors=2..8 or factors=2..8:log",)),
    "a range of words": ((*TUNE, "--over", "model=gmf..mlp"), ("model is no number", "--over model=A|B")),
    "an unknown choice": ((*TUNE, "--over", "model=gmf|mpl"), ("unknown model 'mpl'", "did you mean 'mlp'?")),
    "a range that the key does not take": ((*TUNE, "--over", "factors=0..8"), ("factors must be from 1 to 1024",)),
    "fixed and tuned": ((*TUNE, "--set", "factors=4", "--over", "factors=2..8"), ("both fixed (4) and to be tuned",)),
    "too little data": ((*TUNE, "--set", "split=given"), ("came without test items",)),
    "resuming nothing": (("tune", "--resume", "nowhere"), ("no study at nowhere",)),
    "resuming with ranges": (("tune", "--resume", "s", "--over", "factors=2..8"), ("--over cannot go with --resume",)),
    "resuming an algorithm": (("tune", "fedncf", "--resume", "s"), ("an algorithm cannot go with --resume",)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_one_sentence_and_leaves_nothing(covey, home: Path, case: str):
    words, parts = CASES[case]
    assert_refused(covey(*words), *parts)
    assert everything_in(home) == []


def test_it_prints_the_best_settings_and_the_command_and_goes_on(covey, home: Path):
    ended = covey(*TUNE, "--over", "factors=2..8", "--trials", "2", "--out", "s")
    assert ended.code == 0
    assert "Train with it: covey train fedncf --data synthetic:village" in ended.out
    assert "trial 2 of 2: hr@10 0." in ended.err
    before = everything_in(home)

    again = covey(*TUNE, "--over", "factors=2..8", "--trials", "2", "--out", "s")
    assert_refused(again, "already holds this study", "--resume s")
    other = covey(*TUNE, "--over", "factors=2..9", "--trials", "2", "--out", "s")
    assert_refused(other, "another configuration", "the range of factors is '2..8' there, '2..9' here")
    assert everything_in(home) == before

    more = covey("tune", "--resume", "s", "--trials", "3", "-q")
    assert (more.code, more.err) == (0, "")
    assert (home / "s/trials/0003/summary.json").exists()


def test_without_the_extra_nothing_is_begun(covey, home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    assert_refused(covey(*TUNE), "tuning needs optuna", "covey[tune]")
    assert everything_in(home) == []
