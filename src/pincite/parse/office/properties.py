"""The properties an office file states of itself: title, author, dates, and what its makers added."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from pincite.parse.compose import Composer
from pincite.parse.office.package import Package

_COMPANY = ("Company", "Manager")


class Property(NamedTuple):
    """One property; ``origin`` is the part and the element that states it."""

    name: str
    value: str
    origin: str


def properties(package: Package) -> Iterator[Property]:
    """Core properties, company and manager, and custom properties, in the order of the file."""
    core = package.first("", "core-properties")
    for element in _children(package, core):
        yield Property(_local(element), _words(element), f"{core} {_local(element)}")
    extended = package.first("", "extended-properties")
    for element in _children(package, extended):
        if _local(element) in _COMPANY:
            yield Property(_local(element).lower(), _words(element), f"{extended} {_local(element)}")
    custom = package.first("", "custom-properties")
    for element in _children(package, custom):
        name = element.get("name", "")
        yield Property(name, _words(element), f'{custom} "{name}"')


def add_properties(made: Composer, package: Package) -> None:
    """Each property that has a value as a line of role ``metadata``."""
    for name, value, origin in properties(package):
        if value:
            made.add(f"{name}: {value}", "metadata", origin=origin)
            made.add("\n", "blank")


def _children(package: Package, name: str) -> list[etree._Element]:
    root = package.optional(name)
    return [] if root is None else [child for child in root if isinstance(child.tag, str)]


def _local(element: etree._Element) -> str:
    return etree.QName(element).localname


def _words(element: etree._Element) -> str:
    return " ".join(" ".join(str(text) for text in element.itertext()).split())
