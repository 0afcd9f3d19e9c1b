"""The ten messages of a round of secure aggregation, in the order in which they are sent.

What each reveals is said for the server, which carries all of them. `protocol/secure.md` has the bytes.
"""

from covey.messages.schema import Direction, Field, Schema

NOTHING = "nothing of the receiver"


def _bytes(name: str, axes: tuple[str, ...], reveals: str) -> Field:
    return Field(name, axes, "<u1", reveals)


def _numbers(name: str, axes: tuple[str, ...], reveals: str) -> Field:
    return Field(name, axes, "<u4", reveals)


def _message(name: str, number: int, direction: Direction, *fields: Field) -> Schema:
    if direction == "down":
        about = _bytes("round", ("byte",), NOTHING + "; which round this is of")
        return Schema(name, number, direction, (about, *fields))
    about = _bytes("round", ("byte",), "which round this person takes part in")
    sender = _numbers("sender", (), "who sends: that this person takes part")
    return Schema(name, number, direction, (about, sender, *fields))


ANNOUNCEMENT = Schema(
    "SecureAnnouncement",
    32,
    "down",
    (
        _bytes("agreement", ("byte",), NOTHING + "; a hash of what everybody agreed to when they enrolled"),
        _numbers("layout", ("round, schema and sizes",), NOTHING + "; the shape of what is added up"),
        _bytes("graph_commitment", ("byte",), NOTHING + "; a hash of the seed of who is whose neighbour"),
        _bytes("selection_seed", ("byte",), NOTHING + "; the seed that says who takes part in which round"),
        _numbers("people", ("person",), "who is asked to take part in this round, to everybody in it"),
    ),
)
ADVERTISEMENT = _message(
    "SecureAdvertisement",
    33,
    "up",
    _bytes("mask_key", ("byte",), "nothing of the person: a public key made for this round"),
    _bytes("sealing_key", ("byte",), "nothing of the person: a public key made for this round"),
    _bytes("signature", ("byte",), "that the person with the enrolled key takes part"),
)
ROLL = _message(
    "SecureRoll",
    34,
    "down",
    _bytes("graph_seed", ("byte",), NOTHING + "; opens the commitment"),
    _bytes("advertised", ("place",), "who sent keys, to everybody in the round"),
    _bytes("neighbours", ("neighbour", "byte"), "the public keys of the receiver's neighbours"),
)
DEALING = _message(
    "SecureDealing",
    35,
    "up",
    _bytes("commitment", ("byte",), "nothing of the person: a hash of 32 random bytes"),
    _bytes(
        "sealed_shares",
        ("neighbour", "byte"),
        "to the server nothing; to each neighbour one share of two random secrets of this round, and fewer shares than "
        "the threshold say nothing",
    ),
)
DELIVERY = _message(
    "SecureDelivery",
    36,
    "down",
    _bytes("dealt", ("place",), "who dealt shares, to everybody in the round"),
    _bytes("sealed_shares", ("neighbour", "byte"), "to the receiver, a share of each neighbour's secrets"),
)
MASKED = _message(
    "SecureMasked",
    37,
    "up",
    _bytes(
        "vector",
        ("byte",),
        "nothing alone: evenly distributed bytes, the same number whatever the person has",
    ),
)
ANSWERERS = _message(
    "SecureAnswerers",
    38,
    "down",
    _bytes("answered", ("place",), "whose vectors are in the sum, to everybody in the round"),
)
ACKNOWLEDGEMENT = _message(
    "SecureAcknowledgement",
    39,
    "up",
    _bytes("signature", ("byte",), "that this person was shown this list of answerers"),
)
EVIDENCE = _message(
    "SecureEvidence",
    40,
    "down",
    _bytes("signatures", ("person", "byte"), "who was shown the same list, to everybody in the round"),
)
REVELATION = _message(
    "SecureRevelation",
    41,
    "up",
    _bytes(
        "shares",
        ("neighbour", "byte"),
        "of each neighbour who answered a share of the seed of their own mask, of each who did not a share of their "
        "mask key: with the other shares what takes the masks off the sum, and off nothing smaller",
    ),
)

SECURE_MESSAGES = (
    ANNOUNCEMENT,
    ADVERTISEMENT,
    ROLL,
    DEALING,
    DELIVERY,
    MASKED,
    ANSWERERS,
    ACKNOWLEDGEMENT,
    EVIDENCE,
    REVELATION,
)
