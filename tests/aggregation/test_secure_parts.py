"""The parts of secure aggregation one by one: layouts, planes, masks, sharing, terms, messages as bytes."""

import ast
from contextlib import suppress
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import covey
from covey.aggregation.secure import keyring, wire
from covey.aggregation.secure.hazmat import curves, derivation, sealing, shamir
from covey.aggregation.secure.hazmat.keystream import Keystream
from covey.aggregation.secure.layout import Layout
from covey.aggregation.secure.masks import add_encoded, add_masks
from covey.aggregation.secure.planes import BLOCK_VALUES, add_blocks, block_bytes, planes_of
from covey.aggregation.secure.terms import FULL, Settings, Terms, best_threshold, terms_for
from covey.aggregation.sums import UpdateSum
from covey.errors import ConfigError, MessageError
from covey.testing.messages import Round, rounds

KEYS = [bytes([n]) * 32 for n in range(1, 8)]


@given(rounds(least=1))
def test_unpacking_the_sum_of_vectors_gives_the_plain_sum(one: Round) -> None:
    plan, updates = one
    layout = Layout.of(plan, len(updates))
    plain, total = UpdateSum.empty(plan), np.zeros(layout.value_count, np.uint64)
    for update in updates:
        plain.add(update)
        add_encoded(total, layout, layout.encode(layout.pack(update)))
    assert layout.unpack(total, len(updates)).equals(plain)


@given(rounds(least=1), st.data())
def test_masks_added_and_subtracted_leave_the_bits(one: Round, data: st.DataObject) -> None:
    plan, updates = one
    layout = Layout.of(plan, len(updates))
    vector = layout.pack(updates[0])
    plus = data.draw(st.lists(st.sampled_from(KEYS), max_size=7))
    masked = vector.copy()
    add_masks(masked, layout, plus)
    add_masks(masked, layout, [], plus[::-1])
    assert layout.encode(masked) == layout.encode(vector)


@given(st.integers(1, 8), hnp.arrays(np.uint64, st.integers(1, 40), elements=st.integers(0, 2**64 - 1)))
def test_planes_hold_each_value_modulo_its_width(width: int, values: np.ndarray) -> None:
    written = block_bytes(values, width)
    assert len(written) == width * len(values)
    assert sum(planes_of(width)) == width
    back = np.zeros(len(values), np.uint64)
    add_blocks(np.frombuffer(written, np.uint8)[None], width, np.uint64(1), back)
    assert back.tolist() == [int(value) % 2 ** (8 * width) for value in values]


@given(st.integers(1, 8), st.integers(1, 9), st.booleans())
def test_adding_rows_of_planes_is_adding_numbers(width: int, rows: int, minus: bool) -> None:
    numbers = np.arange(1, 6 * rows + 1, dtype=np.uint64).reshape(rows, 6) * np.uint64(0x9E3779B97F4A7C15)
    written = np.stack([np.frombuffer(block_bytes(row, width), np.uint8) for row in numbers])
    total = np.zeros(6, np.uint64)
    add_blocks(written, width, np.uint64(2**64 - 1 if minus else 1), total)
    expected = [(-1 if minus else 1) * sum(map(int, column)) for column in numbers.T]
    modulus = 2 ** (8 * width)
    assert [int(got) % modulus for got in total] == [want % modulus for want in expected]


def test_five_bytes_of_one_value_by_hand() -> None:
    assert block_bytes(np.array([0x0504030201, 2**64 - 1], np.uint64), 5).hex() == "01020304ffffffff05ff"


def test_a_mask_goes_on_over_blocks_as_one_stream() -> None:
    layout = Layout("simple", BLOCK_VALUES + 3, 1, 0, 2)
    vector = np.zeros(layout.value_count, np.uint64)
    add_masks(vector, layout, KEYS[:1])
    stream = np.empty(layout.byte_count + 16, np.uint8)
    Keystream(KEYS[0]).fill(np.zeros(layout.byte_count, np.uint8), stream)
    assert layout.encode(vector) == stream[: layout.byte_count].tobytes()


