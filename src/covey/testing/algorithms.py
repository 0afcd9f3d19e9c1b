"""What every federated algorithm keeps: one device is the truth, and what is private stays where it is."""

import copy
import pickle  # noqa: TID251  # only to see that private state refuses it
from typing import Any

import numpy as np

from covey.aggregation.sums import UpdateSum
from covey.algorithms.base import FederatedAlgorithm, StepOneByOne
from covey.device.private import Population, PrivateState
from covey.errors import MessageError, PrivacyError
from covey.messages.fixed import to_fixed
from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.random import stream
from covey.server.model import GlobalModel
from covey.splits.histories import Histories, History
from covey.testing.looking import Array, arrays, bits, holds_run, parts
from covey.testing.refusals import refuses
from covey.testing.towns import ALL_BUT_ONE, EVERYTHING, ITEMS, LEFT_OUT, ONE_ROW, split_town, town, trapped
from covey.types import Floats, ItemIndex, PersonIndex

Visit = tuple[ModelUpdate, PrivateState]


class AlgorithmContract:
    """Inherit, say how to make the algorithm, and pytest runs the claims. Give vectors at least four numbers."""

    draws_negatives = True  # whether items that a person does not have are drawn into their training
    leaves_untouched_rows = True  # whether an item that nobody's update named stays as it is
    visits_every_row = (
        True  # whether a visit trains on all that a person has, rather than on a few draws of it
    )

    def make(self, item_count: int, seed: int) -> FederatedAlgorithm:
        """The algorithm at the beginning of a training over that many items."""
        raise NotImplementedError

    def empty_sum(self, plan: TrainingPlan) -> UpdateSum:
        """The sum of nobody's updates."""
        return UpdateSum.empty(plan)

    def touched_items(self, update: ModelUpdate) -> ItemIndex:
        """The items that an update says anything about."""
        return update.rows

    # --- one device is the truth ---

    def test_the_population_path_equals_one_device_after_another(self) -> None:
        train = town()
        for workers in (1, 2):
            algorithm, model, population = self._start(train)
            step = algorithm.population(train, workers)
            for people in _orders(train.people_count):
                plan = algorithm.plan(model)
                visits = self._visits(algorithm, plan, population, train, people)
                total, vectors, touched, clipped = step.round(plan, population.vectors, people)
                assert total.equals(self._fold(plan, visits)), (
                    f"sums differ with {workers} workers, order {people}"
                )
                assert bits(vectors) == bits(np.concatenate([state.vector for _, state in visits]))
                assert touched.tolist() == [len(self.touched_items(update)) for update, _ in visits]
                assert sum(clipped.values()) == sum(update.clipped for update, _ in visits)
                population.keep(people, vectors)
                model = algorithm.step(model, total)
            step.close()

    def test_any_division_of_the_people_adds_up_to_the_same_sum(self) -> None:
        train = town()
        algorithm, model, population = self._start(train)
        plan, step = algorithm.plan(model), algorithm.population(train, 1)
        everybody = np.arange(train.people_count, dtype=np.int32)
        whole = step.round(plan, population.vectors, everybody)[0]
        for cut in range(1, train.people_count):
            left, right = (
                step.round(plan, population.vectors, group)[0] for group in np.split(everybody, [cut])
            )
            assert whole.equals(right.merge(left))
        step.close()

    def test_rounds_of_one_person_in_one_call_are_the_rounds_one_after_another(self) -> None:
        """Where the algorithm can do that at all."""
        train = town()
        algorithm, model, population = self._start(train)
        step, people = (
            algorithm.population(train, 1),
            np.array([3, EVERYTHING, 8, 3, ONE_ROW, 8, 3], np.int32),
        )
        if isinstance(step, StepOneByOne):
            before = bits(model, population)
            arrays, vectors, touched, clipped = step.rounds_of_one(
                algorithm.plan(model), population.vectors, people
            )
            assert bits(model, population) == before
            for n in range(len(people)):
                plan, person = algorithm.plan(model), people[n : n + 1]
                total, vector, rows, more = step.round(plan, population.vectors, person)
                assert rows.tolist() == touched[n : n + 1].tolist()
                clipped = {name: count - more[name] for name, count in clipped.items()}
                population.keep(person, vector)
                model = algorithm.step(model, total)
            assert bits(arrays) == bits({name: model.arrays[name] for name in arrays})
            assert bits(vectors) == bits(population.vectors)
            assert not any(clipped.values())
        step.close()

    def test_a_visit_changes_nothing_of_what_it_is_given(self) -> None:
        train = town()
        algorithm, model, population = self._start(train)
        plan, state, history = algorithm.plan(model), population.state(3), train.of(3)
        before = bits(plan, state, history)
        algorithm.on_device(plan, state, history)
        assert bits(plan, state, history) == before
        step, before = algorithm.population(train, 1), bits(plan, population, train)
        step.round(plan, population.vectors, np.array([3, 1], np.int32))
        step.close()
        assert bits(plan, population, train) == before

    def test_a_seed_fixes_every_bit_and_another_seed_changes_them(self) -> None:
        first, again, other = (bits(*self._after_a_round(seed)) for seed in (5, 5, 6))
        assert first == again
        assert first != other

    def test_another_round_trains_on_other_draws(self) -> None:
        if not self.draws_negatives:
            return
        train = town()
        algorithm, model, population = self._start(train)
        visits = [
            algorithm.on_device(
                algorithm.plan(GlobalModel(number, model.arrays)), population.state(3), train.of(3)
            )
            for number in (0, 1)
        ]
        assert bits(*visits[0]) != bits(*visits[1])

    def test_every_message_is_a_well_formed_answer_to_its_plan_alone(self) -> None:
        train = town()
        algorithm, model, population = self._start(train)
        everybody = np.arange(train.people_count, dtype=np.int32)
        plan = algorithm.plan(model)
        for update, _ in self._visits(algorithm, plan, population, train, everybody):
            update.check(plan)
            with refuses(MessageError):
                update.check(algorithm.plan(GlobalModel(1, model.arrays)))

    # --- odd people ---

    def test_people_with_one_row_and_with_every_item_take_part(self) -> None:
        train = town()
        algorithm, model, population = self._start(train)
        plan = algorithm.plan(model)
        for person in (ONE_ROW, EVERYTHING):
            update, state = algorithm.on_device(plan, population.state(person), train.of(person))
            update.check(plan)
            assert np.isfinite(state.vector).all()
            if self.visits_every_row:
                assert set(train.of(person).item.tolist()) <= set(self.touched_items(update).tolist())

    # --- the future stays unknown ---

    def test_training_reads_no_held_out_row(self) -> None:
        """Neither what is held out nor whether anything is held out at all changes a bit."""
        trainings = [trapped(town()), split_town(0), split_town(1)]
        results = [bits(*self._after_a_round(5, split.train)) for split in trainings]
        assert results[0] == results[1] == results[2]

    def test_a_held_out_item_can_be_drawn_as_a_negative(self) -> None:
        """A device does not know the future; leaving held-out items out of the draws would leak them."""
        if not self.draws_negatives:
            return
        split = split_town(0)
        assert split.test.of(ALL_BUT_ONE).item.tolist() == [LEFT_OUT]
        algorithm, model, population = self._start(split.train)
        update, _ = algorithm.on_device(
            algorithm.plan(model), population.state(ALL_BUT_ONE), split.train.of(ALL_BUT_ONE)
        )
        assert LEFT_OUT in self.touched_items(update)

    # --- what is private stays at home ---

    def test_no_private_vector_is_in_a_message_a_plan_or_a_model(self) -> None:
        train = town()
        algorithm, model, population = self._start(train)
        everybody = np.arange(train.people_count, dtype=np.int32)
        plan = algorithm.plan(model)
        visits = self._visits(algorithm, plan, population, train, everybody)
        after = algorithm.step(model, self._fold(plan, visits))
        shared = (plan, after, algorithm.plan(after))
        for person, (update, state) in enumerate(visits):
            for vector in (population.state(person).vector, state.vector):
                forms = _written(vector, update)
                for array in arrays(update, *shared):
                    assert not any(holds_run(array, form) for form in forms), (
                        f"vector of person {person} got out"
                    )
        for thing in (*shared, *(update for update, _ in visits)):
            for part in parts(thing):
                assert not isinstance(part, PrivateState | Population | History | Histories)

    def test_private_state_refuses_to_be_copied_and_shows_nothing(self) -> None:
        train = town()
        algorithm, model, population = self._start(train)
        _, after = algorithm.on_device(algorithm.plan(model), population.state(3), train.of(3))
        for private in (population, population.state(3), after):
            copiers: list[Any] = [copy.copy, copy.deepcopy, pickle.dumps]
            for copier in copiers:
                with refuses(PrivacyError):
                    copier(private)
            for shown in (repr(private), str(private), f"{private}", f"{[private]}"):
                assert not any(sign.isdigit() for sign in shown), f"{shown!r} shows what is private"

    # --- the server's step ---

    def test_items_that_nobody_touched_stay_as_they_are(self) -> None:
        if not self.leaves_untouched_rows:
            return
        train = town()
        algorithm, model, population = self._start(train)
        plan = algorithm.plan(model)
        visits = self._visits(algorithm, plan, population, train, np.array([ONE_ROW, 3], np.int32))
        touched = np.concatenate([self.touched_items(update) for update, _ in visits])
        after = algorithm.step(model, self._fold(plan, visits))
        untouched = np.setdiff1d(np.arange(ITEMS), touched)
        for name, array in model.arrays.items():
            if array.ndim == 2 and len(array) == ITEMS:
                assert bits(after.arrays[name][untouched]) == bits(array[untouched])

    def test_a_step_changes_neither_the_model_nor_the_sum_that_it_is_given(self) -> None:
        train = town()
        algorithm, model, population = self._start(train)
        plan = algorithm.plan(model)
        total = self._fold(plan, self._visits(algorithm, plan, population, train, np.array([3], np.int32)))
        before = bits(model, total, plan)
        after = algorithm.step(model, total)
        assert bits(model, total, plan) == before
        assert after.round == model.round + 1
        assert bits(after) == bits(algorithm.step(model, total))

    def test_a_round_that_nobody_answered_leaves_the_model_finite(self) -> None:
        algorithm, model, _ = self._start(town())
        after = algorithm.step(model, self.empty_sum(algorithm.plan(model)))
        assert all(np.isfinite(array).all() for array in after.arrays.values())

    # --- by which the claims are checked ---

    def _start(self, train: Histories, seed: int = 5) -> tuple[FederatedAlgorithm, GlobalModel, Population]:
        algorithm = self.make(train.item_count, seed)
        return (
            algorithm,
            algorithm.initial_model(train.people_count),
            algorithm.initial_population(train.people_count),
        )

    def _visits(
        self, algorithm: FederatedAlgorithm, plan: TrainingPlan, population: Population, train: Histories,
        people: PersonIndex,
    ) -> list[Visit]:  # fmt: skip
        return [algorithm.on_device(plan, population.state(int(p)), train.of(int(p))) for p in people]

    def _fold(self, plan: TrainingPlan, visits: list[Visit]) -> UpdateSum:
        total = self.empty_sum(plan)
        for update, _ in visits:
            total.add(update)
        return total

    def _after_a_round(self, seed: int, train: Histories | None = None) -> tuple[GlobalModel, Floats]:
        """The shared model and everybody's vectors after everybody's visit."""
        train = train or town()
        algorithm, model, population = self._start(train, seed)
        step = algorithm.population(train, 1)
        everybody = np.arange(train.people_count, dtype=np.int32)
        total, vectors, _, _ = step.round(algorithm.plan(model), population.vectors, everybody)
        step.close()
        return algorithm.step(model, total), vectors


def _orders(people_count: int) -> list[PersonIndex]:
    """Everybody forwards, backwards and mixed, and a few people alone."""
    everybody = np.arange(people_count, dtype=np.int32)
    mixed = stream(0, "order").permutation(people_count).astype(np.int32)
    return [everybody, everybody[::-1].copy(), mixed, mixed[:4], mixed[:1]]


def _written(vector: Floats, update: ModelUpdate) -> list[Array]:
    """The vector in every form in which it could stand in an array: as it is, and in the steps of each field."""
    if not vector.any():
        return []  # Nothing to give away, and zeros are everywhere.
    steps = [field for field in update.schema.fields if field.step is not None]
    fixed = [to_fixed(vector.astype(np.float64), field) for field in steps]
    return [vector, *(units for units, clipped in fixed if not clipped)]
