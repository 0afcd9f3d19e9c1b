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
    people = list(range(size + 1))
    undefended = given_both(session, people, Settings(least_people=2, least_difference=1))
    least = session.sums.settings.least_difference
    defended = given_both(session, people, Settings(least_people=2, least_difference=least))
    open_ = "come out, to the bit of plain sums" if undefended else "do not come out"
    closed = "both come out" if defended else "the second is refused by everybody in it"
    return f"Under masks both sums {open_} where least_difference is 1; at {least}, {closed}."


def given_both(session: FederatedSession, people: Sequence[int], settings: Settings) -> bool:
    """Whether the protocol gives the sum of these people, and then that of all but the last, as plain sums have them."""
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
            return False
    return True
