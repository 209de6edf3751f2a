"""Search over passages: BM25 and vectors, fused by rank. ``local`` is the VectorIndex of a laptop."""
