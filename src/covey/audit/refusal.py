"""Asks the secure sum itself whether a server gets the sum of a group and then that of the group less one."""

from collections.abc import Sequence
from dataclasses import replace

from covey.aggregation.secure import Settings, enrol, run_round
from covey.aggregation.secure.run import Phase
from covey.aggregation.sums import UpdateSum
from covey.audit.watched import plan_at
from covey.engines.inprocess import FederatedSession


def refusal(session: FederatedSession, size: int) -> str:
    """Asks the protocol itself for both sums, without the defence and with it, and says what came out."""
    people, least = list(range(size + 1)), session.sums.settings.least_difference
    undefended, defended = (
        sums_given(session, people, Settings(least_people=2, least_difference=each)) for each in (1, least)
    )
    said = ("neither sum comes out", "the people in the second refuse it", "both come out")
    return (
        f"Under masks, where least_difference is 1, {said[undefended]}, to the bit of plain sums; at {least}, "
        f"{said[defended]}. A published seed says who is asked there, too, and not the server."
    )


def sums_given(session: FederatedSession, people: Sequence[int], settings: Settings) -> int:
    """Of the sum of these people, and then that of all but the last, how many the protocol gives: 0, 1 or 2."""
    coordinator, members = enrol(people, settings)
    for later, there in enumerate((people, people[:-1])):
        plan = replace(plan_at(session.algorithm, session.model, 0), round=later)
        updates = {
            person: session.algorithm.on_device(
                plan, session.population.state(person), session.train.of(person)
            )[0]
            for person in there
        }
        absent: dict[Phase, Sequence[int]] = {"advertise": people[-1:]} if later else {}
        outcome = run_round(coordinator, members, plan, updates, absent=absent)
        members = dict(outcome.members)
        plain = UpdateSum.empty(plan)
        for update in updates.values():
            plain.add(update)
        if outcome.total is None or not outcome.total.equals(plain):
            return later
    return 2
