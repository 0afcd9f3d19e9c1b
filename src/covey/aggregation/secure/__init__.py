"""Sums under masks: the server learns the sum of a group's updates and no update. MF-SecAvg of FedNCF, made a protocol.

Bonawitz et al. (2017) with the sparse graph of Bell et al. (2020). `participant.py` and `server.py` are the two sides, as
state machines over bytes; `run.py` plays a round of both in one process. `protocol/secure.md` has every message, SECURITY.md
what is defended against and what is not.
"""

from covey.aggregation.secure.layout import Layout
from covey.aggregation.secure.run import Outcome, enrol, run_round
from covey.aggregation.secure.terms import Settings

__all__ = ["Layout", "Outcome", "Settings", "enrol", "run_round"]
