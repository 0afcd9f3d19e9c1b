"""Sessions of groups: the rounds, who takes part in which, what is counted, and what a stop or a mistake leaves."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from covey.algorithms.fedsplit import FedSPLIT, FedSPLITConfig
from covey.algorithms.fedsplit_groups import ALONE, GroupRows
from covey.algorithms.fedsplit_local import bias_message, mean_message, pattern_message
from covey.device.groups import GroupModel, GroupStates
from covey.engines import groups as engine
from covey.engines import session
from covey.engines.groups import GroupSession
from covey.engines.sums import SumSettings
from covey.errors import ConfigError, PrivacyError
from covey.messages.codecs import Raw, header_bytes
from covey.messages.updates import ModelUpdate
from covey.server.joint import JointServer
from covey.splits.histories import Histories, History
from covey.testing.looking import bits, parts
from covey.testing.rated import ITEMS, SIZES, households, on_another_scale, street

SMALL: dict[str, Any] = {"patterns": 2, "components": 4, "iterations": 5}
PUBLISHED: dict[str, Any] = {"joint": "nmf", "biases": "groups", "refit": "distil", "evidence": 0.0}
TOO_SMALL, BY_THEMSELVES = 4, 2 + SIZES[4]  # a household of two, and who predicts without a household's model


def started(train: Histories | None = None, workers: int = 1, seed: int = 1, **choices: Any) -> GroupSession:
    config = FedSPLITConfig(**{**SMALL, **choices})
    made = session("fedsplit", config, train or street(), seed, workers, households())
    assert isinstance(made, GroupSession)
    return made


def after(rounds: int, **choices: Any) -> GroupSession:
    """A session after so many rounds."""
    made = started(**choices)
    for _ in range(rounds):
        made.advance()
    return made


def state_of(of: GroupSession) -> list[bytes]:
    """Everything of a session that shows, what stays at home included."""
    everybody = np.arange(of.train.people_count, dtype=np.int32)
    models = [(ticket, *model.fit, model.raters) for ticket, model in of.states.models.items()]
    held = [(ticket, each.patterns) for ticket, each in sorted(of.server.held.items())]
    shown = dict(sorted(of.shared().items())), of.scorer().everything(everybody), of.states.vectors
    return bits(of.round, *shown, models, held, of.server.record)


def people_in(group: int) -> np.ndarray:
    return np.flatnonzero(households() == group).astype(np.int32)


# --- the same bits ---

CHOICES: list[dict[str, Any]] = [
    {"forgotten": 0.3, "late": 0.3, "weakest": 0.3, "components": 2},
    {**PUBLISHED, "forgotten": 0.3, "late": 0.3},
    {"local": "spectrum", "hide": "decoys", "forgotten": 0.3},
]


@pytest.mark.parametrize("choices", CHOICES)
def test_a_restored_session_goes_on_as_if_never_interrupted(choices: dict[str, Any], tmp_path: Path) -> None:
    whole = after(3, **choices)
    for rounds_before in range(4):
        broken = after(rounds_before, **choices)
        broken.save(tmp_path)
        resumed = started(**choices)
        resumed.restore(tmp_path)
        assert state_of(resumed) == state_of(broken)
        for _ in range(3 - rounds_before):
            resumed.advance()
        assert state_of(resumed) == state_of(whole)


@pytest.mark.parametrize("choices", [*CHOICES, {"trials": 2}])
def test_one_worker_and_two_end_with_the_same_bits(choices: dict[str, Any]) -> None:
    if "trials" in choices:
        pytest.importorskip("optuna")
    assert state_of(after(2, **choices)) == state_of(after(2, workers=2, **choices))


def test_another_seed_ends_with_other_bits() -> None:
    assert state_of(after(2)) != state_of(after(2, seed=2))


def test_a_state_of_other_people_is_refused(tmp_path: Path) -> None:
    after(1).save(tmp_path)
    with pytest.raises(ValueError, match="expected vectors of shape"):
        started(components=3).restore(tmp_path)


# --- the rounds ---


def test_a_third_round_is_there_only_for_who_wants_to_be_forgotten() -> None:
    assert (started().rounds, started(forgotten=0.1).rounds) == (2, 3)


def test_more_components_than_all_groups_have_patterns_are_refused_before_anybody_trains() -> None:
    with pytest.raises(ConfigError, match="set components to 10"):
        started(components=11)


def test_a_round_that_fails_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    failing = after(1)
    before, entries = state_of(failing), failing.ledger.entries()

    def trouble(*_: object) -> None:
        raise ConfigError("no joint patterns today")

    monkeypatch.setattr(JointServer, "fuse", trouble)
    with pytest.raises(ConfigError, match="today"):
        failing.advance()
    assert state_of(failing) == before
    assert failing.ledger.entries() == entries


def test_before_the_first_round_everything_is_in_the_middle_of_the_scale() -> None:
    scores = started().scorer().everything(np.array([0, 22], np.int32))
    assert (scores == 3).all()


def test_after_the_first_round_groups_predict_with_their_own_models_and_others_with_the_mean() -> None:
    first = after(1)
    centre = float(first.shared()["network"][0])
    person, rows, model = people_in(2)[1], first.rows[2], first.states.models[2]
    scores = first.scorer().everything(np.array([person, 22, people_in(TOO_SMALL)[0]], np.int32))
    expected = np.full(ITEMS, centre + model.fit.user_bias[1])
    expected[rows.items] += model.fit.items @ model.fit.users[1] + model.fit.item_bias
    np.testing.assert_allclose(scores[0], expected, rtol=1e-6)
    assert (scores[1:] == np.float32(centre)).all()


def test_after_the_second_round_everybody_has_a_vector_in_a_group_or_not() -> None:
    second = after(2, late=0.4)
    assert second.states.vectors.any(axis=1).all()
    assert len(second.invited.late) == 2


@pytest.mark.parametrize("forgotten", [0.0, 0.3])
@pytest.mark.parametrize("biases", ["evidence", "groups"])
def test_late_groups_change_nothing_for_others(forgotten: float, biases: str) -> None:
    """What they rate enters neither the centre nor the joint patterns, nor those without the forgotten."""
    choices = {"late": 0.4, "forgotten": forgotten, "biases": biases}
    late = started(**choices).invited.late[0]
    one, other = (
        after(3 if forgotten else 2, train=train, **choices)
        for train in (street(), on_another_scale(street(), late, 0.9))
    )
    assert one.shared()["items"].tobytes() == other.shared()["items"].tobytes()
    assert one.states.models[late].fit.users.tobytes() != other.states.models[late].fit.users.tobytes()


def test_people_of_a_published_group_get_its_own_vectors_distilled() -> None:
    """Equations 18 and 19 through the whole session; who is alone gets a regression instead."""
    second = after(2, **PUBLISHED)
    model, people = second.states.models[0], people_in(0)
    table = second.shared()["items"].astype(float)
    mixing = second.server.fuse().slices[0]
    expected = float(second.shared()["network"][0]) + model.fit.user_bias[:, None] + table[:, -1]
    expected = expected + model.fit.users @ mixing.T @ table[:, :-1].T
    np.testing.assert_allclose(second.scorer().everything(people), expected, rtol=1e-5)
    assert second.states.vectors[22].any()


def test_forgotten_groups_predict_with_their_own_models_and_others_learn_without_them() -> None:
    second, third = after(2, forgotten=0.3), after(3, forgotten=0.3)
    leaving = third.invited.leaving
    assert [entry["ticket"] for entry in third.server.record] == leaving == second.invited.leaving
    assert not set(leaving) & set(third.server.held)
    assert second.shared()["items"].tobytes() != third.shared()["items"].tobytes()
    people = people_in(leaving[0])
    own = after(1, forgotten=0.3).scorer().everything(people)
    assert third.scorer().everything(people).tobytes() == own.tobytes()
    assert (
        third.scorer().sets["forgotten"].tolist()
        == np.sort(np.concatenate([*map(people_in, leaving)])).tolist()
    )


def test_somebody_stays_however_many_want_to_leave() -> None:
    invited = started(forgotten=0.9).invited
    assert len(invited.leaving) == len(invited.early) - 1


def test_people_without_a_group_column_are_grouped_at_random() -> None:
    config = FedSPLITConfig(**SMALL, largest_group=4, alone=0.2)
    drawn = session("fedsplit", config, street(), 1, 1)
    assert isinstance(drawn, GroupSession)
    assert np.count_nonzero(drawn.groups == ALONE) == round(0.2 * drawn.train.people_count)
    assert len(drawn.rows) >= 4


# --- who cannot take part ---


def test_a_group_that_does_not_fit_gets_a_sentence_and_the_others_go_on() -> None:
    found = after(2, train=on_another_scale(street(), 0, 20.0)).facts()
    assert (found["groups"], found["groups_taking_part"]) == (6, 4)
    reasons = {each["ticket"]: each["why"] for each in found["groups_refused"]}
    assert reasons == {
        0: "its ratings go from 20 to 100, those of others from 1 to 5; convert them",
        TOO_SMALL: "fewer people than the smallest group of 3 that hides anybody",
    }
    assert found["record"] == []


def test_a_group_on_a_smaller_scale_is_found_too() -> None:
    reasons = started(train=on_another_scale(street(), 0, 0.2)).invited.refused
    assert reasons[0].startswith("its ratings go from 0.2 to 1 alone")


def test_a_scale_that_was_set_goes_before_what_groups_have() -> None:
    set_higher = started(lowest_rating=0, highest_rating=10, train=on_another_scale(street(), 0, 1.5))
    assert (set_higher.invited.scale, list(set_higher.invited.refused)) == ((0, 10), [TOO_SMALL])
    with pytest.raises(ConfigError, match=r"no group of 6 can take part.*from 2 to 5; convert them"):
        started(lowest_rating=2, highest_rating=5)


def test_a_group_without_a_rating_is_told_so() -> None:
    train, home = street(), households()
    kept = home[train.person] != 3
    offsets = np.concatenate([[0], np.bincount(train.person[kept], minlength=len(home)).cumsum()])
    without = Histories(offsets, train.item[kept], train.value[kept], train.time[kept], ITEMS)
    found = after(2, train=without)
    assert found.invited.refused[3] == "it has no rating"
    assert not found.states.vectors[people_in(3)].any(), "nothing is known of them"
    assert found.states.vectors[people_in(0)].any()


def test_where_nobody_fits_nothing_begins() -> None:
    with pytest.raises(
        ConfigError, match=r"no group of 6 can take part \(fewer people.*lower smallest_group"
    ):
        started(smallest_group=6)


def test_a_message_that_the_server_refuses_stops_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_a_pattern(config: Any, rows: GroupRows, *others: Any) -> ModelUpdate:
        update = pattern_message(config, rows, *others)
        update.item_values[:] *= not 0 in rows.people
        return update

    monkeypatch.setattr(engine, "pattern_message", without_a_pattern)
    found = after(2, **PUBLISHED)
    (entry,) = found.facts()["record"]
    assert (entry["ticket"], entry["what"]) == (0, "refused")
    assert "all patterns are zero" in entry["why"]
    assert 0 not in found.server.held
    assert found.states.vectors[people_in(0)].any(axis=1).all(), (
        "its people solve for their vectors like any other"
    )
    assert [ticket for ticket, _ in found.disclosures()] == [1, 2, 3, 5]


# --- what is counted ---


def encoded(of: GroupSession, update: ModelUpdate) -> int:
    """Bytes of the message on the wire."""
    assert np.all(np.diff(update.rows) > 0)
    return len(Raw().encode(update))


@pytest.mark.parametrize("choices", [{}, PUBLISHED, {"hide": "rare", "late": 0.3, "forgotten": 0.3}])
def test_the_ledger_counts_the_bytes_of_the_messages_that_go_up(choices: dict[str, Any]) -> None:
    rounds = 3 if choices.get("forgotten") else 2
    done = after(rounds, **choices)
    config, models, invited = done.algorithm.config, done.states.models, done.invited
    wanted = sum(encoded(done, mean_message(done.rows[ticket], 0)) for ticket in invited.early)
    for ticket in [*invited.early, *invited.late]:
        update = pattern_message(config, done.rows[ticket], models[ticket], ITEMS, 1, ticket, 1)
        wanted += encoded(done, update)
    if config.biases == "evidence":
        # What was summed in the second round is summed again without the forgotten in the third.
        for tickets in (invited.early, sorted(set(invited.early) - set(invited.leaving)))[: rounds - 1]:
            wanted += sum(
                encoded(done, bias_message(config, done.rows[ticket], models[ticket], 1))
                for ticket in tickets
            )
    assert done.ledger.bytes("up") == wanted


@pytest.mark.parametrize("choices", [{}, PUBLISHED])
def test_the_ledger_counts_what_comes_down_to_groups_and_to_who_has_none(choices: dict[str, Any]) -> None:
    """Invitations to all; the mean and the joint patterns to five groups and four people by themselves."""
    done = after(2, **choices)
    config, receivers = done.algorithm.config, len(done.invited.early) + BY_THEMSELVES
    invitation = header_bytes() + 8 * (2 + len(config.__struct_fields__))
    mean = header_bytes() + 8
    patterns = header_bytes() + 4 * ITEMS * (config.components + 1)
    slices = 4 * config.components * 2 * len(done.invited.early) if config.refit == "distil" else 0
    wanted = invitation * (len(SIZES) + 2) + (mean + patterns) * receivers + slices
    assert done.ledger.bytes("down") == wanted
    found = done.facts()
    assert found["upload_bytes_per_group"] == done.ledger.bytes("up") / 5
    assert found["download_bytes_per_receiver"] == wanted / receivers


def test_the_forgotten_get_nothing_more() -> None:
    before, done = (after(rounds, forgotten=0.3) for rounds in (2, 3))
    patterns = header_bytes() + 4 * ITEMS * (SMALL["components"] + 1)
    receivers = len(done.invited.early) - len(done.invited.leaving) + BY_THEMSELVES
    assert done.ledger.bytes("down") - before.ledger.bytes("down") == receivers * patterns


# --- what stays at home ---


def test_nothing_private_is_on_the_servers_side_and_states_do_not_print() -> None:
    done = after(2, **PUBLISHED)
    for part in parts([done.server.held, done.server.record, done.shared(), done.disclosures()]):
        assert not isinstance(part, GroupRows | GroupModel | GroupStates | History | Histories)
    assert str(done.states) == "GroupStates(kept at home)"


def test_sums_under_masks_that_would_show_the_forgotten_by_subtraction_are_refused() -> None:
    def secure(least_difference: int, **choices: Any) -> GroupSession:
        sums = SumSettings(secure=True, least_people=2, least_difference=least_difference)
        config = FedSPLITConfig(**{**SMALL, **choices})
        return GroupSession(FedSPLIT(config, ITEMS, 1), street(), 1, households(), sums)

    with pytest.raises(PrivacyError, match="expected at least 3 groups to be forgotten, got 2"):
        secure(3, forgotten=0.3)
    secure(2, forgotten=0.3)
    secure(3)
    secure(3, forgotten=0.3, biases="groups")  # nothing is summed


def test_the_state_of_devices_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    after(1).save(tmp_path)
    assert (tmp_path / "devices.safetensors").stat().st_mode & 0o077 == 0
