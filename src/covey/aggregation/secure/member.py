"""A person who takes part: their number and key, what they agreed to, and which groups they remember."""

from dataclasses import dataclass, field

from covey.aggregation.secure import keyring
from covey.aggregation.secure.agreement import Agreement
from covey.errors import PrivacyError
from covey.privacy.home import StaysHome


@dataclass(frozen=True)
class Memory:
    """What a person keeps at home between rounds: the last round, and every group whose sum they were in.

    The groups themselves and not hashes of them: of two hashes nobody can tell by how many people they differ.
    """

    last_round: int = -1
    groups: frozenset[frozenset[int]] = frozenset()

    def check_group(self, group: frozenset[int], least_difference: int) -> None:
        """Raises PrivacyError for a group that differs from a remembered one by a few people.

        The difference of the two sums would be a sum over those few. The very same group again tells nothing more.
        """
        for known in self.groups:
            apart = len(known ^ group)
            if 0 < apart < least_difference:
                raise PrivacyError(
                    f"this group differs from an earlier one by {apart} people, expected 0 or at least "
                    f"{least_difference}: the difference of the sums would be theirs; this person reveals nothing"
                )


@dataclass(eq=False, repr=False)
class Member(StaysHome):
    """One person between rounds."""

    number: int
    identity: keyring.Identity
    agreement: Agreement
    memory: Memory = field(default_factory=Memory)
    verify: keyring.Verify = keyring.verify

    def remembering(self, memory: Memory) -> "Member":
        """The same person with this memory."""
        return Member(self.number, self.identity, self.agreement, memory, self.verify)
