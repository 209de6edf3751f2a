"""What there is to ingest: pinned manifests, and files that are exactly what the manifest says."""
