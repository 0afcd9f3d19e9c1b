"""A person's side of a round: `state, out = step(state, received)` until the state is `Finished`.

A person who raises has left the round; the member of the last state, with its memory, goes on to the next.
"""

from typing import Any

from covey.aggregation.secure.phases import acknowledge, advertise, mask, share, unmask
from covey.aggregation.secure.states import Acknowledged, Advertised, AtHome, Masked, Ready, Shared
from covey.errors import PrivacyError

_AT_HOME: dict[type, Any] = {
    Ready: advertise.at_home,
    Advertised: share.at_home,
    Shared: mask.at_home,
    Masked: acknowledge.at_home,
    Acknowledged: unmask.at_home,
}


def step(state: AtHome, received: bytes) -> tuple[AtHome, bytes]:
    """The next state and the answer to the server's message.

    Raises PrivacyError where going on could let something private out, and MessageError for what is no message.
    """
    if type(state) not in _AT_HOME:
        raise PrivacyError(f"the round is over for person {state.member.number}; nothing more is answered")
    return _AT_HOME[type(state)](state, received)
