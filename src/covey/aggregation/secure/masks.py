"""Masks: streams of bytes that keys make, added to and taken off vectors modulo each value's width."""

from collections.abc import Sequence

import numpy as np

from covey.aggregation.secure.hazmat.keystream import Keystream
from covey.aggregation.secure.layout import Layout
from covey.aggregation.secure.planes import Words, add_blocks

_ADD, _SUBTRACT = np.uint64(1), np.uint64(2**64 - 1)
_ROWS = 4  # streams that one call of the kernel adds
_STREAMS = 128  # open at a time; a server takes off thousands of masks


def add_masks(total: Words, layout: Layout, plus: Sequence[bytes], minus: Sequence[bytes] = ()) -> None:
    """Adds the masks of the first keys to the vector and subtracts those of the others, in place."""
    if not layout.blocks:
        return
    largest = max(block.place.stop - block.place.start for block in layout.blocks)
    # update_into wants room for one cipher block more than it writes; whole words keep every row aligned.
    rows = np.empty((_ROWS, -(-largest // 64) * 64 + 64), np.uint8)
    zeros = np.zeros(largest, np.uint8)
    for sign, keys in ((_ADD, plus), (_SUBTRACT, minus)):
        for first in range(0, len(keys), _STREAMS):
            streams = [Keystream(key) for key in keys[first : first + _STREAMS]]
            _add_streams(total, layout, streams, sign, rows, zeros)


def _add_streams(
    total: Words,
    layout: Layout,
    streams: list[Keystream],
    sign: np.uint64,
    rows: np.ndarray,
    zeros: np.ndarray,
) -> None:
    """Block by block, so that a block of the total stays in the cache while every stream is added to it."""
    for block in layout.blocks:
        wanted = zeros[: block.place.stop - block.place.start]
        part = total[block.values]
        for first in range(0, len(streams), _ROWS):
            some = streams[first : first + _ROWS]
            for row, stream in zip(rows, some, strict=False):
                stream.fill(wanted, row)
            add_blocks(rows[: len(some)], block.width, sign, part)


def add_encoded(total: Words, layout: Layout, encoded: bytes) -> None:
    """Adds an encoded vector to the total, in place."""
    row = np.frombuffer(encoded, np.uint8)
    for block in layout.blocks:
        # A copy begins at a whole word, wherever the block begins in the bytes.
        add_blocks(row[block.place].copy()[None], block.width, _ADD, total[block.values])
