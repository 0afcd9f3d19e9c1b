"""What every codec keeps: the round trip changes nothing, and bytes from anywhere end in a message or MessageError."""

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from covey.errors import MessageError
from covey.messages.codecs import Codec
from covey.messages.updates import ModelUpdate, TrainingPlan
from covey.testing.aggregators import law
from covey.testing.looking import bits
from covey.testing.messages import answers
from covey.testing.refusals import refuses

Answer = tuple[TrainingPlan, ModelUpdate]


class CodecContract:
    """Inherit, say how to make the codec, and pytest runs the claims."""

    def make(self) -> Codec:
        raise NotImplementedError

    def size(self, update: ModelUpdate) -> int | None:
        """The bytes that the codec's formula promises for an update; None where it has no formula."""
        return None

    @law
    @given(answers())
    def test_the_round_trip_changes_nothing(self, answer: Answer) -> None:
        plan, update = answer
        codec = self.make()
        back = codec.decode(codec.encode(update))
        assert bits(back) == bits(update)
        back.check(plan)

    @law
    @given(answers())
    def test_equal_updates_make_equal_bytes_and_encoding_changes_no_update(self, answer: Answer) -> None:
        _, update = answer
        before = bits(update)
        assert self.make().encode(update) == self.make().encode(update)
        assert bits(update) == before

    @law
    @given(answers())
    def test_the_size_formula_tells_the_real_bytes(self, answer: Answer) -> None:
        _, update = answer
        promised = self.size(update)
        assert promised is None or promised == len(self.make().encode(update))

    @law
    @given(answers(), st.data())
    def test_a_message_cut_short_is_refused(self, answer: Answer, data: st.DataObject) -> None:
        codec = self.make()
        encoded = codec.encode(answer[1])
        with refuses(MessageError):
            codec.decode(encoded[: data.draw(st.integers(0, len(encoded) - 1))])

    @law
    @given(answers(), st.binary(min_size=1, max_size=40))
    def test_a_message_with_bytes_too_many_is_refused(self, answer: Answer, more: bytes) -> None:
        codec = self.make()
        with refuses(MessageError):
            codec.decode(codec.encode(answer[1]) + more)

    @law
    @given(st.binary(max_size=200))
    def test_foreign_bytes_end_in_no_other_error(self, foreign: bytes) -> None:
        with suppress(MessageError):
            self.make().decode(foreign)

    @law
    @given(answers(), st.data())
    def test_damaged_bytes_end_in_no_other_error(self, answer: Answer, data: st.DataObject) -> None:
        plan, update = answer
        encoded = bytearray(self.make().encode(update))
        for _ in range(data.draw(st.integers(1, 4))):
            encoded[data.draw(st.integers(0, len(encoded) - 1))] = data.draw(st.integers(0, 255))
        with suppress(MessageError):
            self.make().decode(bytes(encoded)).check(plan)
