"""What the gate compares: two texts read in the same way, and one module for each kind of difference (docs/enrichment.md)."""
