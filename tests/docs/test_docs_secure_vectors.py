"""protocol/vectors/secure.json against the code, and against plain Python where that can do the same."""

import hashlib
import hmac
import json

import numpy as np
import pytest
from repository import ROOT

from covey.aggregation.secure import keyring, wire
from covey.aggregation.secure.agreement import Agreement, Opening, Rollcall
from covey.aggregation.secure.graph import Selection, graph_of
from covey.aggregation.secure.hazmat import curves, sealing, shamir
from covey.aggregation.secure.hazmat.keystream import Keystream
from covey.aggregation.secure.layout import Layout
from covey.aggregation.secure.masks import add_masks
from covey.aggregation.secure.terms import Settings, Terms, terms_for
from covey.aggregation.secure.wire import Announcement
from covey.errors import MessageError
from covey.messages.secure import SECURE_MESSAGES
from covey.messages.updates import ModelUpdate

VECTORS = json.loads((ROOT / "protocol/vectors/secure.json").read_text("utf-8"))
PAGE = (ROOT / "protocol/secure.md").read_text("utf-8")
LABEL = b"covey secure/1 "


def each(name: str):
    return pytest.mark.parametrize("vector", VECTORS[name])


def numbers(*values: int) -> bytes:
    return b"".join(value.to_bytes(4, "little") for value in values)


def hkdf(secret: bytes, salt: bytes, info: bytes) -> bytes:
    """RFC 5869 for 32 bytes, which are one block of SHA-256."""
    extracted = hmac.digest(salt, secret, "sha256")
    return hmac.digest(extracted, info + b"\1", "sha256")


@each("fingerprints")
def test_a_fingerprint_is_the_hash_of_the_labelled_parts(vector):
    parts = bytes.fromhex(vector["parts"])
    purpose = vector["purpose"]
    assert keyring.fingerprint(purpose, parts).hex() == vector["sha256"]
    assert hashlib.sha256(LABEL + purpose.encode() + b"\0" + parts).hexdigest() == vector["sha256"]


def test_two_people_agree():
    vector = {name: bytes.fromhex(value) for name, value in VECTORS["agreement_of_keys"].items()}
    assert curves.agreement_public(vector["private"]) == vector["public"]
    assert curves.agreement_public(vector["others_private"]) == vector["others_public"]
    assert keyring.agree(vector["private"], vector["others_public"]) == vector["agreed"]
    assert keyring.agree(vector["others_private"], vector["public"]) == vector["agreed"]


@each("derived_keys")
def test_keys_are_derived_as_the_page_says(vector):
    secret, roll, people = bytes.fromhex(vector["secret"]), bytes.fromhex(vector["roll"]), vector["numbers"]
    info = LABEL + vector["purpose"].encode() + b"\0" + numbers(*people)
    assert hkdf(secret, roll, info).hex() == vector["key"]
    made = {
        "pair mask": keyring.pair_mask_key,
        "own mask": keyring.own_mask_key,
        "seed commitment": keyring.seed_commitment,
        "sealed shares": keyring.sealing_key,
    }[vector["purpose"]](secret, roll, *people)
    assert made.hex() == vector["key"]


def test_shares_are_sealed_as_the_page_says():
    vector = {name: bytes.fromhex(value) for name, value in VECTORS["sealed_shares"].items()}
    sealed = sealing.sealed_with(vector["nonce"], vector["key"], vector["plain"], vector["bound_to"])
    assert sealed == vector["sealed"]
    assert sealing.unseal(vector["key"], vector["sealed"], vector["bound_to"]) == vector["plain"]
    assert len(sealed) == keyring.SEALED_BYTES


def test_a_stream_is_that_of_the_page():
    expected = bytes.fromhex(VECTORS["stream"]["bytes"])
    found = np.empty(len(expected) + 16, np.uint8)
    Keystream(bytes.fromhex(VECTORS["stream"]["key"])).fill(np.zeros(len(expected), np.uint8), found)
    assert found[: len(expected)].tobytes() == expected


@each("sharing")
def test_secrets_are_shared_as_the_page_says(vector):
    secret, prime = bytes.fromhex(vector["secret"]), 2**31 - 1
    whole = int.from_bytes(secret, "little")
    polynomials = [[(whole >> (30 * n)) % 2**30 for n in range(9)], *vector["coefficients"]]
    for point, share in zip(vector["points"], vector["shares"], strict=True):
        values = [
            sum(line[n] * point**power for power, line in enumerate(polynomials)) % prime for n in range(9)
        ]
        assert numbers(*values).hex() == share
    coefficients = np.array(vector["coefficients"], np.uint64).reshape(-1, 9)
    assert [each.hex() for each in shamir.dealt_from(secret, vector["points"], coefficients)] == vector[
        "shares"
    ]
    some = slice(-vector["threshold"], None)
    shares = [bytes.fromhex(share) for share in vector["shares"][some]]
    assert shamir.combine(vector["points"][some], shares) == secret


