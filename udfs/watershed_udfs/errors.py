"""The one exception that a pure function raises for bad data."""

from typing import Literal, get_args

ReasonCode = Literal[
    "value_too_large",
    "empty_value",
    "invalid_base64",
    "invalid_utf8",
    "malformed_json",
    "duplicate_member",
    "unexpected_type",
    "ddl_meta_unreadable",
    "databus_truncated",
    "databus_header_crc",
    "databus_value_crc",
    "databus_key_size",
    "databus_unknown_version",
    "databus_invalid_length",
    "databus_unsupported_key_type",
    "databus_remote_error",
    "avro_unknown_schema",
    "avro_unreadable",
]
REASON_CODES: tuple[ReasonCode, ...] = get_args(ReasonCode)


class PayloadError(Exception):
    """Data that cannot be read: a closed reason code, and a detail that never holds payload content.

    The detail contains only positions, sizes, names given by the caller, and expected and found kinds.
    """

    def __init__(self, code: ReasonCode, detail: str) -> None:
        """Keep the reason code (one of `REASON_CODES`) and the detail apart."""
        super().__init__(code, detail)
        self.code: ReasonCode = code
        self.detail = detail
