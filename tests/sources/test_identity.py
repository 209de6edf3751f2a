"""Document ids that survive moves and edits, and are never given to another document."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pincite.sources.identity import Named, Remembered, Seen, name_all, sketch_of

TEXT = "\n".join(f"Paragraph {i} of the procedure says what to do." for i in range(20))


def seen(path: str, text: str = "", explicit: str = "") -> Seen:
    return Seen(path, f"hash of {text or path}", explicit, sketch_of(text))


def remembered(files: list[Seen], known: list[Remembered] | None = None) -> list[Remembered]:
    names = name_all(files, known or [])
    return [Remembered(named.document_id, file.path, file.sha256, file.sketch) for file, named in zip(files, names)]


def ids(files: list[Seen], known: list[Remembered] | None = None) -> list[str]:
    return [named.document_id for named in name_all(files, known or [])]


def test_a_new_file_is_named_by_its_path() -> None:
    files = [seen("Guides/Response targets.md"), seen("guides/response-targets.docx"), seen("手順/対応.md"), seen("!!!")]
    assert ids(files) == ["guides-response-targets", "guides-response-targets-2", "手順-対応", "untitled"]


def test_an_edited_file_keeps_its_id() -> None:
    known = remembered([seen("a.md", "one"), seen("b.md", "two")])
    assert ids([seen("a.md", "two"), seen("b.md", "one")], known) == ["a", "b"], "paths decide where both are still there"


def test_a_moved_file_keeps_its_id_where_the_old_path_is_gone() -> None:
    known = remembered([seen("a.md", "one"), seen("b.md", "two")])
    assert ids([seen("b.md", "two"), seen("new/place.md", "one")], known) == ["b", "a"]
    copied = name_all([seen("a.md", "one"), seen("b.md", "two"), seen("new/place.md", "one")], known)
    assert [named.document_id for named in copied] == ["a", "b", "new-place"], "a copy is another document"


def test_of_equal_files_that_moved_the_one_with_the_same_name_goes_first() -> None:
    known = remembered([seen("x/one.md", "same"), seen("x/two.md", "same")])
    assert ids([seen("y/two.md", "same"), seen("z/one.md", "same")], known) == ["x-two", "x-one"]


def test_moved_and_edited_at_once_is_recognised_by_most_of_its_lines() -> None:
    known = remembered([seen("a.md", TEXT), seen("b.md", "quite another text\n" * 3)])
    edited = TEXT.replace("Paragraph 3", "Paragraph three")
    (named, _) = name_all([seen("new/a.md", edited), seen("b.md", "quite another text\n" * 3)], known)
    assert named.document_id == "a"
    assert "moved and edited" in named.how


def test_moved_and_half_rewritten_is_new() -> None:
    known = remembered([seen("a.md", TEXT)])
    rewritten = "\n".join(line if i % 2 else f"Something else {i}." for i, line in enumerate(TEXT.splitlines()))
    assert name_all([seen("new/a.md", rewritten)], known) == [Named("new-a", "new")]


def test_two_files_that_could_both_be_the_moved_one_are_both_new() -> None:
    known = remembered([seen("a.md", TEXT)])
    files = [seen("b.md", TEXT.replace("Paragraph 3", "Third")), seen("c.md", TEXT.replace("Paragraph 4", "Fourth"))]
    assert ids(files, known) == ["b", "c"]


def test_the_id_in_the_front_matter_wins_over_path_and_bytes() -> None:
    known = remembered([seen("a.md", "one", "policy-7")])
    assert known[0].document_id == "policy-7"
    assert ids([seen("elsewhere.md", "all new", "policy-7")], known) == ["policy-7"]


def test_an_id_claimed_twice_or_held_by_another_file_is_refused_with_the_reason() -> None:
    twice = name_all([seen("a.md", "one", "policy"), seen("b.md", "two", "policy")], [])
    assert [named.document_id for named in twice] == ["a", "b"]
    assert all("policy" in named.how for named in twice)
    known = remembered([seen("a.md", "one")])
    assert ids([seen("a.md", "one"), seen("b.md", "two", "a")], known) == ["a", "b"]


def test_the_id_of_a_removed_document_waits_for_it() -> None:
    gone = [Remembered("a", "a.md", "hash of one", (), gone=True)]
    assert ids([seen("x/a.md", "other")], gone) == ["x-a"]
    assert ids([seen("A.md", "other")], gone) == ["a-2"]
    assert ids([seen("a.md", "other")], gone) == ["a"]
    assert ids([seen("back.md", "one")], gone) == ["a"]


PATHS = st.lists(st.text("ab/. é手\n", min_size=1, max_size=6), unique=True, max_size=8)


@given(PATHS, PATHS, st.integers(0, 3))
def test_ids_are_unique_and_a_repeated_discovery_changes_none(before: list[str], after: list[str], texts: int) -> None:
    def files(paths: list[str]) -> list[Seen]:
        return [seen(path, f"text {i % (texts + 1)}") for i, path in enumerate(paths)]

    known = remembered(files(before))
    now = remembered(files(after), known)
    assert len({each.document_id for each in now}) == len(now)
    assert ids(files(after), now) == [each.document_id for each in now]
