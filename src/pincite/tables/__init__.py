"""Governed tables: schema derived from ``model.py``, scoped snapshot merge, and the engines it runs on.

``schema`` and ``rows`` say what a table is, ``diff`` finds what changed, ``store`` writes it, ``engine`` and ``layout`` know
the engines, ``read`` and ``export`` need none, ``plan`` decides what is authored, ``corpus`` writes all tables of a scope.
"""
