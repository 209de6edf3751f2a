"""Structure of numbered manuals: an observation of pages and lines in, a ``Document`` out."""
