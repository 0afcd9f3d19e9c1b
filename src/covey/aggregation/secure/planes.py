"""Vectors of unsigned integers as bytes, and adding such bytes up without turning them back first.

Values are cut into blocks of 16,384. A block of values that have five bytes each is written as a plane of their low
four bytes and then a plane of their fifth; in general the planes are of 4 bytes as often as they fit, then of 2, then of
1, from the low end of the values up. All little-endian. A plane is an array of machine words, so a processor adds many
at once; that is why the bytes of one value do not stand together. Sums are modulo 2^64 and are cut to the values' own
width when they are read.
"""

from typing import Any

import numba as nb
import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]  # [values] modulo 2^(8 width), more above it is left over from sums
Bytes = npt.NDArray[np.uint8]

BLOCK_VALUES = 16_384
MOST_BYTES = 8  # of one value


def planes_of(width: int) -> tuple[int, ...]:
    """The bytes of each plane of values that have so many."""
    return (4,) * (width // 4) + (2,) * (width % 4 // 2) + (1,) * (width % 2)


def block_bytes(values: Words, width: int) -> bytes:
    """One block of values, modulo 2^(8 width), as its planes."""
    shift, planes = 0, list[bytes]()
    for size in planes_of(width):
        # Casting to a narrower unsigned integer keeps the low bits.
        planes.append((values >> np.uint64(shift)).astype(f"<u{size}").tobytes())
        shift += 8 * size
    return b"".join(planes)


def _adder(word: Any, size: int) -> Any:
    """A kernel that adds a plane of such words."""

    # Not cached by itself: numba would keep all three under one name, and processes that write there at the same time
    # could get each other's. It is compiled into `add_blocks`, which is cached.
    @nb.njit(nogil=True, error_model="numpy")
    def add(rows: Bytes, begin: int, shift: Any, sign: Any, total: Words) -> None:
        end = begin + size * len(total)
        # Four rows at a time: the total is then read and written less often.
        for row in range(0, len(rows) - 3, 4):
            a, b = rows[row, begin:end].view(word), rows[row + 1, begin:end].view(word)
            c, d = rows[row + 2, begin:end].view(word), rows[row + 3, begin:end].view(word)
            for n in range(len(total)):
                four = (np.uint64(a[n]) + np.uint64(b[n])) + (np.uint64(c[n]) + np.uint64(d[n]))
                total[n] += sign * (four << shift)
        for row in range(len(rows) // 4 * 4, len(rows)):
            one = rows[row, begin:end].view(word)
            for n in range(len(total)):
                total[n] += sign * (np.uint64(one[n]) << shift)

    return add


_add_u32, _add_u16, _add_u8 = _adder(np.uint32, 4), _adder(np.uint16, 2), _adder(np.uint8, 1)


@nb.njit(cache=True, nogil=True, error_model="numpy")
def add_blocks(rows: Bytes, width: int, sign: Any, total: Words) -> None:
    """Adds sign times each row, a block as bytes, to the total. sign is 1, or 2^64 - 1 to subtract."""
    begin, shift, left = 0, np.uint64(0), width
    while left >= 4:
        _add_u32(rows, begin, shift, sign, total)
        begin, shift, left = begin + 4 * len(total), shift + np.uint64(32), left - 4
    if left >= 2:
        _add_u16(rows, begin, shift, sign, total)
        begin, shift, left = begin + 2 * len(total), shift + np.uint64(16), left - 2
    if left:
        _add_u8(rows, begin, shift, sign, total)
