"""The encoding of a text that is neither marked, declared nor UTF-8: by its letters and commonest words, then by statistics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

STATEFUL = frozenset({"utf-7", "utf-16", "utf-32", "hz", "iso2022_jp", "iso2022_kr", "idna", "punycode"})
"""Encodings in which a piece of a text does not stand for the same bytes as in the whole."""


_AS_BROWSERS_DO = {
    **dict.fromkeys(("iso-8859-1", "iso8859-1", "latin1", "latin-1", "ascii", "us-ascii", "windows-1252"), "cp1252"),
    **dict.fromkeys(("iso-8859-9", "iso8859-9", "latin5"), "cp1254"),
    **dict.fromkeys(("tis-620", "iso-8859-11"), "cp874"),
    **dict.fromkeys(("gb2312", "gbk", "x-gbk"), "gb18030"),
    **dict.fromkeys(("shift_jis", "shift-jis", "x-sjis", "sjis"), "cp932"),
    **dict.fromkeys(("ks_c_5601-1987", "euc-kr"), "cp949"),
    **dict.fromkeys(("utf-16", "utf-16le", "utf-16be"), "utf-8"),  # whoever could read the declaration did not read UTF-16
}


def as_browsers_do(declared: str) -> str:
    """The encoding that is meant by a declared one: programs write a superset and declare the standard it grew from.

    >>> as_browsers_do("ISO-8859-1"), as_browsers_do("koi8-r")
    ('cp1252', 'koi8-r')
    """
    return _AS_BROWSERS_DO.get(declared.lower(), declared)


def likeliest(sample: bytes, readable: Callable[[str], bool]) -> str:
    """The likeliest encoding of a text that begins with *sample*. *readable*: whether all of it is read and led back by one.

    Statistics of letters fail on short and on repetitive texts, so clear signs come first: kana, the letters and words of a
    language, and words that Windows-1252 gives only a few accents and no symbols. Latin-1 can read anything.
    """
    for name in ("cp932", "euc_jp"):
        if len(_KANA.findall(sample.decode(name, "replace"))) > 0.05 * len(sample) and readable(name):
            return name
    told = _by_language(sample)
    if told and readable(told):
        return told
    western = _looks_latin(sample, "cp1252")
    if western and len(_HIGH.findall(sample)) < _FEW and readable("cp1252"):
        return "cp1252"
    from charset_normalizer import from_bytes

    matches = from_bytes(sample, cp_exclusion=sorted(STATEFUL))
    names = [name for match in matches for name in (match.encoding, *match.could_be_from_charset)]
    if western and not (names and names[0] in _EASTERN):
        names.insert(0, "cp1252")
    elif (not names or names[0] in _WESTERN) and _looks_latin(sample, "cp1250"):
        names.insert(0, "cp1250")
    return next((name for name in [*names, "cp1252"] if readable(name)), "latin-1")


_FEW = 32
"""Bytes above 127 below which statistics of letters say nothing."""
_WESTERN = frozenset(
    ["cp1252", "latin_1", "iso8859_15", "cp1254", "iso8859_9", "mac_roman", "cp1258", "cp858", "cp850", "cp437", "hp_roman8"]
)
_EASTERN = frozenset(["cp1250", "iso8859_2", "mac_latin2", "cp852", "cp1257", "iso8859_13", "iso8859_4"])
_HIGH = re.compile(rb"[\x80-\xff]")
_KANA = re.compile("[\u3041-\u3096]")
_SYMBOL_IN_WORD = re.compile(
    r"[^\W\d_](?=[\x80-\xff\u02c6-\u02dd�])[^\w’–·\xad\xa0][^\W\d_]"
    r"|[^\W\d_][¹²³][^\W\d_]"
)


def _looks_latin(sample: bytes, encoding: str) -> bool:
    """Whether *encoding* gives words with a few accents: mostly ASCII letters, and no symbol inside a word."""
    text = sample.decode(encoding, "replace")
    letters = [letter for letter in text if letter.isalpha()]
    accented = sum(letter > "\x7f" for letter in letters)
    return 2 * accented <= len(letters) + 1 and not _SYMBOL_IN_WORD.search(text)


# --- letters and words of languages ------------------------------------------------------------------------------------------


class _Language(NamedTuple):
    """The letters a language has beside a to z, and common words that have none of them and are no words of its neighbours."""

    letters: str
    words: str


_WEST = (
    _Language("äöüß", "der die und ist nicht das den mit von ein eine zu auf für im werden muss"),
    _Language("àâæçéèêëîïôœùûüÿ", "le la les des et est pour dans une un du au qui que par sur"),
    _Language("áéíñóúü", "el los las que para una por con del se es en no"),
    _Language("áâãàçéêíóôõúü", "os as que para uma por com dos da do em no se e"),
    _Language("àèéìíîòóùú", "il che per una con del della non di da le gli i la si"),
    _Language("àèéíïòóúüç", "el els les per una amb del que no es la i"),
    _Language("åäöéüáà", "och att det som en av med den inte ska till ett ja ei on se ja tai"),
    _Language("æøåéòóôäö", "og det er til med som en av skal ikke den et for"),
    _Language("äöõüšž", "ja ei on ning kui mis ta seda tuleb"),
    _Language("áðéíóúýþæö", "og er ekki sem til um hann vera skal"),
    _Language("éëïóöüèáê", "de het een van en niet dat voor met op zijn"),
    _Language("éèêçïñöâôäüáíó", "the of and is for must to in with not are shall"),
)
_EAST = (
    _Language("áčďéěíňóřšťúůýž", "se je na pro nebo jsou podle jako od do musi bez aby jeho ale"),
    _Language("áäčďéíĺľňóôŕšťúýž", "sa je na pre alebo podla ako od do bez aby jeho ale pri"),
    _Language("ąćęłńóśźż", "nie jest na do oraz lub przez dla od przy jako jego za i"),
    _Language("áéíóöőúüű", "az egy nem vagy hogy kell meg csak minden szerint belül ez van ha"),
    _Language("ăâîşţ", "este pentru sau din prin sunt care nu cu la se de"),
    _Language("čćđšž", "je se na za ili koji koja od iz ako bez prema i u ga"),
    _Language("čšž", "je se na za ali ki od iz po pri ni v z"),
)
_TURKISH = (_Language("çğıöşüâîûi̇", "ve bir bu ile veya olan olarak her de da ne"),)
_BALTIC = (
    _Language("ąčęėįšųūž", "ir yra turi bei kad arba nuo prie su per"),
    _Language("āčēģīķļņšūž", "un ir no par uz kas vai ar pie tiek"),
)
_WRITTEN_IN = (("cp1252", _WEST), ("cp1250", _EAST), ("iso8859_2", _EAST), ("cp1254", _TURKISH), ("cp1257", _BALTIC))
_WORD = re.compile(rb"(?<![A-Za-z\x80-\xff])[A-Za-z]+(?![A-Za-z\x80-\xff])")
_ODD_LETTER = re.compile(r"(?![¹²³¼½¾])[^\W\d_a-zA-Z]|[¹²³¼½¾®±¦¬](?=[^\W\d_])|[\x80-\x9f�]")
_ALL = 0.97
"""The share of a text's letters that a language must have; names of foreigners are the rest."""


def _by_language(sample: bytes) -> str:
    """The encoding of a language that explains the text better than those written in Windows-1252; "" where none does.

    It has all the letters, and of its common words more occur; where two explain it equally well, the first is taken.
    """
    said = Counter(word.decode().lower() for word in _WORD.findall(sample))
    found = [(_explained(sample, encoding, languages, said), encoding) for encoding, languages in _WRITTEN_IN]
    best, encoding = max(found, key=lambda each: each[0])
    return encoding if best > found[0][0] else ""


def _explained(sample: bytes, encoding: str, languages: tuple[_Language, ...], said: Counter[str]) -> int:
    """How many of the words are common in the best language that has all the letters; -1 where none has."""
    letters = Counter(_ODD_LETTER.findall(sample.decode(encoding, "replace").lower()))
    needed = _ALL * letters.total()
    if not letters and languages is not _WEST:
        return -1
    fitting = (each for each in languages if sum(letters[letter] for letter in each.letters) >= needed)
    return max((sum(said[word] for word in each.words.split()) for each in fitting), default=-1)
