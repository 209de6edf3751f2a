"""Rank anything: plain passages and queries through the product's own retrieval, scored against public judgements."""
