"""Pincite: passages and cross-references of regulated documents, each traceable to the bytes of its source."""

__version__ = "0.1.0"
