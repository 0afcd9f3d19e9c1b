"""Rounds under masks: the bits of the same rounds in the clear, whoever goes missing, and a true account of them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from covey.aggregation.secure.run import PHASES
from covey.algorithms.fcf import FCFConfig
from covey.algorithms.fedncf import FedNCFConfig
from covey.algorithms.fpl import FPLConfig
from covey.engines import Session, session, sums
from covey.engines.sums import SumSettings
from covey.errors import ConfigError
from covey.messages.secure import SECURE_MESSAGES
from covey.testing.engines import state_of
from covey.testing.towns import town

CONFIGS = {
    "fedncf": FedNCFConfig(factors=4, batch_size=8, people_per_round=9, rounds=3),
    "fcf": FCFConfig(factors=4, people_per_round=9, rounds=3),
    "fpl": FPLConfig(factors=4, people_per_round=9, rounds=3, triples=2),
}
SMALL: dict[str, Any] = {"least_people": 3, "least_difference": 1}


def started(name: str, config: Any = None, **settings: Any) -> Session:
    return session(
        name, config or CONFIGS[name], town(), seed=2, workers=1, sums=SumSettings(**{**SMALL, **settings})
    )


def goes_missing(monkeypatch: pytest.MonkeyPatch, pattern: dict[Any, list[int]]) -> None:
    monkeypatch.setattr(sums, "missing", lambda *_: pattern)


PATTERNS = [
    {},
    *({phase: [4]} for phase in PHASES),
    {"advertise": [0], "mask": [3], "unmask": [8]},
    {"share": [1, 2], "acknowledge": [7]},
]


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("pattern", PATTERNS, ids=str)
def test_rounds_under_masks_end_with_the_bits_of_rounds_in_the_clear(
    monkeypatch: pytest.MonkeyPatch, name: str, pattern: dict[Any, list[int]]
) -> None:
    goes_missing(monkeypatch, pattern)
    masked, clear = started(name, secure=True), started(name)
    for _ in range(2):
        masked.advance()
        clear.advance()
    assert state_of(masked) == state_of(clear)


def test_a_round_that_too_many_leave_is_given_up_and_the_next_one_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    masked = started("fcf", secure=True)
    before = {name: array.tobytes() for name, array in masked.shared().items()}
    goes_missing(monkeypatch, {"mask": [0, 1, 2, 3]})
    masked.advance()
    assert masked.round == 1
    assert {name: masked.shared()[name].tobytes() for name in before} == before
    facts = masked.facts()
    assert facts["abandoned_rounds"] == 1
    assert "5 of 9" in facts["abandoned_why"][0] or "5 people" in facts["abandoned_why"][0]
    goes_missing(monkeypatch, {})
    masked.advance()
    assert masked.shared()["items"].tobytes() != before["items"]


def test_the_ledger_of_a_masked_round_has_every_message_and_no_update() -> None:
    masked = started("fcf", secure=True)
    masked.advance()
    entries = masked.ledger.entries()
    messages = {entry["message"] for entry in entries}
    assert {each.message for each in SECURE_MESSAGES} <= messages
    assert "OwnGradients" not in messages
    for entry in entries:
        if entry["message"] == "SecureMasked":
            assert entry["messages"] == 9
            assert int(entry["bytes"]) > 9 * 29 * 4  # a row for every item, whatever a person has


def test_everybody_takes_part_once_a_pass_in_the_order_of_a_public_seed() -> None:
    schedule = started("fedncf", FedNCFConfig(factors=4, people_per_round=4), secure=True).schedule  # type: ignore[attr-defined]
    first = [schedule.people(n).tolist() for n in range(schedule.rounds_a_pass)]
    assert sorted(person for people in first for person in people) == list(range(9))
    again = started("fedncf", FedNCFConfig(factors=4, people_per_round=4), secure=True).schedule  # type: ignore[attr-defined]
    assert [again.people(n).tolist() for n in range(again.rounds_a_pass)] == first


def test_a_masked_session_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    whole, broken = started("fcf", secure=True), started("fcf", secure=True)
    broken.advance()
    broken.save(tmp_path)
    resumed = started("fcf", secure=True)
    resumed.restore(tmp_path)
    for _ in range(2):
        whole.advance()
    resumed.advance()
    assert {name: array.tobytes() for name, array in resumed.shared().items()} == {
        name: array.tobytes() for name, array in whole.shared().items()
    }


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"secure": True, "least_people": 10}, "a group has 9 people, expected 10 or more"),
        ({"secure": True, "neighbours": 3}, "expected an even number"),
    ],
)
def test_terms_that_no_round_can_keep_are_refused_at_the_start(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        started("fedncf", **settings)


def test_dropouts_are_as_many_as_asked_for_and_others_in_each_round() -> None:
    people = np.arange(40, dtype=np.int32)
    rounds = [sums.missing(7, number, people, 0.25) for number in range(3)]
    gone = [sorted(person for who in each.values() for person in who) for each in rounds]
    assert [len(set(each)) for each in gone] == [10, 10, 10]
    assert gone[0] != gone[1] != gone[2]
    assert sums.missing(7, 0, people, 0.25) == rounds[0]
