"""FedSPLIT's one round on ML-1M, part by part, beside rounds of FCF on the same ratings: seconds, memory, bytes, RMSE.

    python benchmarks/fedsplit_speed.py [--data ml-1m] [--rounds 100] [--seed 1]

People, then films, with fewer than 20 ratings are left out, people are in groups of 3 to 30, and a random 80% of the
ratings train, as in the paper. Measured of FedSPLIT: the groups' own models on one thread and on two, the joint
factorization by singular values and as published, the vectors of everybody, and what the ledger says that a group sends
and receives. Then FCF learns the same ratings with biases (`feedback = "explicit"`, the settings of the experiment
fcf/ratings) for `--rounds` rounds with everybody. How many rounds and bytes it takes to the RMSE of FedSPLIT is read off
its way. What comes down to a group comes down once, as to a household's device; the last ratio is of groups whose members
each get the joint patterns by themselves. Each kernel has been compiled before it is measured.
"""

import argparse
from typing import NamedTuple

from common import clocked, machine, peak_gb
from fedncf_scale import first_people
from threadpoolctl import threadpool_limits

import covey
from covey.algorithms.fcf import FCF, FCFConfig
from covey.algorithms.fedsplit import FedSPLIT, FedSPLITConfig
from covey.engines.groups import GroupSession
from covey.engines.inprocess import FederatedSession
from covey.engines.session import Session
from covey.evaluation import AllItems, Candidates, prepare
from covey.evaluation.value_errors import value_errors
from covey.server.joint import JointServer

FEWEST = 20  # ratings of a person and of a film
OURS = FedSPLITConfig()
PUBLISHED = FedSPLITConfig(joint="nmf", biases="groups", refit="distil", evidence=0.0, components=4)
RATINGS = FCFConfig(feedback="explicit", factors=8, regularization=10.0, scaling=0.0)


class Cost(NamedTuple):
    """Where a training stands."""

    rounds: int
    up: float  # bytes that everybody together has sent
    down: float  # bytes that everybody together has received
    rmse: float
    devices: float = 1.0  # that share what comes down: people of a group


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default="ml-1m")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    data = covey.load(asked.data).at_least(FEWEST).items_at_least(FEWEST)
    parts = covey.split(data, "random-covered", seed=asked.seed)
    candidates = prepare(parts, AllItems(), "test", asked.seed)
    people = data.people_count
    print(
        f"{asked.data}: {people:,} people, {data.item_count:,} items, {len(parts.train):,} rows; {machine()}"
    )
    # Matrix products would otherwise start threads of their own beside those that are measured.
    with threadpool_limits(1):
        published = one_shot("as published", PUBLISHED, parts.train, candidates, asked.seed, people)
        ours = one_shot("the defaults", OURS, parts.train, candidates, asked.seed, people)
        way = many_rounds(parts.train, candidates, asked.rounds, asked.seed, people)
    for name, shot in (("as published", published), ("the defaults", ours)):
        against(name, shot, way)
    print(f"peak {peak_gb():.2f} GB; {machine()}")


def one_shot(
    name: str, config: FedSPLITConfig, train, candidates: Candidates, seed: int, people: int
) -> Cost:
    """Prints what each part of FedSPLIT's round takes; where it ends."""
    algorithm = FedSPLIT(config, train.item_count, seed)
    session = GroupSession(algorithm, first_people(train, 2 * config.largest_group), 1)
    session.advance()  # compiles
    seconds: list[str] = []
    for threads in (1, 2):
        session = GroupSession(algorithm, train, threads)
        with clocked() as clock:
            session.advance()
        seconds.append(
            f"{threads} thread{'s' * (threads > 1)} {clock.cpu_s:.2f} CPU s ({clock.wall_s:.2f} s)"
        )
    local = rmse(session, candidates)
    print(f"FedSPLIT, {name}: {len(session.rows)} groups; own models {', '.join(seconds)}; RMSE {local:.4f}")
    joint_step(session)
    session.advance()
    end = cost(session, candidates)._replace(devices=people / len(session.rows))
    up, down = (session.ledger.bytes(way) / len(session.rows) for way in ("up", "down"))
    print(
        f"  after its one round RMSE {end.rmse:.4f}; a group sends {up / 1e3:,.1f} kB and receives {down / 1e3:,.1f} kB; "
        f"a person's share {end.up / people / 1e3:.2f} and {end.down / people / 1e3:.2f} kB; peak {peak_gb():.2f} GB",
        flush=True,
    )
    return end


