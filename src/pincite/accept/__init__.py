"""The acceptance gate: registered cases, checks that do not believe the parser, and a report bound to everything it used."""
