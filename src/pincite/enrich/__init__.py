"""A model may help a passage to be found, and never become its source: every word it writes passes the gate or is left out."""