@pytest.mark.parametrize(
    ("people", "widths"), [(20, [5, 1, 5, 6]), (300, [5, 2, 5, 7]), (1000, [6, 2, 6, 7])]
)
def test_values_have_as_many_bytes_as_the_group_needs(people: int, widths: list[int]) -> None:
    layout = Layout("per-item", 3, 2, 4, people)
    assert [part.width for part in layout.parts] == widths
    assert layout.byte_count == 6 * widths[0] + 3 * widths[1] + 4 * widths[2] + widths[3]


@given(st.integers(1, 2**20), st.integers(1, 2**31))
def test_the_sum_of_everybody_at_the_limit_fits(people: int, limit: int) -> None:
    part = next(iter(Layout("per-item", 1, 1, 0, people).parts))
    assert part.limit * people <= 2 ** (part.bits - 1) - 1
    assert part.limit * people > 2 ** (part.bits - 2) - 1


def test_more_people_than_a_sum_can_hold_is_an_error() -> None:
    with pytest.raises(ConfigError, match="ask fewer people"):
        _ = Layout("per-item", 1, 1, 0, 2**40).parts


@pytest.mark.parametrize("total", [[2 * 2**30 + 1, 0, 0], [0, 3, 0], [0, 0, 2**42]])
def test_totals_beyond_the_peoples_range_are_seen(total: list[int]) -> None:
    layout = Layout("per-item", 1, 1, 0, 2)
    with pytest.raises(MessageError, match="beyond what 2 people can send"):
        layout.unpack(np.array(total, np.uint64), 2)


# Shamir


@given(st.binary(min_size=32, max_size=32), st.integers(1, 6), st.integers(0, 6), st.randoms())
def test_any_threshold_of_shares_gives_the_secret_back(secret, threshold, more, shuffler) -> None:
    points = shuffler.sample(range(1, 2**31 - 1), threshold + more)
    shares = dict(zip(points, shamir.deal(secret, points, threshold), strict=True))
    chosen = shuffler.sample(points, threshold)
    assert shamir.combine(chosen, [shares[point] for point in chosen]) == secret


def test_shares_are_the_polynomials_values_in_plain_arithmetic() -> None:
    coefficients = shamir.random_elements((2, 9))
    secret = bytes(range(32))
    (share,) = shamir.dealt_from(secret, [12345], coefficients)
    limbs = [(int.from_bytes(secret, "little") >> (30 * n)) % 2**30 for n in range(9)]
    expected = [
        (limbs[n] + int(coefficients[0, n]) * 12345 + int(coefficients[1, n]) * 12345**2) % (2**31 - 1)
        for n in range(9)
    ]
    assert shamir.elements_of(share).tolist() == expected


def test_a_share_less_than_the_threshold_fits_every_secret() -> None:
    """One share of two is on a line through any first limb: no secret is likelier than another."""
    (share,) = shamir.deal(bytes(32), [7], 2)
    value = int(shamir.elements_of(share)[0])
    for limb in (0, 1, 2**30 - 1):
        slope = (value - limb) * pow(7, -1, shamir.PRIME) % shamir.PRIME
        assert (limb + slope * 7) % shamir.PRIME == value


def test_elements_are_drawn_below_the_prime_and_not_all_alike() -> None:
    drawn = shamir.random_elements((1000,))
    assert drawn.max() < shamir.PRIME
    assert len(set(drawn.tolist())) > 990


@pytest.mark.parametrize("wrong", [1, 2, 3])
def test_wrong_shares_are_got_around_and_their_holders_named(wrong: int) -> None:
    secret, holders = bytes(range(32)), list(range(9))
    shares = dict(zip(holders, shamir.deal(secret, [n + 1 for n in holders], 4), strict=True))
    for holder in range(wrong):
        shares[holder] = bytes(36)
    found, liars = keyring.recover(shares, 4, lambda got: got == secret)
    assert (found, liars) == (secret, list(range(wrong)))


def test_too_few_right_shares_give_nothing_back() -> None:
    shares = dict(enumerate(shamir.deal(bytes(32), [1, 2, 3], 3)))
    with pytest.raises(MessageError, match="2 shares are there, 3 are needed"):
        keyring.recover({0: shares[0], 1: shares[1]}, 3, lambda _: True)
    with pytest.raises(MessageError, match="committed to"):
        keyring.recover({**shares, 2: bytes(36)}, 3, lambda got: got == bytes(32))


