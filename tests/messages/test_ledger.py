"""The ledger: what crossed, field by field, and back from its own entries."""

from covey.messages.catalogue import PLAN_SCHEMA, UPDATE_SCHEMAS
from covey.messages.codecs import update_bytes
from covey.messages.ledger import Ledger

UPDATE = UPDATE_SCHEMAS["per-item"]


def ledger() -> Ledger:
    made = Ledger()
    for clipped in ({}, {"item_deltas": 4}):
        values = {"rows": 5, "item_deltas": 10, "network_deltas": 6, "instances": 2}
        made.record(UPDATE, 2, values, clipped)
        made.record_overhead(UPDATE, 2, 22)
    made.record(PLAN_SCHEMA, 3, {"items": 30, "network": 9, "recipe": 15})
    return made


def test_bytes_are_values_times_their_width_and_headers() -> None:
    assert ledger().bytes("up") == 2 * (4 * (5 + 10 + 6) + 8 * 2 + 2 * 22)
    assert ledger().bytes("down") == 4 * (30 + 9) + 8 * 15


def test_two_messages_weigh_what_the_codec_says() -> None:
    # Two people with 2 and 3 rows of width 2 and a network of 3 weights.
    assert ledger().bytes("up") == 2 * (update_bytes(UPDATE, 2, 2, 3) + update_bytes(UPDATE, 3, 2, 3))


def test_each_field_has_a_row_that_says_what_it_reveals() -> None:
    entries = {(entry["message"], entry["field"]): entry for entry in ledger().entries()}
    assert {field for message, field in entries if message == UPDATE.message} == {
        "rows", "item_deltas", "network_deltas", "instances", "header",
    }  # fmt: skip
    deltas = entries[UPDATE.message, "item_deltas"]
    assert (deltas["messages"], deltas["values"], deltas["bytes"], deltas["clipped"]) == (4, 20, 80, 4)
    assert deltas["reveals"] == UPDATE.field("item_deltas").reveals
    assert deltas["direction"] == "up"


def test_a_ledger_comes_back_from_its_entries_and_goes_on_counting() -> None:
    back = Ledger.of(ledger().entries())
    assert back.entries() == ledger().entries()
    back.record_overhead(UPDATE, 1, 22)
    assert back.bytes("up") == ledger().bytes("up") + 22


def test_an_empty_ledger_counts_nothing() -> None:
    assert (Ledger().entries(), Ledger().bytes("up")) == ([], 0)
