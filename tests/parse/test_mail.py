"""E-mail: headers, body, quoted replies, attachments as documents below the message, and hostile messages."""

from __future__ import annotations

from email.headerregistry import HeaderRegistry
from email.message import EmailMessage
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.parse.reading import places, shown, sound, source_of
from tests.sources.test_classify import ole

from pincite.errors import Malformed, NeedsPassword, PinciteError
from pincite.model import Document
from pincite.parse import mail, parse

SOURCE = source_of("message/rfc822")


def made(data: bytes, media_type: str = "message/rfc822") -> Document:
    return parse(source_of(media_type), data)


def letter(subject: str = "Oil for the Größe lamp", body: str = "Hello,\n\nfill the lamp.\n") -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Keeper <k@example.invalid>", "a@example.invalid", subject
    message.set_content(body)
    return message


def test_a_header_is_taken_apart_once(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[tuple[str, str]] = []

    def counting(name: str, value: str) -> Any:
        taken.append((name, value))
        return HeaderRegistry()(name, value)

    monkeypatch.setattr(mail, "_REGISTRY", counting)
    message = letter()
    message.add_attachment(b"Lamp,Hours\n1,2\n", maintype="text", subtype="csv", filename="lamps.csv")
    assert made(bytes(message)).nodes[-1].node_id.endswith("row-1")
    assert len(taken) == len(set(taken)) > 5


def test_headers_are_metadata_and_the_subject_is_the_title() -> None:
    document = made(bytes(letter()))
    assert document.nodes[0].heading == "Oil for the Größe lamp"
    assert shown(document, "metadata") == [
        "From: Keeper <k@example.invalid>",
        "To: a@example.invalid",
        "Subject: Oil for the Größe lamp",
    ]
    assert shown(document, "body") == ["Hello,", "fill the lamp."]


def test_quoted_replies_are_notes() -> None:
    body = "New.\n\n> old\n> older\n\nAlso new.\n\nOn Monday, the keeper wrote:\nlines without a mark\n"
    document = made(bytes(letter(body=body)))
    assert shown(document, "body") == ["New.", "Also new."]
    assert shown(document, "note") == ["old older", "On Monday, the keeper wrote: lines without a mark"]


def test_the_plain_text_is_the_body_and_the_html_the_same_again() -> None:
    message = letter()
    message.add_alternative("<p>Hello, fill <b>the</b> lamp.</p>", subtype="html")
    document = made(bytes(message))
    assert shown(document, "body") == ["Hello,", "fill the lamp."]
    assert [finding.kind for finding in document.findings] == ["other_body"]


def test_html_is_read_where_the_plain_text_only_stands_in_for_it() -> None:
    message = letter(body="Your program cannot show HTML.\n")
    words = " ".join(f"word{number}" for number in range(20))
    message.add_alternative(f"<h2>Oil</h2><p>{words}</p>", subtype="html")
    document = made(bytes(message))
    assert shown(document, "body") == [words]
    assert "5 of its 5 words are in this one only" in document.findings[0].reason


def test_two_versions_that_say_different_things_are_both_read() -> None:
    message = letter(body="The north lamp burns oil.\n")
    message.add_alternative("<p>South has gas now instead.</p>", subtype="html")
    assert shown(made(bytes(message)), "body") == ["The north lamp burns oil.", "South has gas now instead."]


def test_text_that_goes_on_after_a_picture_is_read() -> None:
    """A second text part is no other version of the first: only the branches of ``multipart/alternative`` are."""
    parts = "".join(f"--x\nContent-Type: {kind}\n\n{text}\n" for kind, text in (
        ("text/plain", "Before the picture."), ("image/png", "x"), ("text/plain", "After the picture."),
        ("text/html", "<p>before the picture</p>")))  # fmt: skip
    document = made(f'Subject: x\nContent-Type: multipart/mixed; boundary="x"\n\n{parts}--x--\n'.encode())
    assert shown(document, "body") == ["Before the picture.", "After the picture."]
    assert [finding.kind for finding in document.findings] == ["other_body", "inline_parts"]
    assert sound(document)


@pytest.mark.parametrize(
    "declared", ["multipart/mixed", 'multipart/mixed; boundary="zzz"', 'multipart/alternative; boundary="b"']
)
def test_a_message_whose_parts_are_not_divided_is_read_as_text(declared: str) -> None:
    document = made(f"Subject: x\nContent-Type: {declared}\n\nFill the lamp.\n".encode())
    assert shown(document, "body") == ["Fill the lamp."]
    assert [finding.kind for finding in document.findings] == ["broken_parts"]


def test_an_attachment_is_read_as_what_it_holds() -> None:
    message = letter()
    message.add_attachment(bytes(letter("Forwarded")), maintype="application", subtype="octet-stream", filename="old.eml")
    message.add_attachment(b"The keepers meet on Monday at ten.\n", maintype="text", subtype="calendar", filename="invite.ics")
    message.add_attachment(b"# Rules\n\n## Oil\n\nx\n", maintype="application", subtype="x-unknown", filename="rules.md")
    message.add_attachment(b"\x78\x9f\x3e\x22\0\0", maintype="application", subtype="ms-tnef", filename="winmail.dat")
    document = made(bytes(message))
    assert [place for place in places(document) if place[1] == "heading"] == [("#attachment-3/oil", "heading", "", "Oil")]
    assert "Subject: Forwarded" in shown(document, "metadata")
    assert "The keepers meet on Monday at ten." in shown(document, "body")
    assert [(finding.subject, finding.reason.count("\n")) for finding in document.findings] == [("winmail.dat", 0)]
    assert "only Outlook opens it" in document.findings[0].reason


@pytest.mark.parametrize(
    "kind", ["application/pkcs7-mime; smime-type=enveloped-data", 'multipart/encrypted; protocol="application/pgp-encrypted"']
)
def test_an_encrypted_message_needs_its_key(kind: str) -> None:
    with pytest.raises(NeedsPassword, match="the message is encrypted; save it decrypted"):
        made(f"From: a@x\nSubject: x\nContent-Type: {kind}\n\nMIIB\n".encode())


def test_lines_that_a_mailbox_escaped_are_as_they_were_sent() -> None:
    data = (
        b"From a@x Mon Jun 01 10:00:00 2009\n\nno headers\n>From the pier\n\nFrom b@x Mon Jun 01 11:00:00 2009\n"
        b"Subject: two\n\nb\n"
    )
    document = made(data, "application/mbox")
    assert [node.kind for node in document.nodes] == ["document", "message", "message"]
    assert shown(document, "body") == ["no headers From the pier", "b"]


def test_html_is_read_where_there_is_no_plain_text() -> None:
    message = EmailMessage()
    message["Subject"] = "Page"
    message.set_content("<h2>Oil</h2><p>Größe<script>x()</script></p>", subtype="html", charset="iso-8859-1")
    document = made(bytes(message))
    assert places(document) == [("#oil", "heading", "", "Oil")]
    assert shown(document, "body") == ["Größe"]
    assert [block.origin for block in document.partition if block.role == "body"] == ["part 1, /html/body/p[1]"]


def test_attachments_are_documents_below_the_message() -> None:
    message, inner = letter(), letter("Inner", "# not a heading\n")
    inner.add_attachment(b"# Rules\n\n## Oil\n\nNo whales.\n", maintype="text", subtype="markdown", filename="rules.md")
    message.add_attachment(b"Lamp;Hours\nNorth;12\n", maintype="application", subtype="octet-stream", filename="hours.csv")
    message.add_attachment(b"\0\1", maintype="application", subtype="zip", filename="x.zip")
    message.add_attachment(inner)
    document = made(bytes(message))
    assert places(document) == [
        ("#attachment-1", "attachment", "hours.csv", "hours.csv"),
        ("#attachment-1/row-1", "record", "row 1", "North"),
        ("#attachment-2", "attachment", "x.zip", "x.zip"),
        ("#attachment-3", "attachment", "Inner", "Inner"),
        ("#attachment-4", "attachment", "rules.md", "Rules"),
        ("#attachment-4/oil", "heading", "", "Oil"),
    ]
    assert document.nodes[5].parent_id == "doc#attachment-3"
    assert shown(document, "table") == ["Lamp | Hours", "Lamp: North | Hours: 12"]
    assert [(finding.kind, finding.subject) for finding in document.findings] == [("attachment_not_read", "x.zip")]
    (row,) = (block for block in document.partition if block.node_id == "doc#attachment-1/row-1")
    assert row.origin == "part 1.2, bytes 11 to 19"
    assert sound(document)


def test_a_bomb_of_messages_in_messages_ends_at_the_limit() -> None:
    message = letter("innermost")
    for number in range(40):
        outer = letter(f"level {number}")
        outer.add_attachment(message)
        message = outer
    document = made(bytes(message))
    assert sum(node.kind == "attachment" for node in document.nodes) == 5
    assert "messages inside more than 5 others" in document.findings[-1].reason


def test_a_bomb_of_parts_ends_at_the_limit() -> None:
    parts = "".join(f'--x\nContent-Type: text/plain; name="{number}.txt"\n\npart {number}\n' for number in range(2000))
    document = made(f'Subject: many\nContent-Type: multipart/mixed; boundary="x"\n\n{parts}--x--\n'.encode())
    assert sum(node.kind == "attachment" for node in document.nodes) == 200
    assert [finding.kind for finding in document.findings] == ["too_many_parts"]


def test_parts_nested_without_end_are_refused_or_read() -> None:
    data = "".join(f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(3000)) + "\nx\n"
    with pytest.raises(PinciteError, match="nested deeper"):
        made(b"Subject: deep\n" + data.encode())


def test_a_mailbox_is_its_messages() -> None:
    one = b"From a@b Mon Jan  1 00:00:00 2026\nSubject: One\n\nFirst.\n\nFrom here on it is text.\n\n"
    two = b"From c@d Tue Jan  2 00:00:00 2026\nSubject: Two\n\nSecond.\n"
    document = made(one + two, "application/mbox")
    assert places(document) == [("#message-1", "message", "", "One"), ("#message-2", "message", "", "Two")]
    assert shown(document, "body") == ["First.", "From here on it is text.", "Second."]


def test_a_saved_page_in_one_file() -> None:
    data = (
        b'From: <Saved by a browser>\nSubject: Lamps\nContent-Type: multipart/related; boundary="b"; type="text/html"\n\n'
        b'--b\nContent-Type: text/html; charset="utf-8"\nContent-Transfer-Encoding: quoted-printable\n\n'
        b"<h2>Gr=C3=B6=C3=9Fe</h2><p>x</p>\n--b\nContent-Type: image/png\n"
        b"Content-Transfer-Encoding: base64\nContent-Location: a.png\n\niVBO\n--b--\n"
    )
    document = made(data, "multipart/related")
    assert places(document) == [("#grösse", "heading", "", "Größe")]
    assert [finding.kind for finding in document.findings] == ["inline_parts"]


def test_mixed_and_wrong_encodings_of_a_body_lose_nothing() -> None:
    headers = b"Subject: x\nContent-Type: text/plain; charset=us-ascii\nContent-Transfer-Encoding: 8bit\n\n"
    data = headers + b"K\xf6ln\n\nGr\xc3\xb6\xc3\x9fe\n"
    assert shown(made(data), "body") == ["Köln", "Größe"]


@pytest.mark.parametrize("data", [b"", b"\n\nno headers at all", b"\x00\x01\x02"])
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(Malformed):
        made(data)


_LINES = st.sampled_from(
    [
        b"",
        b"\xc3\xb6",
        b"Subject: \xff",
        b"MIME-Version: \x00",
        *rb"""Subject: =?utf-8?q?x=00?=
From: <>
To: a@b, (c
Date: never
Content-Type: multipart/mixed
Content-Type: multipart/mixed; boundary="b"
Content-Type: message/rfc822
Content-Type: ;;=
Content-Type: text/html; charset=nope
Content-Type: text/plain; charset*=utf-8''%ff
Content-Type: text/csv; name="a.csv
Content-Disposition: attachment; filename*=utf-8''a%
Content-Disposition: attachment; filename="../x.md"
Content-Transfer-Encoding: base64
Content-Transfer-Encoding: x
 folded
Message-ID: <
References: [
Cc: =?x?b?!?=
Reply-To: "
In-Reply-To: <a@[
--b
--b--
text
a;b
> q""".split(b"\n"),
    ]
)


@given(st.lists(_LINES, min_size=1, max_size=30).map(b"\n".join))
def test_any_message_is_read_or_refused(data: bytes) -> None:
    for media_type in ("message/rfc822", "application/mbox"):
        try:
            assert sound(made(data, media_type))
        except PinciteError:
            continue


def plain(body: bytes, kind: str = "text/plain; charset=utf-8", more: str = "") -> Document:
    document = made(f"From: a@example.invalid\nSubject: x\nContent-Type: {kind}\n{more}\n".encode() + body)
    assert sound(document)
    return document


@pytest.mark.parametrize(
    ("declared", "body", "text"),
    [
        ("iso-2022-jp", "休暇は十日".encode("iso-2022-jp"), "休暇は十日"),
        ("utf-7", "Größe".encode("utf-7"), "Größe"),
        ("iso-8859-1", "\x93five\x94 \x80".encode("latin-1"), "“five” €"),
        ("iso-8859-1", "Größe".encode(), "Größe"),
        ("gb2312", "镕".encode("gb18030"), "镕"),
    ],
)
def test_a_body_is_read_in_the_encoding_that_is_meant(declared: str, body: bytes, text: str) -> None:
    document = plain(body, f"text/plain; charset={declared}")
    assert shown(document)[-1] == text
    assert not document.findings


@pytest.mark.parametrize("written", ["Café".encode(), "Café".encode("cp1252")])
def test_a_header_in_bytes_that_it_does_not_declare_is_read(written: bytes) -> None:
    assert made(b"Subject: " + written + b"\n\nx\n").nodes[0].heading == "Café"


def test_base64_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    document = plain(b"RmlsbCB0aGUgbGFtcC4gT", more="Content-Transfer-Encoding: base64\n")
    assert shown(document, "body") == ["Fill the lamp."]


def test_a_signature_is_contact_and_a_long_text_below_the_sign_is_not() -> None:
    document = plain(b"Fill it.\n\n-- \nAda\n+44 1\n\nOn Monday, Bo wrote:\nWhen?\n")
    assert (shown(document, "body"), shown(document, "contact")) == (["Fill it."], ["-- Ada +44 1"])
    assert shown(document, "note") == ["On Monday, Bo wrote: When?"]
    assert not shown(plain(b"Fill it.\n-- \n" + b"a line\n" * 20), "contact")


REPORT = b"""--r
Content-Type: text/plain

Not delivered.
--r
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.invalid

Action: failed
Diagnostic-Code: smtp; 550 no such
 keeper
--r
Content-Type: message/rfc822

Subject: Oil

Words.
--r--
"""


def test_a_delivery_report_says_what_became_of_the_message() -> None:
    document = plain(REPORT, 'multipart/report; report-type=delivery-status; boundary="r"')
    assert shown(document, "body") == [
        "Not delivered.", "Reporting-MTA: dns; mx.example.invalid", "Action: failed",
        "Diagnostic-Code: smtp; 550 no such keeper", "Words.",
    ]  # fmt: skip
    assert not document.findings


def test_a_text_that_only_asks_for_html_is_left_out_however_short_the_html() -> None:
    message = letter(body="This message requires an HTML viewer.\n")
    message.add_alternative("<p>Fill the lamp today.</p>", subtype="html")
    assert shown(made(bytes(message)), "body") == ["Fill the lamp today."]


def test_a_page_for_other_programs_is_another_version_of_the_text() -> None:
    message = letter()
    message.add_alternative("<html amp4email><p>Hello, fill the lamp.</p></html>", subtype="x-amp-html")
    document = made(bytes(message))
    assert (shown(document, "body"), len(document.nodes)) == (["Hello,", "fill the lamp."], 1)
    assert [found.kind for found in document.findings] == ["other_body"]


def test_the_line_shown_beside_the_subject_is_not_in_the_text() -> None:
    hidden = '<span style="font-size:1px;max-height:0;overflow:hidden">Do not miss</span><i style="mso-hide:all">it</i>'
    document = plain(f'{hidden}<p style="font-size:0"><b style="font-size:12px">Fill it.</b></p>'.encode(), "text/html")
    assert shown(document, "body") == ["Fill it."]


def test_a_picture_is_no_text_whatever_its_bytes() -> None:
    message = letter()
    message.add_attachment(b"not a picture", maintype="image", subtype="png", filename="pier.png")
    message.add_attachment(b"0 nor a signature", maintype="application", subtype="pkcs7-mime", filename="smime.p7m")
    document = made(bytes(message))
    assert [found.kind for found in document.findings] == ["attachment_not_read"] * 2
    assert "not a picture" not in shown(document)


def test_a_body_that_is_no_text_does_not_take_the_attachments_with_it() -> None:
    data = b"--b\nContent-Type: text/plain\n\noil \0\1\2\3\n--b\nContent-Disposition: attachment\n\nFill the lamp.\n--b--\n"
    document = plain(data, 'multipart/mixed; boundary="b"')
    assert shown(document, "body") == ["Fill the lamp."]
    assert [found.kind for found in document.findings] == ["body_not_read"]


OUTLOOK = "{}: Bo Reed\n{}: Monday, 2 March 2026 09:00\nTo: Ada\n{}: Oil"


@pytest.mark.parametrize(
    "line",
    [
        "________________________________\n" + OUTLOOK.format("From", "Sent", "Subject"),
        OUTLOOK.format("Von", "Gesendet", "Betreff"),
        OUTLOOK.format("De", "Envoyé", "Objet"),
        "On Mon, Mar 2, 2026 at 9:00 AM Bo Reed of the long name\n<bo@example.invalid> wrote:",
        "Am 02.03.2026 um 09:00 schrieb Bo Reed:",
        "El lun, 2 mar 2026 a las 9:00, Bo (<bo@example.invalid>) escribió:",
        "2026年3月2日(月) 9:00 Bo Reed <bo@example.invalid>:",
        "Begin forwarded message:",
        "Date: Mon, 2 Mar 2026\nSubject: Oil\nFrom: bo@example.invalid\nTo: ada@example.invalid",
        OUTLOOK.format("От", "Отправлено", "Тема"),
    ],
)
def test_what_is_answered_is_a_note_however_the_program_says_so(line: str) -> None:
    document = plain(f"New.\n\n{line}\n\nold words\n".encode())
    assert shown(document, "body") == ["New."]
    assert shown(document, "note")[-1] == "old words"


def test_words_that_look_a_little_like_a_quotation_are_the_messages_own() -> None:
    body = "Dates from the register:\n\nFrom: March\nTo: May\n\nOn the pier we wrote a note: fill it.\n"
    assert not shown(plain(body.encode()), "note")


def test_an_answer_below_what_an_html_message_quotes_is_its_own() -> None:
    quoted = "<div>On Mon, 2 Mar 2026, Bo wrote:</div><blockquote><p>When?</p></blockquote>"
    document = plain(f"<p>Hello.</p>{quoted}<p>Today.</p>".encode(), "text/html")
    assert (shown(document, "body"), shown(document, "note")) == (
        ["Hello.", "Today."],
        ["On Mon, 2 Mar 2026, Bo wrote:", "When?"],
    )
    outlook = "<p><b>From:</b> Bo<br><b>Sent:</b> Monday<br><b>Subject:</b> Oil</p><p>When?</p>"
    assert shown(plain(f"<p>Today.</p>{outlook}".encode(), "text/html"), "body") == ["Today."]


def test_the_title_of_a_page_attached_is_that_of_its_place() -> None:
    message = letter()
    message.add_attachment("<h1>Rules of the lamp</h1><p>Fill it.</p>", subtype="html", filename="r.html")
    assert places(made(bytes(message))) == [("#attachment-1", "attachment", "r.html", "Rules of the lamp")]


def test_words_that_a_program_broke_over_lines_come_together() -> None:
    document = plain(b"The keep \r\ner fills  \r\nthe lamp.\r\n-- \r\nAda\r\n", "text/plain; format=flowed; delsp=yes")
    assert (shown(document, "body"), shown(document, "contact")) == (["The keeper fills the lamp."], ["-- Ada"])


def test_signatures_empty_containers_and_headers_of_others_are_no_attachments() -> None:
    data = (
        b"--b\nContent-Type: text/plain\n\nFill the lamp.\n--b\nContent-Type: application/pgp-signature; name=s.asc\n\nx\n"
        b"--b\nContent-Type: multipart/mixed; boundary=c\n\n\n--b\nContent-Type: text/plain\n\n\n"
        b"--b\nContent-Type: text/enriched\n\n<bold>Fill the lamp.</bold>\n"
        b"--b\nContent-Type: text/rfc822-headers\n\nReceived: by x\nSubject: Oil\n--b--\n"
    )
    document = plain(data, 'multipart/mixed; boundary="b"')
    assert shown(document, "body") == ["Fill the lamp."]
    assert "Subject: Oil" in shown(document, "metadata")
    assert [node.label for node in document.nodes[1:]] == ["text/rfc822-headers"]
    assert [found.kind for found in document.findings] == ["other_body", "inline_parts"]


def test_an_encrypted_message_or_attachment_does_not_take_the_others_with_it() -> None:
    sealed = b"From b@x Mon Jun 01 11:00:00 2009\nSubject: two\nContent-Type: application/pkcs7-mime\n\nMIIB\n\n"
    box = b"From a@x Mon Jun 01 10:00:00 2009\nSubject: one\n\nFill it.\n\n" + sealed
    document = made(box + b"From c@x Mon Jun 01 12:00:00 2009\nSubject: three\n\nLight it.\n", "application/mbox")
    assert shown(document, "body") == ["Fill it.", "Light it."]
    assert [(found.kind, found.subject) for found in document.findings] == [("message_not_read", "message 2")]
    message = letter()
    message.add_attachment(ole("EncryptedPackage"), maintype="application", subtype="msword", filename="x.docx")
    assert "encrypted" in made(bytes(message)).findings[0].reason


def test_an_answer_below_what_a_plain_message_quotes_is_its_own() -> None:
    document = plain(
        b"On Mon, 2 Mar 2026, Bo wrote:\n> When?\n\nToday.\n-- \nAda\n\nOn Sun, 1 Mar 2026, Cy wrote:\n\n> Oil?\n\nNo.\n"
    )
    assert (shown(document, "body"), shown(document, "contact")) == (["Today.", "No."], ["-- Ada"])
    assert shown(document, "note") == ["On Mon, 2 Mar 2026, Bo wrote:", "When?", "On Sun, 1 Mar 2026, Cy wrote:", "Oil?"]