# Primitives, where they are ours to misuse


def test_a_public_key_of_small_order_is_refused() -> None:
    with pytest.raises(MessageError, match="no usable point"):
        curves.agree(bytes(range(32)), bytes(32))


def test_both_people_agree_on_the_same_secret_and_nobody_on_another() -> None:
    one, other = keyring.RoundSecrets(), keyring.RoundSecrets()
    agreed = keyring.agree(one.mask_private, other.mask_public)
    assert agreed == keyring.agree(other.mask_private, one.mask_public)
    keys = {
        keyring.pair_mask_key(agreed, bytes(32), 1, 2),
        keyring.pair_mask_key(agreed, bytes(32), 1, 3),
        keyring.pair_mask_key(agreed, bytes(31) + b"\1", 1, 2),
        keyring.sealing_key(agreed, bytes(32), 1, 2),
        keyring.sealing_key(agreed, bytes(32), 2, 1),
        keyring.own_mask_key(agreed, bytes(32), 1),
        keyring.seed_commitment(agreed, bytes(32), 1),
    }
    assert len(keys) == 7
    assert keyring.pair_mask_key(agreed, bytes(32), 2, 1) in keys


@pytest.mark.parametrize("changed", ["key", "text", "round", "sender"])
def test_sealed_shares_open_only_as_they_were_meant(changed: str) -> None:
    shares = shamir.deal(bytes(32), [1], 1)[0] * 2
    sealed = keyring.seal_shares(KEYS[0], KEYS[1], 3, 4, shares)
    assert keyring.open_shares(KEYS[0], KEYS[1], 3, 4, sealed) == (shares[:36], shares[36:])
    key, roll, sender = KEYS[0], KEYS[1], 3
    if changed == "key":
        key = KEYS[2]
    if changed == "text":
        sealed = sealed[:-1] + bytes([sealed[-1] ^ 1])
    if changed == "round":
        roll = KEYS[2]
    if changed == "sender":
        sender = 5
    with pytest.raises(MessageError, match="do not open"):
        keyring.open_shares(key, roll, sender, 4, sealed)


def test_sealing_twice_never_gives_the_same_bytes() -> None:
    assert sealing.seal(KEYS[0], b"", b"") != sealing.seal(KEYS[0], b"", b"")


def test_hkdf_gives_the_published_example() -> None:
    """RFC 5869, appendix A.1, its first 32 bytes."""
    derived = derivation.derive(b"\x0b" * 22, bytes(range(13)), bytes(range(0xF0, 0xFA)))
    assert derived.hex() == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"


def test_a_stream_begins_with_the_published_block() -> None:
    """AES-256 of the zero block under the zero key: H of test case 13 in McGrew and Viega's specification of GCM."""
    stream = np.empty(32, np.uint8)
    Keystream(bytes(32)).fill(np.zeros(16, np.uint8), stream)
    assert stream[:16].tobytes().hex() == "dc95c078a2408989ad48a21492842087"


# Terms


@given(st.integers(4, 60), st.floats(0, 0.34), st.floats(0, 0.3))
def test_terms_keep_what_they_promise(people: int, dropped: float, corrupt: float) -> None:
    settings = Settings(least_people=2, dropped=dropped, corrupt=corrupt, failure_bits=20)
    terms = terms_for(settings, people)
    gone, bad = people - terms.survivors, int(corrupt * people + 1e-9)
    assert 2 <= terms.shares <= terms.survivors
    assert 2 * terms.survivors > people + bad  # no two lists of answerers can both be signed by enough
    if terms.neighbours == FULL:
        assert 2 * terms.shares > people + bad  # both kinds of shares of one person are out of reach
    else:
        assert terms.neighbours % 2 == 0
        assert best_threshold(people, gone, bad, terms.neighbours)[1] <= Fraction(1, 2**20)
        if terms.neighbours > 2:
            assert best_threshold(people, gone, bad, terms.neighbours - 2)[1] > Fraction(1, 2**20)


