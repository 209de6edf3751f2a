"""S/MIME messages signed as a whole, and Outlook's winmail.dat: what they hold is read, damaged ones are told."""

from __future__ import annotations

import struct
from base64 import encodebytes

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.parse.reading import places, shown, sound, source_of

from pincite.errors import NeedsPassword
from pincite.model import Document
from pincite.parse import parse
from pincite.parse.mailwrapped import signed_content, unwrapped

INSIDE = b"Content-Type: text/plain; charset=utf-8\r\n\r\nFill the lamp.\r\n"
SIGNED_OID, DATA_OID, SEALED_OID = (bytes.fromhex(f"06092a864886f70d01070{last}") for last in "213")


def der(tag: int, *content: bytes) -> bytes:
    """A value with its length."""
    whole = b"".join(content)
    size = len(whole).to_bytes(2, "big")
    return bytes([tag, 0x82]) + size + whole


def open_ended(tag: int, *content: bytes) -> bytes:
    """A value that ends with two null bytes."""
    return bytes([tag, 0x80]) + b"".join(content) + b"\0\0"


DER = der(0x30, SIGNED_OID, der(0xA0, der(0x30, b"\2\1\1", der(0x31), der(0x30, DATA_OID, der(0xA0, der(0x04, INSIDE))))))
BER = open_ended(
    0x30, SIGNED_OID, open_ended(0xA0, open_ended(0x30, b"\2\1\1", der(0x31), open_ended(
        0x30, DATA_OID, open_ended(0xA0, open_ended(0x24, der(0x04, INSIDE[:9]), der(0x04, INSIDE[9:])))))),
)  # fmt: skip


def message(kind: str, data: bytes) -> Document:
    head = f"From: a@example.invalid\nSubject: Oil\nContent-Type: {kind}\nContent-Transfer-Encoding: base64\n\n"
    document = parse(source_of("message/rfc822"), head.encode() + encodebytes(data))
    assert sound(document)
    return document


@pytest.mark.parametrize("data", [DER, BER])
@pytest.mark.parametrize("kind", ["application/pkcs7-mime; smime-type=signed-data", "application/x-pkcs7-mime; name=smime.p7m"])
def test_a_message_that_is_signed_as_a_whole_is_read(kind: str, data: bytes) -> None:
    document = message(kind, data)
    assert shown(document, "body") == ["Fill the lamp."]
    assert [block.origin for block in document.partition if block.role == "body"] == ["part 1.1"]


def test_an_encrypted_or_damaged_one_is_told() -> None:
    with pytest.raises(NeedsPassword):
        message("application/pkcs7-mime", DER.replace(SIGNED_OID, SEALED_OID))
    document = message("application/pkcs7-mime; smime-type=signed-data", DER[:60])
    assert [found.kind for found in document.findings] == ["attachment_not_read"]


def attribute(number: int, data: bytes) -> bytes:
    return b"\1" + struct.pack("<II", number, len(data)) + data + b"\0\0"


def properties(*found: tuple[int, int, bytes]) -> bytes:
    """Properties (type, number, value) with a length; one of fixed size and one with a name stand before them."""
    whole = struct.pack("<HHI", 3, 0x0E21, 7) + struct.pack("<HH", 0x1E, 0x8001) + bytes(16) + struct.pack("<I", 0) + bytes(4)
    whole += struct.pack("<II", 1, 2) + b"x\0\0\0"
    for kind, number, value in found:
        whole += struct.pack("<HHII", kind, number, 1, len(value)) + value + bytes(-len(value) % 4)
    return struct.pack("<I", len(found) + 2) + whole


TNEF = (
    b"\x78\x9f\x3e\x22\1\0"
    + attribute(0x69003, properties((0x102, 0x1013, b"<p>Fill the lamp.</p>")))
    + attribute(0x69002, bytes(14))
    + attribute(0x18010, b"LAMPS~1.CSV\0")
    + attribute(0x6800F, b"Lamp,Hours\nNorth,12\n")
    + attribute(0x69005, properties((0x1F, 0x3707, "Lamps of März.csv\0".encode("utf-16-le"))))
)


def test_what_winmail_holds_is_text_and_attachments_of_the_message() -> None:
    document = message('application/ms-tnef; name="winmail.dat"', TNEF)
    assert shown(document, "body") == ["Fill the lamp."]
    assert places(document)[0] == ("#attachment-1", "attachment", "Lamps of März.csv", "Lamps of März.csv")
    assert shown(document, "table")[-1] == "Lamp: North | Hours: 12"
    assert not document.findings


def test_the_text_of_a_message_that_winmail_says_again_is_read_once() -> None:
    head = b'Subject: x\nContent-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain\n\nFill the lamp.\n'
    part = b"--b\nContent-Type: application/ms-tnef\nContent-Transfer-Encoding: base64\n\n" + encodebytes(TNEF) + b"--b--\n"
    document = parse(source_of("message/rfc822"), head + part)
    assert shown(document, "body") == ["Fill the lamp."]
    assert [found.kind for found in document.findings] == ["other_body"]


@given(st.binary(max_size=200), st.integers(0, len(TNEF)))
def test_damaged_wrappings_never_crash(noise: bytes, cut: int) -> None:
    from email.message import EmailMessage

    for whole, kind in ((TNEF, "application/ms-tnef"), (DER, "application/pkcs7-mime"), (BER, "application/pkcs7-mime")):
        part = EmailMessage()
        part["Content-Type"] = kind
        unwrapped(part, whole[: cut % len(whole)] + noise)
    assert signed_content(DER) == signed_content(BER) == INSIDE


def test_a_message_inside_winmail_is_read_and_rich_text_alone_is_told() -> None:
    inner = attribute(0x69002, bytes(14)) + attribute(0x69005, properties((0x0D, 0x3701, bytes(16) + TNEF)))
    rich = attribute(0x69003, properties((0x102, 0x1009, b"\x10\0\0\0\7\0\0\0LZFu\1\2\3\4\3\0\5")))
    document = message("application/ms-tnef", TNEF[:6] + rich + inner)
    assert shown(document, "body") == ["Fill the lamp."]
    assert shown(document, "table")[-1] == "Lamp: North | Hours: 12"
    assert [(found.kind, found.subject) for found in document.findings] == [("attachment_not_read", "message.rtf")]