def joint_step(session: GroupSession) -> None:
    """Prints the seconds of the server's factorization, and of everybody's vectors after it."""
    algorithm, config = session.algorithm, session.algorithm.config
    server = JointServer(config, algorithm.item_count)
    server.held = dict(session.disclosures())
    with clocked() as fusing:
        joint = server.fuse()
    centre, train = float(session.model.arrays["network"][0]), session.train
    algorithm.people_vectors(joint, centre, first_people(train, 10))  # compiles
    with clocked() as solving:
        algorithm.people_vectors(joint, centre, train)
    print(
        f"  joint factorization ({config.joint}, {config.components} components) {fusing.cpu_s:.2f} CPU s "
        f"({fusing.wall_s:.2f} s); vectors of all {train.people_count:,} people by regression {solving.cpu_s:.2f} CPU s"
    )


def many_rounds(train, candidates: Candidates, rounds: int, seed: int, people: int) -> list[Cost]:
    """Prints and returns where FCF stands after each of so many rounds with everybody."""
    algorithm = FCF(RATINGS, train.item_count, seed)
    session, way, spent = FederatedSession(algorithm, train, workers=1), [], 0.0
    session.advance()  # compiles, and is measured in bytes alone
    way.append(cost(session, candidates))
    for _ in range(rounds - 1):
        with clocked() as clock:
            session.advance()
        spent += clock.cpu_s
        way.append(cost(session, candidates))
    session.close()
    end, best = way[-1], min(way, key=lambda each: each.rmse)
    print(
        f"FCF, {RATINGS.factors} factors: {spent / max(1, rounds - 1):.2f} CPU s a round; after {rounds} rounds RMSE "
        f"{end.rmse:.4f} (best {best.rmse:.4f} after {best.rounds}); a person sends {end.up / people / 1e3:,.0f} kB and "
        f"receives {end.down / people / 1e3:,.0f} kB",
        flush=True,
    )
    return way


def against(name: str, shot: Cost, way: list[Cost]) -> None:
    """Prints how much more FCF sends and receives until it is as near to the ratings as FedSPLIT, and in all."""
    reached = next((each for each in way if each.rmse <= shot.rmse), None)
    said = "FCF does not come so near"
    if reached:
        said = f"FCF comes so near in {reached.rounds} round{'s' * (reached.rounds > 1)}, {ratios(reached, shot)}"
    print(
        f"RMSE {shot.rmse:.4f} ({name}): {said}; in its {way[-1].rounds} rounds {ratios(way[-1], shot)}",
        flush=True,
    )


def ratios(theirs: Cost, ours: Cost) -> str:
    """How many times the bytes."""
    up, down = theirs.up / ours.up, theirs.down / ours.down
    both = (theirs.up + theirs.down) / (ours.up + ours.down)
    return f"x{up:.1f} the bytes up, x{down:.1f} down (x{down / ours.devices:.1f} to each member), x{both:.1f} together"


def cost(session: Session, candidates: Candidates) -> Cost:
    """Where the session stands."""
    return Cost(
        session.round,
        float(session.ledger.bytes("up")),
        float(session.ledger.bytes("down")),
        rmse(session, candidates),
    )


def rmse(session: Session, candidates: Candidates) -> float:
    """Over all test ratings together."""
    return value_errors(session.scorer(), candidates)[0]["rmse"]


if __name__ == "__main__":
    main()
