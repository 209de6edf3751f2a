"""Bytes to a ``Document``: one module per format."""
