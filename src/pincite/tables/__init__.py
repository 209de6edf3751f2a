"""Governed tables: schema derived from ``model.py``, scoped snapshot merge, and the engines it runs on.

``schema`` and ``rows`` say what a table is, ``diff`` finds what changed, ``store`` writes it, ``engine`` knows the engines,
``read`` reads without one, ``plan`` decides what is authored, ``author`` does it, ``corpus`` writes all tables of a scope in the right order.
"""