@each("graphs")
def test_the_ring_follows_from_the_seed(vector):
    seed, people = bytes.fromhex(vector["seed"]), tuple(vector["people"])

    def place(number: int) -> bytes:
        return hashlib.sha256(LABEL + b"graph order\0" + seed + numbers(0, number)).digest()

    graph = graph_of(seed, people, vector["degree"])
    assert list(graph.ring) == vector["ring"] == sorted(people, key=place)
    assert list(graph.neighbours(vector["neighbours_of"])) == vector["neighbours"]


@each("selections")
def test_a_round_has_the_people_that_the_seed_selects(vector):
    selection = Selection(
        bytes.fromhex(vector["seed"]), tuple(vector["enrolled"]), vector["people_per_round"]
    )
    assert list(selection.people(vector["round"])) == vector["people"]


@each("terms")
def test_terms_are_those_of_the_page(vector):
    settings = Settings(
        dropped=vector["dropped"],
        corrupt=vector["corrupt"],
        neighbours=vector["asked_neighbours"],
        failure_bits=vector["failure_bits"],
    )
    expected = Terms(vector["people"], vector["survivors"], vector["neighbours"], vector["shares"])
    assert terms_for(settings, vector["people"]) == expected


@each("vectors")
def test_an_update_becomes_the_bytes_of_the_page(vector):
    layout = Layout(*(vector[name] for name in ("kind", "items", "width", "shared", "people")))
    rows = np.array(vector["rows"], np.int32)
    values = np.array(vector["item_values"], np.int32).reshape(len(rows), vector["width"])
    shared = np.array(vector["shared_values"], np.int32)
    words = layout.pack(ModelUpdate(0, vector["kind"], rows, values, shared, vector["instances"]))
    assert [[part.count, part.width] for part in layout.parts] == vector["bytes_each"]
    assert layout.encode(words).hex() == vector["vector"]
    add_masks(words, layout, [bytes.fromhex(vector["added_key"])], [bytes.fromhex(vector["subtracted_key"])])
    assert layout.encode(words).hex() == vector["masked"]


def test_what_is_hashed_and_signed_in_a_round_is_as_the_page_says():
    vector = VECTORS["round"]
    roster = {int(number): bytes.fromhex(key) for number, key in vector["roster"].items()}
    committed = bytes.fromhex(vector["selection_commitment"])
    agreement = Agreement(roster, Settings(least_people=2, least_difference=1), 3, committed)
    people = b"".join(numbers(number) + roster[number] for number in sorted(roster))
    said = LABEL + b"agreement\0" + vector["agreement_text"].encode() + b"\0" + committed + people
    assert agreement.digest.hex() == vector["agreement"] == hashlib.sha256(said).hexdigest()
    opening = Opening(agreement, Announcement.decode(bytes.fromhex(vector["announcement"])))
    assert opening.digest.hex() == vector["round"]
    one, other = bytes(range(32)), bytes(range(32, 64))
    assert opening.keys_statement(5, one, other).hex() == vector["keys_statement"]
    rollcall = Rollcall(opening, bytes.fromhex(vector["graph_seed"]), tuple(vector["advertised"]))
    assert rollcall.digest.hex() == vector["roll"]
    statement = rollcall.answerers_statement(tuple(vector["dealt"]), tuple(vector["answered"]))
    assert statement.hex() == vector["answerers_statement"]


@each("messages")
def test_a_message_is_read_and_written_as_the_page_says(vector):
    data = bytes.fromhex(vector["bytes"])
    message = getattr(wire, vector["what"]).decode(data)
    assert message.encode() == data
    for name, value in vector["fields"].items():
        assert _plain(getattr(message, name)) == value


@each("refused")
def test_bytes_that_are_no_message_are_refused_with_the_reason(vector):
    with pytest.raises(MessageError, match=vector["refusal"]):
        getattr(wire, vector["what"]).decode(bytes.fromhex(vector["bytes"]))


def test_every_message_has_an_example_and_its_number_on_the_page():
    assert len(VECTORS["messages"]) == len(SECURE_MESSAGES)
    for schema, vector in zip(SECURE_MESSAGES, VECTORS["messages"], strict=True):
        number = int.from_bytes(bytes.fromhex(vector["bytes"])[4:6], "little")
        assert schema.number == number
        assert f"{number} (`{schema.message}`)" in PAGE


def _plain(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    return list(value) if isinstance(value, tuple) else value
