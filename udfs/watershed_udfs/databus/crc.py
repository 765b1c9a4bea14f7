"""The checksum of Databus events: no pyspark, no Arrow."""

import zlib

ALL_BITS = 0xFFFFFFFF


def databus_crc(data: bytes) -> int:
    """Sum n bytes as Databus does (docs/formats/databus_binary.md): CRC-32, initial value 0, no final xor.

    zlib inverts the sum before and after, so its start is inverted here and its result inverted back. No bytes, and
    zero bytes only, give 0; leading zero bytes change nothing.
    """
    return zlib.crc32(data, ALL_BITS) ^ ALL_BITS
