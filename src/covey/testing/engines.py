"""What every engine keeps: the same bits however the work is shared out, everybody once a pass, a true ledger."""

from pathlib import Path
from typing import Any

import numpy as np

from covey.algorithms.fedncf import FedNCFConfig
from covey.engines.session import Session
from covey.errors import ConfigError, DivergedError
from covey.messages.codecs import plan_bytes
from covey.splits.histories import Histories
from covey.testing.looking import bits
from covey.testing.refusals import refuses
from covey.testing.towns import town
from covey.testing.watched import AskedToFailError, Watched


class EngineContract:
    """Inherit, say how to start the engine, and pytest runs the claims."""

    def make(self, algorithm: Any, train: Histories, workers: int) -> Session:
        """A session of the algorithm over these people, at its beginning."""
        raise NotImplementedError

    def test_one_worker_and_two_end_with_the_same_bits(self) -> None:
        sessions = [self._start(Watched(_config(), town().item_count, 7), workers)[0] for workers in (1, 2)]
        for _ in range(5):
            for session in sessions:
                session.advance()
        assert state_of(sessions[0]) == state_of(sessions[1])
        for session in sessions:
            session.close()

    def test_a_restored_session_goes_on_as_if_never_interrupted(self, tmp_path: Path) -> None:
        for rounds_before in range(4):
            whole, _ = self._start()
            broken, _ = self._start()
            for _ in range(rounds_before):
                broken.advance()
            broken.save(tmp_path)
            broken.advance()  # a round that is lost
            resumed, _ = self._start()
            resumed.restore(tmp_path)
            for _ in range(4):
                whole.advance()
            for _ in range(4 - rounds_before):
                resumed.advance()
            assert resumed.round == 4
            assert state_of(resumed) == state_of(whole)

    def test_each_pass_visits_everybody_exactly_once_in_an_order_of_its_own(self) -> None:
        session, algorithm = self._start()
        everybody = list(range(town().people_count))
        passes: list[list[int]] = []
        for _ in range(3):
            algorithm.visited.clear()
            for _ in range(session.rounds_a_pass):
                session.advance()
            passes.append(np.concatenate(algorithm.visited).tolist())
        assert all(sorted(visited) == everybody for visited in passes)
        assert passes[0] != passes[1] != passes[2]

    def test_the_ledger_counts_the_bytes_of_the_messages_that_would_be_sent(self) -> None:
        for aggregation in ("per-item", "weighted", "simple"):
            for model in ("gmf", "neumf"):
                session, algorithm = self._start(
                    Watched(_config(aggregation=aggregation, model=model), 29, 7)
                )
                down = 0
                for _ in range(session.rounds_a_pass + 1):
                    plan = algorithm.plan(algorithm.initial_model(9))
                    session.advance()
                    down += plan_bytes(plan) * len(algorithm.visited[-1])
                assert session.ledger.bytes("up") == algorithm.encoded_bytes
                assert session.ledger.bytes("down") == down

    def test_more_people_a_round_than_there_are_is_a_config_error(self) -> None:
        people = town().people_count
        self._start(Watched(_config(people_per_round=people), 29, 7))
        with refuses(ConfigError, saying=str(people)):
            self._start(Watched(_config(people_per_round=people + 1), 29, 7))

    def test_a_round_that_fails_changes_nothing_and_can_be_done_again(self) -> None:
        for moment in ("round", "step", "vectors"):
            session, algorithm = self._start()
            untroubled, _ = self._start()
            for _ in range(2):
                session.advance()
                untroubled.advance()
            before = state_of(session)
            algorithm.fails_at = moment
            with refuses(AskedToFailError, DivergedError):
                session.advance()
            assert state_of(session) == before, f"failing at {moment!r} left something behind"
            algorithm.fails_at = ""
            session.advance()
            untroubled.advance()
            assert state_of(session) == state_of(untroubled)

    def _start(self, algorithm: Watched | None = None, workers: int = 1) -> tuple[Session, Watched]:
        train = town()
        algorithm = algorithm or Watched(_config(), train.item_count, 7)
        return self.make(algorithm, train, workers), algorithm


def state_of(session: Session) -> list[bytes]:
    """Everything of a session that shows: the shared model, everybody's scores, the round."""
    everybody = np.arange(town().people_count, dtype=np.int32)
    return bits(session.round, dict(session.shared()), session.scorer().everything(everybody))


def _config(people_per_round: float = 4, **others: Any) -> FedNCFConfig:
    return FedNCFConfig(
        factors=4, hidden=(6, 3), batch_size=8, local_epochs=2, people_per_round=people_per_round, **others
    )
