"""Questions of staff, measured apart: what was discovered, activated, delivered, related, navigated, and at what size.

``questions`` reads the gold set, ``activate`` decides which declared routes are open, ``package`` puts an answer together with
its paths, ``observe`` judges such a package without changing it, ``run`` asks. Nothing here is ever added up.
"""