def test_the_chance_of_failing_by_hand() -> None:
    """Six people, one may drop out, nobody is corrupt, four neighbours, two shares: three holders are always left."""
    assert best_threshold(6, 1, 0, 4)[1] == 0
    # Two of six drop out, two neighbours of whom both may be lost: t = 2 of 3 holders.
    lost_both = Fraction(comb(2, 2) * comb(3, 0), comb(5, 2))
    lost_one = Fraction(comb(1, 1) * comb(4, 1), comb(5, 2))
    in_gaps = 1 - Fraction(comb(4, 2), comb(6, 2))
    assert best_threshold(6, 2, 0, 2) == (2, 6 * (lost_both + lost_one) + 18 * in_gaps)


def test_groups_too_small_for_a_sparse_graph_get_the_full_one() -> None:
    assert terms_for(Settings(least_people=2), 3) == Terms(3, 2, FULL, 2)


@pytest.mark.parametrize(
    ("settings", "saying"),
    [
        ({"dropped": 0.5}, "below 1"),
        ({"dropped": 0.4, "corrupt": 0.3}, "below 1"),
        ({"least_difference": 0}, "1 or more"),
        ({"failure_bits": 0}, "40 is usual"),
    ],
)
def test_settings_that_protect_nobody_are_refused(settings: dict, saying: str) -> None:
    with pytest.raises(ConfigError, match=saying):
        Settings(**settings)


@pytest.mark.parametrize(("neighbours", "saying"), [(3, "an even number"), (4, "too few for 100 people")])
def test_a_number_of_neighbours_that_is_too_few_is_refused(neighbours: int, saying: str) -> None:
    with pytest.raises(ConfigError, match=saying):
        terms_for(Settings(neighbours=neighbours), 100)


# Messages as bytes

HASH, KEY, SIGNATURE = bytes(32), b"\1" * 32, b"\2" * 64
MESSAGES = [
    wire.Announcement(HASH, 7, 2, 5, 2, 3, KEY, KEY, (0, 5, 9)),
    wire.Advertisement(HASH, 5, KEY, HASH, SIGNATURE),
    wire.Roll(HASH, KEY, (0, 2), 9, {5: KEY + HASH + SIGNATURE}),
    wire.Dealing(HASH, 5, KEY, {0: bytes(100), 9: bytes(100)}),
    wire.Delivery(HASH, (0, 1, 8), 9, {0: bytes(100)}),
    wire.MaskedVector(HASH, 5, b"some bytes"),
    wire.Answerers(HASH, (), 3),
    wire.Acknowledgement(HASH, 5, SIGNATURE),
    wire.Evidence(HASH, {1: SIGNATURE, 2: SIGNATURE}),
    wire.Revelation(HASH, 5, {0: bytes(36)}),
]
every_message = pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)


@every_message
def test_a_message_is_read_as_it_was_written(message) -> None:
    assert type(message).decode(message.encode()) == message


@every_message
def test_a_message_cut_short_or_with_more_behind_it_is_refused(message) -> None:
    data = message.encode()
    for cut in range(len(data) if not isinstance(message, wire.MaskedVector) else 42):
        with pytest.raises(MessageError):
            type(message).decode(data[:cut])
    if not isinstance(message, wire.MaskedVector):  # its length is the layout's to check
        with pytest.raises(MessageError):
            type(message).decode(data + b"\0")


@every_message
@given(data=st.data())
def test_bytes_from_anywhere_end_in_a_message_or_a_message_error(message, data: st.DataObject) -> None:
    damaged = bytearray(message.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    with suppress(MessageError):
        again = type(message).decode(bytes(damaged))
        assert again.encode() == bytes(damaged)
    with suppress(MessageError):
        type(message).decode(data.draw(st.binary(max_size=200)))


def test_a_message_that_promises_more_than_it_holds_is_refused_before_it_is_read() -> None:
    data = bytearray(wire.Evidence(HASH, {1: SIGNATURE}).encode())
    data[38:42] = b"\xff" * 4
    with pytest.raises(MessageError, match="which are not there"):
        wire.Evidence.decode(bytes(data))


def test_only_hazmat_imports_the_library_of_primitives() -> None:
    home = Path(covey.__file__).parent
    for file in home.rglob("*.py"):
        named = {
            (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
            for node in ast.walk(ast.parse(file.read_text("utf-8")))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        if any(name.split(".")[0] == "cryptography" for name in named):
            assert file.parent.name == "hazmat", file
