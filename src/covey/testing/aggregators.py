"""What every aggregator keeps: the laws of a sum. A worked example must stand beside them, for a wrong
denominator passes every law."""

from collections.abc import Sequence
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covey.testing.looking import bits
from covey.testing.messages import Round, rounds

# A law is inherited by many classes, and a busy machine must not fail it.
law = settings(deadline=None, suppress_health_check=[HealthCheck.differing_executors])


class AggregatorContract:
    """Inherit, say how updates are summed, and pytest runs the laws."""

    def make(self, plan: Any, updates: Sequence[Any]) -> Any:
        """The sum of these answers to the plan, with `merge` and `equals`."""
        raise NotImplementedError

    @law
    @given(rounds(), st.randoms(use_true_random=False))
    def test_the_order_of_the_updates_changes_nothing(self, one: Round, shuffler: Any) -> None:
        plan, updates = one
        shuffled = list(updates)
        shuffler.shuffle(shuffled)
        assert self.make(plan, updates).equals(self.make(plan, shuffled))

    @law
    @given(rounds(), st.integers(0, 6))
    def test_merged_parts_are_the_whole(self, one: Round, cut: int) -> None:
        plan, updates = one
        left, right = self.make(plan, updates[:cut]), self.make(plan, updates[cut:])
        assert left.merge(right).equals(self.make(plan, updates))

    @law
    @given(rounds(), st.integers(0, 6), st.integers(0, 6))
    def test_merging_is_associative_and_commutative(
        self, one: Round, first_cut: int, second_cut: int
    ) -> None:
        plan, updates = one
        low, high = sorted((first_cut, second_cut))
        a, b, c = (self.make(plan, part) for part in (updates[:low], updates[low:high], updates[high:]))
        assert a.merge(b).merge(c).equals(a.merge(b.merge(c)))
        assert a.merge(b).equals(b.merge(a))

    @law
    @given(rounds())
    def test_the_sum_of_nobody_is_neutral(self, one: Round) -> None:
        plan, updates = one
        total, nobody = self.make(plan, updates), self.make(plan, [])
        assert total.merge(nobody).equals(total)
        assert nobody.merge(total).equals(total)

    @law
    @given(rounds(least=1))
    def test_one_person_more_makes_another_sum(self, one: Round) -> None:
        """Else `equals` could say yes to everything."""
        plan, updates = one
        assert not self.make(plan, updates).equals(self.make(plan, updates[1:]))

    @law
    @given(rounds())
    def test_neither_summing_nor_merging_changes_what_it_is_given(self, one: Round) -> None:
        plan, updates = one
        before = bits(plan, updates)
        left, right = self.make(plan, updates), self.make(plan, updates[:1])
        sums = bits(left, right)
        left.merge(right)
        assert bits(plan, updates) == before
        assert bits(left, right) == sums
