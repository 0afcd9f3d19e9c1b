"""Many rounds of one person in one call end with the bits of the same rounds one after another."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from covey.algorithms.fpl import FPL, FPLConfig
from covey.engines import inprocess
from covey.engines.inprocess import FederatedSession
from covey.errors import DivergedError
from covey.messages.codecs import Raw, plan_bytes
from covey.testing.engines import state_of
from covey.testing.towns import town

VARIANTS: dict[str, dict[str, Any]] = {
    "sFPL": {},
    "half of them, each their own share": {"disclose": 0.5, "disclose_spread": 0.5},
    "many triples, rounded slopes": {"triples": 6, "disclose": 0.7, "slope_levels": 2},
    "beyond the range": {"spread": 60.0, "triples": 9, "learning_rate": 2.0},
}
variants = pytest.mark.parametrize("choices", VARIANTS.values(), ids=VARIANTS)


def session(workers: int = 1, **choices: Any) -> FederatedSession:
    config = FPLConfig(**{"factors": 5, "people_per_round": 1, "learning_rate": 0.2, **choices})
    return FederatedSession(FPL(config, town().item_count, 3), town(), workers)


@variants
def test_blocks_of_any_size_are_the_rounds_one_after_another(choices: dict[str, Any]) -> None:
    slow, whole, pieces = session(**choices), session(workers=2, **choices), session(**choices)
    for _ in range(40):  # four passes over nine people and a bit
        slow.advance()
    whole.advance_by(40)
    for rounds in (2, 7, 1, 9, 21):
        pieces.advance_by(rounds)
    assert state_of(slow) == state_of(whole) == state_of(pieces)
    assert slow.ledger.entries() == whole.ledger.entries() == pieces.ledger.entries()
    assert slow.round == whole.round == pieces.round == 40


@variants
def test_the_ledger_counts_the_bytes_of_every_message_as_if_it_were_sent(choices: dict[str, Any]) -> None:
    training, shadow = session(**choices), session(**choices)
    up = down = 0
    for number in range(40):
        plan, person = shadow.algorithm.plan(shadow.model), int(shadow.schedule.people(number)[0])
        state, history = shadow.population.state(person), town().of(person)
        up += len(Raw().encode(shadow.algorithm.on_device(plan, state, history)[0]))
        down += plan_bytes(plan)
        shadow.advance()
    training.advance_by(40)
    assert (training.ledger.bytes("up"), training.ledger.bytes("down")) == (up, down)


def test_values_beyond_the_range_are_counted_alike() -> None:
    training = session(**VARIANTS["beyond the range"])
    training.advance_by(40)
    assert sum(int(entry["clipped"]) for entry in training.ledger.entries()) > 0


def test_a_block_is_no_longer_than_ctrl_c_may_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inprocess, "BLOCK", 5)
    training = session()
    training.advance_by(1000)
    assert training.round == 5


def test_a_block_that_diverges_changes_nothing_and_says_which_rounds() -> None:
    training = session(learning_rate=1e30)
    before, entries = state_of(training), training.ledger.entries()
    with pytest.raises(
        DivergedError, match=r"diverged in rounds 0 to 8: .*; lower learning_rate \(now 1e\+30\)$"
    ):
        training.advance_by(9)
    assert state_of(training) == before
    assert training.ledger.entries() == entries


def test_a_restored_session_goes_on_in_blocks(tmp_path: Path) -> None:
    whole, broken, resumed = session(), session(), session()
    whole.advance_by(30)
    broken.advance_by(11)
    broken.save(tmp_path)
    broken.advance_by(8)  # a block that is lost
    resumed.restore(tmp_path)
    resumed.advance_by(19)
    assert state_of(resumed) == state_of(whole)


def test_rounds_of_several_people_are_done_one_by_one() -> None:
    training = session(people_per_round=2)
    training.advance_by(1000)
    assert training.round == 1


def test_a_session_of_fpl_has_the_papers_rounds() -> None:
    rows = len(town())
    assert session(epochs=3).rounds == 3 * rows
    assert session(epochs=3, rounds=7).rounds == 7
    everybody = session(epochs=3, people_per_round=0)
    assert (everybody.rounds_a_pass, everybody.rounds) == (1, round(3 * rows / 9))


def test_costs_are_a_visits() -> None:
    costs = session(triples=2).costs()["training_operations"]
    assert costs["min"] == costs["mean"] == costs["max"] > 0
    assert np.isfinite(costs["mean"])
